// Runs a WebAssembly program of WASI, such as a test binary, under node: `node --no-warnings wasi.mjs PROGRAM [ARGUMENT ...]`.
// The program sees the current folder by its path and as `.`, and variables that begin with HEDGEROW, PROPTEST, RUST.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(HEDGEROW|PROPTEST|RUST)/.test(name)));
const here = process.cwd();
const wasi = new WASI({
    version: 'preview1',
    args: [program, ...rest],
    env,
    preopens: { '.': here, [here]: here },
    returnOnExit: true,
});
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);

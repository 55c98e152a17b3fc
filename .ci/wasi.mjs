// Runs a WebAssembly program of WASI, such as a test binary, under node: `node --no-warnings wasi.mjs PROGRAM [ARGUMENT ...]`.
// It sees the folder it is run in as its own root and as `.`, and the variables whose names begin with HEDGEROW, PROPTEST or RUST.
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

// Tries the page in headless Chromium: hands it out on localhost with `in_page.js` in it, which does what a visitor
// does and sends back pictures and a verdict. Once with WebGPU, and once without, where WebGL 2 draws.
//
//   node test.mjs FOLDER PICTURES     FOLDER: the page as it was built; PICTURES: where pictures of it go

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, pictures] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
/** All that is handed out besides the page. */
const extra = {
    'in_page.js': join(here, 'in_page.js'),
    'kept.png': join(here, '../tests/kept/town-swiftshader.png'),
    'man.glb': join(root, 'crates/gltf/tests/models/man.glb'),
};
const script = '<script type="module"';
const page = await readFile(join(folder, 'index.html'), 'utf8');
/** The page with what tries it, and the page in a browser that can draw by nothing. */
const changed = {
    'plain.html': () => page,
    'index.html': () => page.replace('</body>', `${script} src="in_page.js"></script></body>`),
    'without.html': () => {
        const lack = 'Object.defineProperty(navigator, "gpu", { value: undefined });' +
            'HTMLCanvasElement.prototype.getContext = () => null;';
        return page.replace(script, `<script>${lack}</script>${script}`);
    },
};
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.png': 'image/png' };
const seconds = 600;

/** What is called with a browser's verdict, what has to draw there, and how the names of its pictures begin. */
let [end, expected, prefix] = [() => {}, '', ''];
/** Ends a visit where nothing is heard for long. */
let timer;

async function body(request) {
    const parts = [];
    for await (const part of request) parts.push(part);
    return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
    const name = basename(new URL(request.url, 'http://localhost').pathname);
    try {
        if (request.method === 'POST') {
            const sent = await body(request);
            timer.refresh();
            if (name.endsWith('.png')) await writeFile(join(pictures, prefix + name), sent);
            else if (name === 'say') console.log(`  ${sent}`);
            else end(String(sent));
            response.end();
            return;
        }
        if (name === 'expected') {
            response.end(expected);
            return;
        }
        const content = changed[name]?.() ?? (await readFile(extra[name] ?? join(folder, name)));
        response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'application/octet-stream' }).end(content);
    } catch (error) {
        response.writeHead(404).end(String(error));
    }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// The view of the kept picture.
const words = '#town --people 60 --frames 3 --size 320x180 --eye 166,7,262 --target 157,0,214 --switch 1';
const address = `http://localhost:${server.address().port}/index.html${words.replaceAll(' ', '+')}`;

/** Lets a browser visit the page. Returns what is wrong with the page, or nothing. */
async function visited(flags) {
    const profile = mkdtempSync(join(tmpdir(), 'hedgerow-chromium-'));
    const verdict = new Promise((resolve) => (end = resolve));
    const browser = spawn(process.env.CHROMIUM, [
        '--headless=new', '--no-sandbox', '--no-first-run', '--hide-scrollbars', '--window-size=1000,640', ...flags,
        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic',
        `--user-data-dir=${profile}`, address,
    ], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaints = '';
    browser.stderr.on('data', (data) => (complaints += data));
    browser.on('error', (error) => end(`${process.env.CHROMIUM} cannot be started: ${error.message}`));
    browser.on('exit', (status) => end(`Chromium ended with status ${status}`));
    timer = setTimeout(() => end(`nothing was heard for ${seconds} seconds`), 1000 * seconds);

    const said = await verdict;
    clearTimeout(timer);
    const ended = new Promise((resolve) => (browser.exitCode === null ? browser.once('exit', resolve) : resolve()));
    browser.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    if (said === 'ok') return '';
    // Chromium misses a desktop's services, at length.
    const lines = complaints.split('\n').filter((line) => line && !line.includes('dbus'));
    return [said, ...lines.slice(-12)].join('\n');
}

/** Software adapters for both: SwiftShader. */
const browsers = {
    WebGPU: [
        '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan',
        '--use-vulkan=swiftshader', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    ],
    'WebGL 2': [
        '--disable-features=WebGPU', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    ],
};
for (const [name, flags] of Object.entries(browsers)) {
    console.log(`with ${name}:`);
    prefix = name === 'WebGPU' ? '' : 'webgl-';
    expected = name;
    const wrong = await visited(flags);
    if (wrong) {
        console.error(`With ${name}, the page does not do what it should: ${wrong}`);
        process.exitCode = 1;
    }
}
server.close();
if (!process.exitCode) console.log(`The page does what it should; its pictures are in ${pictures}.`);

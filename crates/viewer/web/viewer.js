// The script of the page: hands what the pointer, the wheel, the keys and dropped files do to the module, and shows
// what it returns. What is shown at first may be written behind a # in the address, in the words of the program's
// command line: index.html#army --characters 400. With ?webgl before that, WebGL 2 draws even where there is WebGPU.

import { decoded, joined } from './files.js';

const element = (id) => document.getElementById(id);
const [view, canvas, outline, picked, stats, message] =
    ['view', 'canvas', 'outline', 'picked', 'stats', 'message'].map(element);
/** The phases of a frame, in their order. */
const PHASES = ['edits', 'characters', 'maintenance', 'update', 'culling', 'lists', 'uploads'];
let page = null;
/** What draws. */
let through = '';
/** Whether WebGL's context is gone, which the module does not see. */
let lost = false;

/** Shows a sentence about what went wrong; an empty one for nothing. */
function tell(sentence) {
    message.textContent = sentence;
}

/** Runs what can be refused, and shows why. */
function attempt(action) {
    try {
        tell('');
        return action();
    } catch (error) {
        tell(error.message ?? String(error));
        return undefined;
    }
}

/** Makes the canvas as large as there is room, unless the address gives a size. */
function fit() {
    const scale = window.devicePixelRatio;
    const [width, height] = page.resize(Math.round(view.clientWidth * scale), Math.round(view.clientHeight * scale));
    canvas.style.width = `${width / scale}px`;
    canvas.style.height = `${height / scale}px`;
}

/** What the last frame took, in one line. */
function line(frame) {
    const ms = (time) => time.toFixed(1);
    const count = (number) => number.toLocaleString('en');
    const phases = PHASES.map((name) => `${name} ${ms(frame.ms[name])}`);
    return [
        page.title(), `${count(page.nodes())} nodes`, `frame ${frame.frame}`,
        `${ms(frame.work_ms)} ms (${phases.join(', ')}), sending ${ms(frame.draw_ms)} ms`,
        `${count(frame.draws)} draws in ${count(frame.groups)} groups, culled by the ${frame.culled_on_device ? 'device' : 'processor'}`,
        `${count(frame.uploaded_bytes.all)} bytes uploaded`, through,
    ].join(' · ');
}

/** What is picked, its box, and what can be done. */
function status() {
    const [name, handle, path] = page.picked();
    picked.textContent = handle ? `${name || '(no name)'} · ${handle} · ${path}` : '';
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ends = page.outline();
    let path_data = '';
    for (let at = 0; at < ends.length; at += 2) {
        const [x, y] = [(0.5 + 0.5 * ends[at]) * width, (0.5 - 0.5 * ends[at + 1]) * height];
        path_data += `${at % 4 ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    outline.setAttribute('width', width);
    outline.setAttribute('height', height);
    outline.firstElementChild.setAttribute('d', path_data);
    const [done, undone] = page.depth();
    const can = { delete: handle, duplicate: handle, undo: done, redo: undone, pause: true };
    for (const button of document.querySelectorAll('[data-do]')) {
        button.disabled = !can[button.dataset.do];
    }
    document.querySelector('[data-do=pause]').textContent = page.is_playing() ? 'pause' : 'play';
}

/** Plays and draws a frame. */
export function step() {
    if (lost) throw new Error('the graphics context was lost');
    const frame = JSON.parse(page.frame());
    stats.textContent = line(frame);
    status();
    return frame;
}

function loop() {
    try {
        step();
        requestAnimationFrame(loop);
    } catch (error) {
        tell(`The viewer has stopped: ${error.message ?? error}. Load the page again.`);
    }
}

/** Shows what the words of a command line ask for. */
function show(words) {
    attempt(() => {
        page.show(words);
        fit();
    });
}

/** Shows a glTF file, with what lies beside it if there are several. */
async function open(files) {
    try {
        tell('');
        const { name, bytes } = await joined(files);
        page.show_file(name, bytes);
        fit();
    } catch (error) {
        tell(error.message ?? String(error));
    }
}

const actions = {
    delete: () => page.delete(),
    duplicate: () => page.duplicate(),
    undo: () => page.undo(),
    redo: () => page.redo(),
    pause: () => page.play(!page.is_playing()),
};

function act(name) {
    attempt(actions[name]);
    status();
}

/** Where a pointer is in the picture, from -1 to 1, to the right and up. */
function place(event) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [(2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height];
}

function listen() {
    canvas.addEventListener('webglcontextlost', () => (lost = true));
    // What the pointer that is down does: where it was last, how far it went, and whether it has a node.
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
        if (held) return;
        canvas.focus();
        if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
        const node = event.shiftKey && event.button === 0 && attempt(() => page.grab(...place(event)));
        held = { id: event.pointerId, button: event.button, x: event.clientX, y: event.clientY, way: 0, node };
    });
    canvas.addEventListener('pointermove', (event) => {
        if (held?.id !== event.pointerId) return;
        const [right, down] = [event.clientX - held.x, event.clientY - held.y];
        Object.assign(held, { x: event.clientX, y: event.clientY, way: held.way + Math.hypot(right, down) });
        if (held.way < 4) return;
        if (held.node) attempt(() => page.drag(...place(event)));
        else if (held.button === 0) page.turn(0.006 * right, 0.006 * down);
        else page.pan(-right / canvas.clientHeight, down / canvas.clientHeight);
    });
    const release = (event) => {
        if (held?.id !== event.pointerId) return;
        if (held.node) page.let_go();
        else if (event.type === 'pointerup' && held.way < 4 && held.button === 0) {
            attempt(() => page.pick(...place(event)));
        }
        held = null;
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
        event.preventDefault();
        // Lines and pages of wheels, and the pixels of touch pads.
        page.zoom(Math.exp(0.0015 * event.deltaY * [1, 30, 300][event.deltaMode]));
    }, { passive: false });
    window.addEventListener('keydown', (event) => {
        const control = event.ctrlKey || event.metaKey;
        const key = event.key.toLowerCase();
        const alone = { delete: 'delete', backspace: 'delete', d: 'duplicate', z: 'undo', y: 'redo', ' ': 'pause' };
        if (/^[1-9]$/.test(key) && !control) attempt(() => page.switch(Number(key) - 1));
        const name = (control ? { z: event.shiftKey ? 'redo' : 'undo', y: 'redo' } : alone)[key];
        if (!name) return;
        event.preventDefault();
        act(name);
    });
    for (const button of document.querySelectorAll('button')) {
        const { show: words, do: name } = button.dataset;
        button.addEventListener('click', () => {
            // Space is a key of the picture, not of the button.
            canvas.focus();
            if (words) show(words);
            else act(name);
        });
    }
    for (const type of ['dragover', 'dragleave', 'drop']) {
        window.addEventListener(type, (event) => {
            event.preventDefault();
            view.classList.toggle('over', type === 'dragover');
            if (type === 'drop' && event.dataTransfer?.files.length) open([...event.dataTransfer.files]);
        });
    }
    window.addEventListener('hashchange', () => show(words_of_address() || 'town'));
    new ResizeObserver(fit).observe(view);
}

const words_of_address = () => decoded(location.hash.slice(1)).replaceAll('+', ' ').trim();

/** The module for WebGPU, or where that or an adapter for it is missing, the one for WebGL 2. */
async function load() {
    const avoided = new URLSearchParams(location.search).has('webgl');
    if (!avoided && await navigator.gpu?.requestAdapter().catch(() => null)) {
        through = 'WebGPU';
        return import('./webgpu.js');
    }
    if (!document.createElement('canvas').getContext('webgl2')) {
        const where = window.isSecureContext ? '' : ' WebGPU is only for pages from https or from localhost.';
        throw new Error('This browser has neither WebGPU nor WebGL 2, or has no graphics adapter for them. Recent ' +
            `Chrome, Edge, Firefox and Safari have both.${where}`);
    }
    through = 'WebGL 2';
    return import('./webgl.js');
}

async function start() {
    const { default: init, Page } = await load();
    await init();
    const words = words_of_address() || 'town';
    try {
        page = await Page.open(canvas, words);
    } catch (error) {
        if (words === 'town') throw error;
        page = await Page.open(canvas, 'town');
        tell(error.message);
    }
    fit();
    listen();
    requestAnimationFrame(loop);
    return page;
}

/** The page's module, when there is a first frame to be drawn; `null` if there never will. */
export const ready = start().catch((error) => {
    stats.textContent = '';
    tell(error.message ?? String(error));
    return null;
});

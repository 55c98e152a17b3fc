// What a visitor does, and what has to come of it. `test.mjs` puts this into the page.

import { ready, step } from './viewer.js';

/**
 * What two drivers may differ by, in the mean of a channel, and in the share of pixels that differ visibly: as in
 * `tests/pictures.rs`.
 */
const TOLERANCE = { mean: 0.1, share: 0.0015 };
const VISIBLE = 12;
/** A place of the picture, from 0 to 1, to the right and down, and what is there. */
const PICKED = { at: [0.32, 0.76], name: 'body' };

const canvas = document.getElementById('canvas');
const text = (id) => document.getElementById(id).textContent;
const send = (name, body) => fetch(`/${name}`, { method: 'POST', body });
const say = (line) => send('say', line);

function check(holds, what) {
    if (!holds) throw new Error(what);
}

/** Draws a frame, and takes its picture before the browser shows it. */
function snapshot() {
    step();
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    return { copy, data: context.getImageData(0, 0, copy.width, copy.height) };
}

async function keep(name, { copy }) {
    await send(name, await copy.convertToBlob({ type: 'image/png' }));
}

/** A picture that the program without a browser drew. */
async function kept(name) {
    const options = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
    const bitmap = await createImageBitmap(await (await fetch(name)).blob(), options);
    const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = copy.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height);
}

/** How much two pictures differ, as `Picture::difference` has it. */
function difference(a, b) {
    check(a.width === b.width && a.height === b.height, `the picture has ${a.width} by ${a.height} pixels`);
    let [sum, visible] = [0, 0];
    for (let pixel = 0; pixel < a.data.length; pixel += 4) {
        const apart = [0, 1, 2].map((channel) => Math.abs(a.data[pixel + channel] - b.data[pixel + channel]));
        sum += apart[0] + apart[1] + apart[2];
        visible += Math.max(...apart) > VISIBLE;
    }
    const pixels = a.data.length / 4;
    return { mean: sum / (3 * pixels), share: visible / pixels };
}

const within = ({ mean, share }) => mean <= TOLERANCE.mean && share <= TOLERANCE.share;
const told = ({ mean, share }) => `mean ${mean.toFixed(3)} of 255, share ${share.toFixed(5)}`;

function pointer(type, [x, y], more = {}) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const at = { clientX: left + x * width, clientY: top + y * height };
    canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, ...at, ...more }));
}

function click(at) {
    pointer('pointerdown', at);
    pointer('pointerup', at);
}

const press = (key, more) => window.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true, ...more }));
const button = (name) => document.querySelector(`[data-do=${name}], [data-show=${name}]`).click();

/** Drops files on the page, and waits for what it says. */
async function drop(...files) {
    const dataTransfer = new DataTransfer();
    files.forEach((file) => dataTransfer.items.add(file));
    const before = stats_title();
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    for (let turn = 0; turn < 200; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        step();
        if (text('message') || stats_title() !== before) return;
    }
    throw new Error(`nothing came of dropping ${files[0].name}`);
}

const stats_title = () => text('stats').split(' · ')[0];
const fetched = async (name) => new File([await (await fetch(name)).blob()], name);

async function visit() {
    const page = await ready;
    check(page, `it does not begin: ${text('message')}`);
    const expected = await (await fetch('expected')).text();
    step();
    check(text('stats').endsWith(` · ${expected}`), `${text('stats').split(' · ').pop()} draws, not ${expected}`);
    while (page.is_playing()) step();
    step();
    const still = step();
    check(still.uploaded_bytes.all === 0, `a still frame uploads ${still.uploaded_bytes.all} bytes`);
    check(still.draws > 500, `${still.draws} draws`);
    check(still.culled_on_device === (expected === 'WebGPU'), `the device culls: ${still.culled_on_device}`);

    // It looks as it does without a browser.
    const native = await kept('kept.png');
    const first = snapshot();
    await keep('town.png', first);
    const apart = difference(first.data, native);
    await say(`the town, and its picture drawn without a browser: ${told(apart)}`);
    check(within(apart), `the town looks otherwise: ${told(apart)}`);

    // What is picked is there, goes, and comes again.
    const nodes = page.nodes();
    check(page.picked().length === 0 && text('picked') === '', 'something is picked at first');
    click(PICKED.at);
    step();
    const [name, handle] = page.picked();
    await say(`picked: ${text('picked')}`);
    check(name === PICKED.name && text('picked').includes(`${name} · ${handle}`), `picked ${name}`);
    check(page.outline().length === 52, 'the box of what is picked is not seen, or no normal');
    press('Delete');
    step();
    check(page.nodes() < nodes && text('picked') === '', 'nothing was deleted');
    const without = snapshot();
    await keep('town-deleted.png', without);
    const gone = difference(without.data, native);
    await say(`with what was picked deleted: ${told(gone)}`);
    check(!within(gone), 'what was deleted is still seen');
    press('z', { ctrlKey: true });
    step();
    const back = difference(snapshot().data, native);
    check(page.nodes() === nodes && within(back), `what was undone looks otherwise: ${told(back)}`);
    check(page.picked()[1] === handle, 'what came again has another handle');
    press('y', { ctrlKey: true });
    step();
    check(page.nodes() < nodes && !within(difference(snapshot().data, native)), 'nothing was done again');
    button('undo');
    button('duplicate');
    step();
    check(page.nodes() > nodes && page.picked()[1] !== handle, 'nothing was duplicated');
    button('undo');
    step();
    check(page.nodes() === nodes && within(difference(snapshot().data, native)), 'the copy is still there');

    // Shift and drag moves what is there.
    pointer('pointerdown', PICKED.at, { shiftKey: true });
    pointer('pointermove', [PICKED.at[0] + 0.1, PICKED.at[1]], { shiftKey: true });
    pointer('pointerup', [PICKED.at[0] + 0.1, PICKED.at[1]], { shiftKey: true });
    step();
    check(!within(difference(snapshot().data, native)), 'nothing was dragged');
    press('z');
    step();
    check(within(difference(snapshot().data, native)), 'what was dragged is not back');

    // The camera goes around, and back.
    const drag = (from, to) => {
        pointer('pointerdown', from);
        pointer('pointermove', to);
        pointer('pointerup', to);
    };
    drag([0.5, 0.5], [0.7, 0.5]);
    check(!within(difference(snapshot().data, native)), 'the camera stands still');
    drag([0.7, 0.5], [0.5, 0.5]);
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, cancelable: true }));
    check(!within(difference(snapshot().data, native)), 'the camera goes no nearer');
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: 200, cancelable: true }));
    const around = difference(snapshot().data, native);
    check(within(around), `the camera is not back: ${told(around)}`);

    // Files; what is wrong with one is told, and what was shown remains.
    const title = stats_title();
    await drop(new File(['{"asset": {"version": "2.0"}, "scenes": ['], 'broken.gltf'));
    check(text('message').includes('broken.gltf') && stats_title() === title, `a broken file: ${text('message')}`);
    await drop(new File(['x'], 'picture.bmp'));
    check(text('message').includes('picture.bmp'), `a file of another kind: ${text('message')}`);
    await drop(await fetched('man.glb'));
    check(stats_title() === 'man.glb, 1: feet off, 2: eyes off' && page.nodes() > 1, `man.glb: ${text('message')}`);
    await keep('man.png', snapshot());
    // A file of two parts.
    const bin = new File([new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0])], 'three.bin');
    const uri = { buffers: [{ uri: 'data/three.bin', byteLength: 36 }] };
    const gltf = {
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0, name: 'three corners' }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], bufferViews: [{ buffer: 0, byteLength: 36 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    };
    const main = new File([JSON.stringify({ ...gltf, ...uri })], 'three.gltf');
    await drop(main);
    check(text('message').includes('three.bin'), `a file that lacks another: ${text('message')}`);
    await drop(main, bin);
    check(stats_title() === 'three.gltf', `three.gltf: ${text('message')}`);
    const three = snapshot();
    await keep('three.png', three);
    // Left of the middle, where the longest side is.
    click([0.46, 0.57]);
    check(page.picked()[0] === 'three corners', `picked ${page.picked()[0]}`);
    press('Delete');
    check(!within(difference(snapshot().data, three.data)), 'the triangle was not seen');

    button('army');
    const army = snapshot();
    await keep('army.png', army);
    check(stats_title().startsWith('army of 1000') && !text('message'), `the army: ${text('message')}`);
    let played = 0;
    while (played < 3) played = step().frame;
    check(page.is_playing(), 'the army stands still');
    check(!within(difference(snapshot().data, army.data)), 'the army is not seen to move');

    location.hash = '#army --characters 40 --frames 4 --size 320x180';
    await new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }));
    while (page.is_playing()) step();
    await keep('army-near.png', snapshot());

    // An address that makes no sense is told, and what was shown remains.
    const shown = stats_title();
    location.hash = '#%E0%A4%A';
    await new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }));
    step();
    check(text('message') && stats_title() === shown, 'an address that makes no sense');
}

/** What an element of another page says once that is something. */
async function said_by(address, id) {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
    for (let turn = 0; turn < 2400; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        const told = frame.contentDocument?.getElementById(id)?.textContent;
        if (told && told !== 'loading') {
            frame.remove();
            return told;
        }
    }
    throw new Error(`${address} says nothing`);
}

/** The page where nothing draws, and where WebGL 2 is asked for. */
async function visit_others() {
    const without = await said_by('without.html', 'message');
    check(without.includes('neither WebGPU nor WebGL 2'), `where nothing draws: ${without}`);
    const asked = await said_by('plain.html?webgl#town --people 0 --frames 1 --size 64x64', 'stats');
    check(asked.endsWith(' · WebGL 2'), `where WebGL 2 is asked for: ${asked}`);
}

/** What happens where a graphics card is taken away. */
async function lose() {
    const context = canvas.getContext('webgl2');
    if (!context) return;
    context.getExtension('WEBGL_lose_context').loseContext();
    for (let turn = 0; turn < 400 && !text('message').includes('lost'); turn++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
    }
    check(text('message').includes('has stopped: the graphics context was lost'), `a lost context: ${text('message')}`);
}

let wrong = '';
window.addEventListener('error', (event) => (wrong ||= event.message));
window.addEventListener('unhandledrejection', (event) => (wrong ||= String(event.reason)));
try {
    await visit();
    await visit_others();
    await lose();
} catch (error) {
    wrong = error.message;
}
await send('verdict', wrong || 'ok');

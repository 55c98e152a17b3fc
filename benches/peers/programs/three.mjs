// three.js's side of benches/peers: a tree of Object3Ds, edited and timed on request. The requests are those of osg.cc.
//
//   node --expose-gc three.mjs FOLDER    the folder of the package `three`
//
// Objects do not make their matrices anew by themselves in each frame (`matrixAutoUpdate`): who moves one calls
// `updateMatrix`, as three.js's manual advises for large scenes.

import { readFileSync, readSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = resolve(process.argv[2]);
const { Object3D } = await import(pathToFileURL(join(folder, 'build/three.module.js')));
const { version } = JSON.parse(readFileSync(join(folder, 'package.json')));

/** Numbers of a local transform. */
const LOCAL = 10;

function fill(bytes) {
    for (let at = 0; at < bytes.length; ) {
        const read = readSync(0, bytes, at, bytes.length - at, null);
        if (read === 0) throw new Error('a request ends too early');
        at += read;
    }
    return bytes;
}

function integers(count) {
    return new Uint32Array(fill(new Uint8Array(count * 4)).buffer);
}

function floats(count) {
    return new Float32Array(fill(new Uint8Array(count * 4)).buffer);
}

function answer(numbers) {
    const bytes = new Uint8Array(numbers.buffer);
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

function nanoseconds(work) {
    const start = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - start);
}

function inUse() {
    // The second time for what the first one has found dead beside the heap.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
}

function place(object, locals, at) {
    object.position.set(locals[at], locals[at + 1], locals[at + 2]);
    object.quaternion.set(locals[at + 3], locals[at + 4], locals[at + 5], locals[at + 6]);
    object.scale.set(locals[at + 7], locals[at + 8], locals[at + 9]);
    object.updateMatrix();
}

function build(parents, locals) {
    const objects = [];
    for (let number = 0; number < parents.length; number += 1) {
        const object = new Object3D();
        object.matrixAutoUpdate = false;
        place(object, locals, number * LOCAL);
        if (number > 0) objects[parents[number]].add(object);
        objects.push(object);
    }
    return objects;
}

/** Objects have ids in the order in which they are made. */
function numberOf(object) {
    return object.id - objects[0].id;
}

let objects = [];
/** Kept, so that they are no part of what the tree takes. */
let parents = new Uint32Array();
let all = new Float32Array();
let before = 0;
let listed = [];
let locals = new Float32Array();

const REQUESTS = {
    b(count) {
        parents = integers(count);
        all = floats(count * LOCAL);
        // The first one takes its memory from the system, and is what V8 compiles the code by.
        build(parents, all);
        before = inUse();
        return nanoseconds(() => {
            objects = build(parents, all);
        });
    },
    l(count) {
        listed = Array.from(integers(count), (number) => objects[number]);
        locals = floats(count * LOCAL);
        return 0;
    },
    s() {
        return nanoseconds(() => {
            for (let at = 0; at < listed.length; at += 1) place(listed[at], locals, at * LOCAL);
        });
    },
    u() {
        return nanoseconds(() => objects[0].updateMatrixWorld());
    },
    r(count) {
        const moves = integers(count * 2);
        return nanoseconds(() => {
            for (let at = 0; at < moves.length; at += 2) {
                const object = objects[moves[at]];
                // `add` takes an object from where it was, and leaves it to the caller to say so.
                objects[moves[at + 1]].add(object);
                object.matrixWorldNeedsUpdate = true;
            }
        });
    },
    d(count) {
        const tops = integers(count);
        const taken = Array.from(tops, (top) => objects[top]);
        const took = nanoseconds(() => {
            for (const object of taken) object.removeFromParent();
        });
        // Nobody holds them any more: the collector's work on them is in no figure but by chance.
        for (const top of taken) top.traverse((object) => (objects[numberOf(object)] = undefined));
        return took;
    },
    m() {
        return inUse() - before;
    },
    w() {
        const worlds = new Float32Array(objects.length * 12);
        objects[0].traverse((object) => {
            const { elements } = object.matrixWorld;
            const at = numberOf(object) * 12;
            for (let element = 0; element < 12; element += 1) {
                worlds[at + element] = elements[Math.floor(element / 3) * 4 + (element % 3)];
            }
        });
        return worlds;
    },
};

writeSync(1, `three\tthree.js r${version.split('.')[1]}, node ${process.version}\tv8, doubles\n`);
const request = new Uint8Array(1);
while (readSync(0, request, 0, 1, null) === 1) {
    const [count] = integers(1);
    const done = REQUESTS[String.fromCharCode(request[0])](count);
    answer(typeof done === 'number' ? new Float64Array([done]) : done);
}

// Writes skinned_picks.txt: what SkinnedMesh.raycast of three.js hits on the skinned models of a folder.
//
//   npm install --prefix FOLDER three
//   node skinned_picks.mjs FOLDER/node_modules/three $HEDGEROW_GLTF_DIR/models >skinned_picks.txt
//
// A line has the file, the animation or -, the time, the box that the rays aim at, and what each ray hits:
// NODE.PRIMITIVE.TRIANGLE@DISTANCE, - for nothing, or ? if a ray close by hits another triangle.
import { readFile, readdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join, basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, models] = process.argv.slice(2);
const three = await import(pathToFileURL(join(library, 'build/three.module.js')));
const { GLTFLoader } = await import(pathToFileURL(join(library, 'examples/jsm/loaders/GLTFLoader.js')));
const { AnimationMixer, Box3, LoadingManager, LoopOnce, Raycaster, Vector3 } = three;
const RAYS = 12;
Object.assign(globalThis, { self: globalThis, ProgressEvent: class {} });

async function load(file) {
    const manager = new LoadingManager();
    const data = (name) => `data:;base64,${readFileSync(join(dirname(file), name)).toString('base64')}`;
    manager.setURLModifier((url) => (url.startsWith('data:') ? url : data(decodeURIComponent(url))));
    const bytes = await readFile(file);
    return new GLTFLoader(manager).parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

/** Numbers from 0 to 1 that skinned_picks.rs repeats. */
function dice(state) {
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (state >>> 8) / 16777216;
    };
}

function hits(meshes, origin, direction) {
    const ray = new Raycaster(origin, direction.clone().normalize());
    const [hit] = ray.intersectObjects(meshes, false);
    return hit ? [`${hit.object.userData.part}.${hit.faceIndex}`, hit.distance] : ['-', 0];
}

function pose(gltf, meshes, name, animation, time, seed) {
    gltf.scene.updateMatrixWorld(true);
    const box = new Box3();
    for (const mesh of meshes) {
        mesh.skeleton.update();
        [mesh.boundingSphere, mesh.boundingBox] = [null, null];
        const at = new Vector3();
        for (let n = 0; n < mesh.geometry.attributes.position.count; n++) {
            box.expandByPoint(mesh.getVertexPosition(n, at).applyMatrix4(mesh.matrixWorld));
        }
    }
    const corner = (v) => v.toArray().map((x) => Math.fround(Number(x.toPrecision(5))));
    const [low, high] = [corner(box.min), corner(box.max)];
    const size = Math.max(...high.map((x, axis) => x - low[axis]));
    const share = dice(seed);
    const found = [];
    for (let n = 0; n < RAYS; n++) {
        const away = low.map(() => 2 * share() - 1);
        const far = (2 * size) / Math.max(...away.map(Math.abs));
        const target = new Vector3(...low.map((x, axis) => x + (high[axis] - x) * (0.2 + 0.6 * share())));
        const origin = new Vector3(...away.map((x, axis) => Math.fround((low[axis] + high[axis]) / 2 + x * far)));
        const [what, distance] = hits(meshes, origin, target.clone().sub(origin));
        const near = [0, 1, 2, 3, 4, 5].map((side) => {
            const moved = target.clone();
            moved.setComponent(side >> 1, moved.getComponent(side >> 1) + (side & 1 ? -3e-4 : 3e-4) * size);
            return hits(meshes, origin, moved.sub(origin))[0];
        });
        if (near.some((other) => other !== what)) found.push('?');
        else found.push(what === '-' ? what : `${what}@${Number(distance.toPrecision(6))}`);
    }
    const numbers = [...low, ...high].map((x) => Number(x.toPrecision(5)));
    console.log([name, animation, time, ...numbers, ...found].join(' '));
}

const files = (await readdir(models, { recursive: true })).filter((file) => /\.gl(b|tf)$/.test(file)).sort();
let seed = 0;
for (const file of files) {
    const gltf = await load(join(models, file));
    const meshes = [];
    gltf.scene.traverse((mesh) => {
        if (!mesh.isSkinnedMesh) return;
        const of = (key) => gltf.parser.associations.get(mesh)?.[key] ?? gltf.parser.associations.get(mesh.parent)?.[key];
        mesh.userData.part = `${of('nodes')}.${of('primitives') ?? 0}`;
        meshes.push(mesh);
    });
    if (meshes.length === 0) continue;
    pose(gltf, meshes, basename(file), '-', 0, ++seed);
    for (const [animation, clip] of gltf.animations.entries()) {
        const mixer = new AnimationMixer(gltf.scene);
        const action = mixer.clipAction(clip).setLoop(LoopOnce);
        action.clampWhenFinished = true;
        action.play();
        const time = Math.fround(Number((0.37 * clip.duration).toPrecision(5)));
        mixer.setTime(time);
        pose(gltf, meshes, basename(file), animation, Number(time.toPrecision(5)), ++seed);
        mixer.stopAllAction();
    }
}

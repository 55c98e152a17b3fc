// A glTF file of several that were dropped, with the others in it.

/** Text of an address, without its percent signs; as it is if these make no sense. */
export function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/** Bytes as a data URI. */
function inlined(file) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        const type = file.type || 'application/octet-stream';
        reader.onload = () => resolve(reader.result.replace(/^data:[^;,]*/, `data:${type}`));
        reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
        reader.readAsDataURL(file);
    });
}

/**
 * Reads a .glb or .gltf file. Buffers and images that a .gltf file names must be among the files, whatever their
 * folders are.
 */
export async function joined(files) {
    const main = files.find((file) => /\.(glb|gltf)$/i.test(file.name));
    if (!main) throw new Error(`${files[0].name} is no glTF file: its name must end in .glb or .gltf.`);
    const bytes = new Uint8Array(await main.arrayBuffer());
    if (/\.glb$/i.test(main.name)) return { name: main.name, bytes };
    let gltf;
    try {
        gltf = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
        // The module says what is wrong with it.
        return { name: main.name, bytes };
    }
    const others = new Map(files.map((file) => [file.name, file]));
    for (const part of [...(gltf.buffers ?? []), ...(gltf.images ?? [])]) {
        if (typeof part?.uri !== 'string' || part.uri.startsWith('data:')) continue;
        const name = decoded(part.uri).split('/').pop();
        const file = others.get(name);
        if (!file) throw new Error(`${main.name} needs ${name}: drop both together.`);
        part.uri = await inlined(file);
    }
    return { name: main.name, bytes: new TextEncoder().encode(JSON.stringify(gltf)) };
}

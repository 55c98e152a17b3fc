//! Files whose buffers and images come from a closure, and extensions that the caller handles.

use hedgerow::Scene;
use hedgerow_gltf::{BufferProblem, ImportErrorKind, ImportOptions, Parts, Skipped, WarningKind};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;

/// Returns a point whose buffer and images are separate files.
fn point() -> String {
    json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "buffers": [{"byteLength": 12, "uri": "a%20folder\\x.bin"}],
        "images": [{"uri": "../%C3%A4.png"}, {"uri": "https://example.org/a%20b.png"}, {"uri": "../ä.png"},
            {"uri": "data:,abc"}, {"uri": "none.png"}]
    })
    .to_string()
}

#[test]
fn a_closure_is_asked_once_for_each_buffer_and_image() {
    let mut asked = Vec::new();
    let resolver = |uri: &str| {
        asked.push(uri.to_owned());
        match uri {
            "a folder/x.bin" => Ok(vec![0; 12]),
            "none.png" => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
            _ => Ok(uri.as_bytes().to_vec()),
        }
    };
    let imported = ImportOptions::new().from_slice_with(point().as_bytes(), resolver).unwrap().imported;
    // The URI of a file is a path, and percent signs of an address keep their meaning.
    assert_eq!(asked, ["a folder/x.bin", "../ä.png", "https://example.org/a%20b.png", "none.png"]);
    assert_eq!(imported.vertices(0).unwrap().positions, [[0.0; 3]]);
    let bytes: Vec<&[u8]> = imported.images.iter().map(|image| &image.bytes[..]).collect();
    let picture = "../ä.png".as_bytes();
    assert_eq!(bytes, [picture, b"https://example.org/a%20b.png", picture, b"abc", b""]);
    let problem = BufferProblem::Resolver { uri: "none.png".to_owned(), reason: "entity not found".to_owned() };
    assert_eq!(imported.skipped, [Skipped::Image { image: 4, problem }]);
    assert_eq!(imported.warnings[0].kind, WarningKind::Backslash);

    // Without images, only the buffer is asked for.
    let mut asked = 0;
    let options = ImportOptions::new().with_parts(Parts { images: false, ..Parts::ALL });
    let count = |_: &str| {
        asked += 1;
        Ok::<_, String>(vec![0; 20])
    };
    assert!(options.from_slice_with(point().as_bytes(), count).is_ok());
    assert_eq!(asked, 1);
}

#[test]
fn what_a_closure_refuses_or_cuts_short_refuses_the_file() {
    let mut scene = Scene::new();
    let (root, before) = (scene.root(), scene.to_bytes());
    let mut refusal = |resolver: fn(&str) -> Result<Vec<u8>, &'static str>| {
        let refused = ImportOptions::new().from_slice_into_with(&mut scene, root, point().as_bytes(), resolver);
        refused.map(drop).unwrap_err()
    };
    let error = refusal(|_| Err("no such entry"));
    assert_eq!(error.to_string(), r#"buffer 0: "a folder/x.bin" cannot be read: no such entry"#);
    let ImportErrorKind::Buffer { problem, .. } = error.kind() else { panic!("{error}") };
    let (uri, reason) = ("a folder/x.bin".to_owned(), "no such entry".to_owned());
    assert_eq!(problem, &BufferProblem::Resolver { uri, reason });
    let error = refusal(|_| Ok(vec![0; 7]));
    assert_eq!(error.to_string(), "buffer 0: it has 7 bytes where the file states 12; download or export it again");
    assert!(scene.to_bytes() == before);
}

/// Returns a file that requires an extension, and has its JSON in an item and in a sampler.
fn requiring(name: &str) -> GltfFile {
    GltfFile::new(json!({
        "extensionsUsed": [name, "ACME_other"], "extensionsRequired": [name], "scenes": [{"nodes": [0]}],
        "nodes": [{"extensions": {name: {"a": 1}}}], "samplers": [{"extensions": {name: {"a": 2}}}],
        "textures": [{"sampler": 0}]
    }))
}

#[test]
fn a_required_extension_that_the_caller_handles_is_no_reason_to_refuse() {
    let file = requiring("ACME_gameplay").glb();
    let refused = hedgerow_gltf::from_slice(&file, None).map(drop).unwrap_err();
    assert_eq!(refused.kind(), &ImportErrorKind::UnsupportedExtension("ACME_gameplay".to_owned()));
    let options = ImportOptions::new().with_extensions(&["ACME_gameplay"]);
    let imported = options.from_slice(&file, None).unwrap().imported;
    assert_eq!(imported.skipped, [Skipped::Extension("ACME_other".to_owned())]);
    assert_eq!(imported.nodes[0].extensions["ACME_gameplay"]["a"], 1);
    let [(place, sampler)] = &imported.inner_extensions[..] else { panic!("{:?}", imported.inner_extensions) };
    assert_eq!((place.as_str(), &sampler["ACME_gameplay"]["a"]), ("/samplers/0", &json!(2)));
    let bare = options.with_parts(Parts::NODES).from_slice(&file, None).unwrap().imported;
    assert_eq!(bare.inner_extensions, []);
    // No other extension is accepted.
    assert!(options.from_slice(&requiring("ACME_water").glb(), None).is_err());
}

/// The caller cannot decompress bytes that the import reads.
#[test]
fn compressed_geometry_is_read_with_a_feature_or_refused() {
    for (name, is_on) in [
        ("KHR_draco_mesh_compression", cfg!(feature = "draco")),
        ("EXT_meshopt_compression", cfg!(feature = "meshopt")),
    ] {
        let options = ImportOptions::new().with_extensions(&["KHR_draco_mesh_compression", "EXT_meshopt_compression"]);
        let import = options.from_slice(&requiring(name).glb(), None);
        assert_eq!(import.is_ok(), is_on, "{name}");
        let refused_by_feature = |error: &ImportErrorKind| matches!(error, ImportErrorKind::FeatureOff { .. });
        assert!(import.err().is_none_or(|error| refused_by_feature(error.kind())));
        // A file that does not require it is imported, and the caller learns what was not read.
        let mut file = requiring(name);
        file.json["extensionsRequired"] = json!([]);
        let skipped = options.from_slice(&file.glb(), None).unwrap().imported.skipped;
        assert_eq!(skipped.contains(&Skipped::Extension(name.to_owned())), !is_on, "{name}");
    }
}

/// Pointers to materials are left to a caller that handles the extension.
#[test]
fn a_handled_extension_of_pointers_may_move_anything() {
    let mut file = GltfFile::new(json!({"extensionsRequired": ["KHR_animation_pointer"], "materials": [{}]}));
    let times = file.floats("SCALAR", &[0.0, 1.0]);
    let pointer = json!({"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}});
    file.json["animations"] = json!([{"samplers": [{"input": times, "output": times}],
        "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": pointer}}]}]);
    assert!(hedgerow_gltf::from_slice(&file.glb(), None).is_err());
    let options = ImportOptions::new().with_extensions(&["KHR_animation_pointer"]);
    let imported = options.from_slice(&file.glb(), None).unwrap().imported;
    let (place, target) = &imported.inner_extensions[0];
    assert_eq!(place, "/animations/0/channels/0/target");
    assert_eq!(target["KHR_animation_pointer"]["pointer"], "/materials/0/alphaCutoff");
}

//! References to textures in extensions, and errors of JSON.

use crate::gltf_file::GltfFile;
use hedgerow_gltf::ImportErrorKind;
use serde_json::json;

#[test]
fn references_to_textures_are_read_from_any_json() {
    let imported =
        hedgerow_gltf::from_slice(&GltfFile::new(json!({"textures": [{}, {}]})).glb(), None).unwrap().imported;
    let plain = imported.texture_ref(&json!({"index": 1})).unwrap();
    assert_eq!((plain.texture, plain.texcoord, plain.transform), (1, 0, None));
    let transform = json!({"KHR_texture_transform": {"rotation": 1.5, "texCoord": 3}});
    let moved = imported.texture_ref(&json!({"index": 1.0, "texCoord": 2.0, "extensions": transform})).unwrap();
    let transform = moved.transform.unwrap();
    assert_eq!((moved.texture, moved.texcoord, transform.rotation, transform.scale), (1, 3, 1.5, [1.0, 1.0]));
    for (json, expected) in [
        (json!({}), "the file: index: it must be the index of a texture"),
        (json!([1]), "the file: index: it must be the index of a texture"),
        (json!({"index": -1}), "the file: index: it must be the index of a texture"),
        (json!({"index": 2}), "the file: index is 2, but the file has 2 of these"),
        (json!({"index": 0, "texCoord": "a"}), "the file: texCoord: it must be the number of a set of coordinates"),
        (
            json!({"index": 0, "extensions": {"KHR_texture_transform": {"scale": 1}}}),
            "the file: extensions.KHR_texture_transform: it must have an offset, a rotation and a scale",
        ),
        (
            json!({"index": 0, "extensions": {"KHR_texture_transform": {"rotation": 1e300}}}),
            "the file: extensions.KHR_texture_transform must be finite",
        ),
    ] {
        assert_eq!(imported.texture_ref(&json).unwrap_err().to_string(), expected, "{json}");
    }
}

#[test]
fn errors_of_the_json_name_the_item_and_the_field() {
    for (json, expected) in [
        (
            r#""materials": [{}, {"pbrMetallicRoughness": {"baseColorFactor": "red"}, "name": "bark"}]"#,
            "material 1 \"bark\": pbrMetallicRoughness.baseColorFactor: invalid type: string \"red\"",
        ),
        (r#""animations": [{"samplers": [{"input": []}]}]"#, "animation 0: samplers[0].input: invalid type: sequence"),
        (r#""nodes": [7]"#, "node 0: invalid type: integer `7`"),
        (r#""nodes": 7"#, "nodes: invalid type: integer `7`"),
        (r#""samplers": [{"name": "s", "magFilter": "a"}]"#, "samplers[0].magFilter: invalid type: string \"a\""),
        (r#""nodes": [{"name": "a", "mesh": ]"#, "node 0: mesh: expected value"),
    ] {
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, {json}}}"#);
        let error = hedgerow_gltf::from_slice(text.as_bytes(), None).map(drop).unwrap_err();
        assert!(matches!(error.kind(), ImportErrorKind::Json(_)));
        let expected = format!("the file cannot be read as glTF: {expected}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

//! Errors of JSON.

use hedgerow_gltf::ImportErrorKind;

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

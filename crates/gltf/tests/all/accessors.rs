//! Tests every allowed form of accessors and transforms, and refused forms.

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Aabb, Local, Mat34, Transform};
use hedgerow_gltf::{Import, ImportError, ImportErrorKind, ImportOptions, Parts, Skipped, from_slice};

/// Returns a glTF with one node and one primitive, whose positions are accessor 0 over these bytes.
fn with_accessor(accessor: &str, view: &str, data: &[u8]) -> Vec<u8> {
    let percent: String = data.iter().map(|byte| format!("%{byte:02X}")).collect();
    let length = data.len();
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
        "buffers": [{{"byteLength": {length}, "uri": "data:,{percent}"}}],
        "bufferViews": [{{"buffer": 0, {view}}}],
        "accessors": [{{{accessor}}}]}}"#
    )
    .into_bytes()
}

/// Returns the bounds of the node's drawable.
fn bounds(accessor: &str, view: &str, data: &[u8]) -> Result<Aabb, ImportError> {
    match ImportOptions::new().with_parts(Parts::NODES).from_slice(&with_accessor(accessor, view, data), None) {
        Ok(import) => {
            let node = import.imported.node(0).expect("it is in a scene");
            Ok(import.scene.get(node).unwrap().drawable().expect("its mesh has one primitive").bounds)
        }
        Err(error) => Err(error),
    }
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn aabb(min: [f32; 3], max: [f32; 3]) -> Result<Aabb, ImportError> {
    Ok(Aabb::new(Vec3::from_array(min), Vec3::from_array(max)))
}

#[test]
fn strides_and_offsets_are_followed() {
    let data = floats(&[9.0, 1.0, 2.0, 3.0, 99.0, -1.0, -2.0, -3.0]);
    let accessor = r#""bufferView": 0, "byteOffset": 4, "componentType": 5126, "type": "VEC3", "count": 2"#;
    let expected = aabb([-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]);
    assert_eq!(bounds(accessor, r#""byteLength": 32, "byteStride": 16"#, &data), expected);
    let shifted: Vec<u8> = [[0; 4].to_vec(), data].concat();
    let view = r#""byteOffset": 4, "byteLength": 32, "byteStride": 16"#;
    assert_eq!(bounds(accessor, view, &shifted), expected);
}

#[test]
fn quantised_positions_are_integers_or_fractions() {
    let accessor = |kind: u32, rest: &str| {
        format!(r#""bufferView": 0, "componentType": {kind}, "type": "VEC3", "count": 1{rest}"#)
    };
    let view = r#""byteLength": 6"#;
    let shorts: Vec<u8> = [-32768_i16, 0, 32767].iter().flat_map(|number| number.to_le_bytes()).collect();
    let one = |found: Result<Aabb, ImportError>| {
        let found = found.expect("the accessor is sound");
        assert_eq!(found.min, found.max);
        found.min
    };
    assert_eq!(one(bounds(&accessor(5122, ""), view, &shorts)), Vec3::new(-32768.0, 0.0, 32767.0));
    let normalized = r#", "normalized": true"#;
    assert_eq!(one(bounds(&accessor(5122, normalized), view, &shorts)), Vec3::new(-1.0, 0.0, 1.0));
    let bytes = [0, 51, 255, 0, 0, 0];
    assert_eq!(one(bounds(&accessor(5121, normalized), view, &bytes)), Vec3::new(0.0, 0.2, 1.0));
    assert_eq!(one(bounds(&accessor(5120, ""), view, &bytes)), Vec3::new(0.0, 51.0, -1.0));
    let unsigned = bounds(&accessor(5123, normalized), view, &[0, 0, 255, 255, 0, 0]);
    assert_eq!(one(unsigned), Vec3::new(0.0, 1.0, 0.0));
    // Declared bounds are given as stored.
    let declared = accessor(5121, r#", "normalized": true, "min": [0, 0, 51], "max": [255, 255, 255]"#);
    assert_eq!(bounds(&declared, view, &bytes), aabb([0.0, 0.0, 0.2], [1.0, 1.0, 1.0]));
}

/// Returns a sparse accessor of `count` elements over a base or zeros; `values` replace the elements at `indices`.
fn sparse(count: u64, indices: &[u8], values: &[f32], base: Option<&[f32]>) -> Result<Aabb, ImportError> {
    let (index_end, value_end) = (indices.len(), indices.len() + 4 * values.len());
    let data = [indices.to_vec(), floats(values), floats(base.unwrap_or_default())].concat();
    let length = data.len();
    let base = base.map_or(String::new(), |_| format!(r#""bufferView": 0, "byteOffset": {value_end}, "#));
    let accessor = format!(
        r#"{base}"componentType": 5126, "type": "VEC3", "count": {count}, "sparse": {{"count": {index_end},
        "indices": {{"bufferView": 0, "componentType": 5121}},
        "values": {{"bufferView": 0, "byteOffset": {index_end}}}}}"#
    );
    bounds(&accessor, &format!(r#""byteLength": {length}"#), &data)
}

#[test]
fn sparse_values_replace_what_they_stand_for() {
    let base = [100.0, 100.0, 100.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let over_base = sparse(3, &[0], &[2.0, 3.0, 4.0], Some(&base));
    assert_eq!(over_base, aabb([0.0; 3], [2.0, 3.0, 4.0]));
    assert_eq!(sparse(9, &[1, 4], &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0], None), aabb([0.0; 3], [5.0, 6.0, 7.0]));
    assert_eq!(sparse(1, &[0], &[2.0, 3.0, 4.0], None), aabb([2.0, 3.0, 4.0], [2.0, 3.0, 4.0]));
    // A huge count costs nothing if all other elements are zero.
    assert_eq!(sparse(u64::MAX, &[7], &[-1.0, 3.0, 4.0], None), aabb([-1.0, 0.0, 0.0], [0.0, 3.0, 4.0]));
    assert_eq!(sparse(0, &[], &[], None), Ok(Aabb::EMPTY));
}

#[test]
fn sparse_indices_that_make_no_sense_are_refused() {
    for (count, indices) in [(2, [1, 0]), (2, [1, 1]), (2, [0, 2]), (0, [0, 1])] {
        let error = sparse(count, &indices, &[0.0; 6], None).unwrap_err();
        let expected = "accessor 0: the indices of a sparse accessor must rise and be below its count";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn accessors_that_reach_too_far_or_mean_nothing_are_refused_by_name() {
    let data = [0; 24];
    let whole = r#""byteLength": 24"#;
    for (accessor, view, expected) in [
        (
            r#""bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3"#,
            whole,
            "accessor 0 needs 36 bytes of its buffer view, which has 24",
        ),
        (
            r#""bufferView": 0, "byteOffset": 1, "componentType": 5126, "type": "VEC3", "count": 2, "name": "p""#,
            whole,
            "accessor 0 \"p\" needs 25 bytes of its buffer view, which has 24",
        ),
        (
            r#""bufferView": 0, "byteOffset": 18446744073709551615, "componentType": 5126, "type": "VEC3",
            "count": 18446744073709551615"#,
            whole,
            "accessor 0 needs 239807672958224170995 bytes of its buffer view, which has 24",
        ),
        (
            r#""bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 9"#,
            r#""byteLength": 24, "byteStride": 4"#,
            "accessor 0: the stride of its buffer view is less than the size of an element",
        ),
        (
            r#""bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3"#,
            r#""byteLength": 36"#,
            "buffer view 0 needs 36 bytes of its buffer, which has 24",
        ),
        (
            r#""bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1"#,
            r#""byteOffset": 18446744073709551615, "byteLength": 18446744073709551615"#,
            "buffer view 0 needs 36893488147419103230 bytes of its buffer, which has 24",
        ),
        (
            r#""bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 1"#,
            whole,
            "accessor 0: bufferView is 1, but the file has 1 of these",
        ),
        (
            r#""componentType": 5126, "type": "VEC3", "count": 1, "sparse": {"count": 1,
            "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 2}}"#,
            whole,
            "accessor 0: sparse.values.bufferView is 2, but the file has 1 of these",
        ),
        (
            r#""bufferView": 0, "componentType": 5124, "type": "VEC3", "count": 1"#,
            whole,
            "accessor 0: unknown component type",
        ),
        (r#""bufferView": 0, "componentType": 5126, "type": "VEC5", "count": 1"#, whole, "accessor 0: unknown type"),
        (
            r#""bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 1"#,
            whole,
            "accessor 0: positions must be of type VEC3",
        ),
        (
            r#""bufferView": 0, "componentType": 5125, "type": "VEC3", "count": 1"#,
            whole,
            "accessor 0: positions must be floats or integers of 8 or 16 bits",
        ),
    ] {
        assert_eq!(bounds(accessor, view, &data).unwrap_err().to_string(), expected);
    }
    let lost = bounds(
        r#""bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1"#,
        r#""byteLength": 12, "buffer": 1"#,
        &data,
    );
    assert!(lost.is_err());
}

#[test]
fn primitives_name_materials_and_accessors_that_are_there() {
    let refusal = |primitive: &str| {
        let text =
            format!(r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"name": "m", "primitives": [{primitive}]}}]}}"#);
        from_slice(text.as_bytes(), None).map(|_| ()).unwrap_err().to_string()
    };
    let expected = |field: &str| format!("mesh 0 \"m\": primitives[0].{field} is 5, but the file has 0 of these");
    assert_eq!(refusal(r#"{"attributes": {"POSITION": 5}}"#), expected("attributes.POSITION"));
    assert_eq!(refusal(r#"{"attributes": {"TEXCOORD_0": 5}}"#), expected("attributes.TEXCOORD_0"));
    assert_eq!(refusal(r#"{"attributes": {}, "indices": 5}"#), expected("indices"));
    assert_eq!(refusal(r#"{"attributes": {}, "material": 5}"#), expected("material"));
}

#[test]
fn primitives_become_drawables_with_ids_and_materials() {
    let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"name": "s", "nodes": [0]}],
        "nodes": [{"name": "two", "mesh": 1, "children": [1, 2]}, {"name": "one", "mesh": 2}, {"name": "none", "mesh": 0}],
        "meshes": [
            {"primitives": []},
            {"primitives": [{"attributes": {"POSITION": 0}, "material": 1}, {"attributes": {}},
                {"attributes": {"POSITION": 0}}]},
            {"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{}, {}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "min": [0, 0, 0], "max": [1, 1, 1]}]}"#;
    let import = from_slice(text, None).expect("the file is sound");
    let (scene, imported) = (&import.scene, &import.imported);
    let first = &imported.scenes[0];
    let [two, one, none] = [0, 1, 2].map(|index| first.node(index).expect("it is in the scene"));

    let children: Vec<_> = scene.children(two).collect();
    assert_eq!(children[2..], [one, none]);
    assert!(first.drawables_of(0).iter().map(|drawable| drawable.handle).eq(children[..2].iter().copied()));
    assert_eq!(first.drawables_of(1).len(), 1);
    assert_eq!(first.drawables_of(1)[0].handle, one);
    assert!(first.drawables_of(2).is_empty());

    let drawn = |node| {
        (
            scene.get(node).and_then(|node| node.drawable()).map(|drawable| drawable.mesh),
            scene.get(node).and_then(|node| node.own_material()),
        )
    };
    assert_eq!(drawn(two), (None, None));
    assert_eq!(drawn(children[0]), (Some(0), Some(1)));
    assert_eq!(drawn(children[1]), (Some(2), Some(imported.default_material)));
    assert_eq!(drawn(one), (Some(3), Some(0)));
    assert_eq!(drawn(none), (None, None));
    assert_eq!(imported.default_material, 2);
    assert_eq!(imported.skipped, [Skipped::Primitive { mesh: 1, primitive: 1 }]);
    let ids: Vec<_> = (0..5).map(|id| imported.mesh_ids.primitive(id)).collect();
    assert_eq!(ids, [Some((1, 0)), Some((1, 1)), Some((1, 2)), Some((2, 0)), None]);
    assert_eq!((imported.mesh_ids.id(0, 0), imported.mesh_ids.id(1, 3)), (None, None));
}

#[test]
fn transforms_arrive_as_the_file_has_them() {
    let json = br#"{"asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, 1, 2, 3]}], "nodes": [
            {"translation": [0.1, -3.3e-20, 7e9], "rotation": [0.5, -0.5, 0.5, 0.5], "scale": [-2, 0, 1e-9]},
            {"matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1]},
            {"matrix": [-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 4, 5, 6, 1]},
            {}]}"#;
    let Import { scene, imported, .. } = from_slice(json, None).expect("the file is sound");
    let local = |index| imported.node(index).and_then(|node| scene.local(node)).expect("it has a transform");
    let exact = Transform {
        translation: Vec3::new(0.1, -3.3e-20, 7e9),
        rotation: Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
        scale: Vec3::new(-2.0, 0.0, 1e-9),
    };
    assert_eq!(local(0), Local::Transform(exact));
    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]] };
    assert_eq!(local(1), Local::Matrix(sheared));
    let mirrored = local(2).transform().expect("a mirror is a negative scale");
    assert_eq!(mirrored.to_matrix().determinant(), -8.0);
    assert_eq!(local(3), Local::Transform(Transform::IDENTITY));
}

#[test]
fn what_is_named_again_and_again_has_a_limit() {
    // A file with two skinned nodes that share a mesh with two targets. Two animations move the first node's weights.
    let text = r#"{"asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "skin": 0}, {"mesh": 0, "skin": 0}, {}], "skins": [{"joints": [2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}, {"POSITION": 0}]}]}],
        "animations": [
            {"samplers": [{"input": 1, "output": 2}], "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]},
            {"samplers": [{"input": 1, "output": 2}], "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 9},
            {"componentType": 5126, "type": "SCALAR", "count": 1}, {"componentType": 5126, "type": "SCALAR", "count": 2}],
        "buffers": [{"byteLength": 9, "uri": "data:,123456789"}]}"#;
    // Each refusal says how many bytes the file needs up to an item. With as many, the next item is refused.
    let (mut most, mut refused) = (0, Vec::new());
    while let Err(error) = ImportOptions::new().with_max_bytes(most).from_slice(text.as_bytes(), None).map(drop) {
        let ImportErrorKind::TooManyBytes { item, bytes, .. } = error.kind() else { panic!("{error}") };
        refused.push(item.to_string());
        assert!(*bytes > most, "{error}");
        most = *bytes;
    }
    refused.dedup();
    let expected = [
        "the file",
        "node 0",
        "node 1",
        "accessor 1",
        "animation 0",
        "accessor 2",
        "animation 0",
        "accessor 1",
        "animation 1",
        "accessor 2",
        "animation 1",
        "accessor 0",
    ];
    assert_eq!(refused, expected);
}

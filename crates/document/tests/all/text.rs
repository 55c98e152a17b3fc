//! Libraries and patches as text.

use crate::random::{NAMES, edits, library, run_corpus, seeds};
use fastrand::Rng;
use hedgerow_document::{Field, Key, Library, Order, Patch, Path, Spot, Value};
use hedgerow_testkit::drivers;

fn read(definitions: &str) -> Result<Library, String> {
    let text = format!(r#"{{"hedgerow": 1, "definitions": {{{definitions}}}}}"#);
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

#[test]
fn any_library_and_any_patch_are_read_as_they_were_written() {
    for seed in seeds(80) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let text = serde_json::to_string_pretty(&base).unwrap();
        for again in [serde_json::from_str(&text).unwrap(), serde_json::from_reader(text.as_bytes()).unwrap()] {
            assert_eq!(again, base, "{seed}: {text}");
            let next = |library: &Library| {
                NAMES.map(|name| library.next_id(name) * u64::from(text.contains(&format!("{name:?}: "))))
            };
            assert_eq!(next(&again), next(&base), "{seed}");
        }
        drivers::library::hold(&base);
        drivers::library::hold_patch(&edits(rng, &base, 12, true));
    }
}

#[test]
fn a_library_is_read_by_hand() {
    let text = r#"
        "wheel": {"nodes": [{"id": 0, "name": "wheel", "material": 1}, {"id": 1, "parent": 0}, {"id": 2, "parent": 0}]},
        "car": {"nodes": [{"parent": 0, "id": 1, "use": "wheel", "transform": {"translation": [1, 0, 1]}}, {"id": 0},
                          {"id": 3, "parent": [2, 1]}, {"id": 2, "parent": 0, "order": 0.1000000001},
                          {"id": 4, "parent": 0}],
                "overrides": [{"at": [1, 1], "material": null, "visibility": null, "own": {"7": "00Ff", "8": null}},
                              {"at": [2, 2], "removed": true}, {"at": [1, 2], "parent": [1, 1]},
                              {"at": 9, "transform": null}],
                "next_id": [12, 281474976710661]}"#;
    let mut library = read(text).unwrap();
    let value = |path: &[u64], field| library.get(&Key::new("car", Path::of(path).unwrap(), field)).cloned();
    let order = |id| value(&[id], Field::Place).unwrap();
    let place = |parent: &[u64], order| Value::Place(Some(Spot { parent: Path::of(parent), order }));
    assert_eq!(order(1), place(&[0], Order::ZERO));
    assert_eq!(order(2), place(&[0], Order::from(104_858.0 / 1_048_576.0)), "the nearest multiple of 2^-20");
    assert_eq!(order(4), place(&[0], Order::from(1_153_434.0 / 1_048_576.0)), "one more than the previous sibling's");
    assert_eq!(value(&[1, 1], Field::Visibility), Some(Value::Visibility(hedgerow::Visibility::Inherited)));
    assert_eq!(value(&[1, 1], Field::Own(7)), Some(Value::Own(7, Some([0, 255].into()))));
    assert_eq!(value(&[1, 1], Field::Own(8)), Some(Value::Own(8, None)));
    assert_eq!(value(&[2, 2], Field::Place), Some(Value::Place(None)));
    assert_eq!(value(&[9], Field::Local), Some(Value::Local(None)));
    let text = serde_json::to_string(&library).unwrap();
    // Depth first, and without orders that follow from the list.
    for written in [
        r#"[{"id":0},{"id":1,"parent":0,"use":"wheel","transform":{"translation":[1.0,0.0,1.0],"#,
        r#"},{"id":2,"parent":0,"order":0.10000038146972656},{"id":3,"parent":[2,1]},{"id":4,"parent":0}],"#,
        r#""overrides":[{"at":9,"transform":null},{"at":[1,1],"#,
        r#""next_id":[12,281474976710661]"#,
    ] {
        assert!(text.contains(written), "{text}");
    }
    library.set_writer(1);
    assert_eq!((library.next_id("car"), library.next_id("wheel")), (281_474_976_710_661, 1 << 48));
}

#[test]
fn what_is_no_library_is_refused_with_its_definition_and_node() {
    let node = |node: &str| format!(r#""a": {{"nodes": [{{"id": 0}}, {{"id": 5, "parent": 0, {node}}}]}}"#);
    let over = |node: &str| format!(r#""a": {{"nodes": [{{"id": 0}}], "overrides": [{{"at": [5, 1], {node}}}]}}"#);
    for (definitions, error) in [
        (r#""a": {"nodes": [{"id": 5}, {"id": 5, "parent": 5}]}"#.into(), r#""a", node 5, field Place: two entries"#),
        (r#""a": {"nodes": []}"#.into(), r#""a", node 0, field Place: the definition has no root"#),
        (
            r#""a": {"nodes": [{"id": 5, "parent": 5}]}"#.into(),
            r#""a", node 5, field Place: the definition has no root"#,
        ),
        (r#""a": {"nodes": [{"id": 5}, {"id": 6}]}"#.into(), "the definition has two roots"),
        (r#""a": {"nodes": [{"id": 5}]}, "a": {"nodes": [{"id": 5}]}"#.into(), r#""a" is there twice"#),
        (
            r#""a": {"nodes": [{"id": 5, "use": "b"}]}, "b": {"nodes": [{"id": 6, "use": "a"}]}"#.into(),
            "contain itself",
        ),
        (r#""a": {"nodes": [{"at": 5}]}"#.into(), "a node has an `id`"),
        (node(r#""at": 5"#), r#""a", node 5, field Place: a node has an `id`"#),
        (node(r#""colour": 5"#), "unknown field `colour`"),
        (node(r#""removed": true"#), r#""a", node 5, field Place: a removed node has no place"#),
        (node(r#""transform": {"rotation": [0, 0, 0, 0]}"#), r#""a", node 5, field Local: "#),
        (
            node(r#""transform": null, "matrix": null"#),
            r#""a", node 5, field Place: the node has a transform and a matrix"#,
        ),
        (node(r#""own": {"3": "0"}"#), "two hexadecimal digits each"),
        (node(r#""own": {"3": "00", "3": "00"}"#), "3 is there twice"),
        (node(r#""own": {"65536": null}"#), "65536"),
        (node(r#""use": 7"#), "invalid type"),
        (over(r#""parent": []"#), r#""a", node 5/1, field Place: a path has at least one id"#),
        (over(r#""parent": "x""#), "expected an id or a list of ids"),
        (over(r#""parent": null"#), r#""a", node 5/1, field Place: an override cannot make a node a root"#),
        (over(r#""order": 3"#), r#""a", node 5/1, field Place: an order is of no use"#),
        (over(r#""id": 3"#), "a node has an `id`"),
        (over(r#""parent": 281474976710655"#), "an id is too large"),
    ] {
        let refused = read(&definitions).expect_err(&definitions);
        assert!(refused.contains(error), "{definitions}: {refused}");
    }
    let refused = |text: &str| serde_json::from_str::<Library>(text).unwrap_err().to_string();
    // The number comes first, so that what is newer is not refused for what is new.
    assert!(refused(r#"{"hedgerow": 2, "new": 1}"#).contains("version 2 is newer"));
    let patch = |entry: &str| {
        let text = format!(r#"{{"hedgerow": 1, "entries": [{{"definition": "a", "at": [5, 1], {entry}}}]}}"#);
        serde_json::from_str::<Patch>(&text).unwrap_err().to_string()
    };
    assert!(patch(r#""after": {"at": 1}"#).contains(r#""a", node 5/1, field Place: the path is beside"#));
    assert!(patch(r#""before": {"order": 1}"#).contains(r#""a", node 5/1, field Place: an order is of no use"#));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn kept_text_is_safe() {
    run_corpus("library_text", drivers::library::text);
}

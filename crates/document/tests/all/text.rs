//! Libraries and patches as text.

use crate::random::{edits, library, seeds};
use fastrand::Rng;
use hedgerow_document::{Field, Key, Library, Patch, Path, Value};

fn read(text: &str) -> Library {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn any_library_and_any_patch_are_read_as_they_were_written() {
    for seed in seeds(200) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let text = serde_json::to_string_pretty(&base).unwrap();
        for again in [read(&text), serde_json::from_reader(text.as_bytes()).unwrap()] {
            assert_eq!(again, base, "{seed}: {text}");
            assert_eq!(serde_json::to_string_pretty(&again).unwrap(), text);
            let next = |library: &Library| crate::random::NAMES.map(|name| library.next_id(name));
            for (name, (again, base)) in crate::random::NAMES.iter().zip(next(&again).into_iter().zip(next(&base))) {
                assert!(again == base || base > again && !text.contains(&format!("{name:?}")), "{seed} {name}");
            }
        }
        let patch = edits(rng, &base, 12, true);
        let text = serde_json::to_string(&patch).unwrap();
        assert_eq!(serde_json::from_str::<Patch>(&text).unwrap(), patch, "{seed}: {text}");
        assert_eq!(serde_json::from_slice::<Patch>(text.as_bytes()).unwrap(), patch);
    }
}

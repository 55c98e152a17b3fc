//! The laws of patches, by random tables.

use crate::operations::{applied, street};
use crate::random::{edits, library, seeds};
use fastrand::Rng;
use hedgerow::{Node, Tree};
use hedgerow_document::{Error, Field, Patch, Spot, Value};
use hedgerow_testkit::drivers;

#[test]
fn disjoint_patches_commute() {
    let mut compared = 0;
    for seed in seeds(100) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let (first, mut second) = (edits(rng, &base, 8, true), edits(rng, &base, 8, true));
        second.retain(|entry| first.get(&entry.key).is_none());
        let one = applied(&base, &first).and_then(|library| applied(&library, &second));
        let other = applied(&base, &second).and_then(|library| applied(&library, &first));
        // Without a part, a patch may leave a definition without a root.
        if let (Ok(one), Ok(other)) = (one, other) {
            assert_eq!(one, other, "{seed}");
            compared += usize::from(!second.is_empty());
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn patches_join_as_they_are_applied() {
    for seed in seeds(100) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let (mut states, mut patches) = (vec![base], Vec::new());
        for count in 1..5 {
            let last = &states[states.len() - 1];
            patches.push(edits(rng, last, count, true));
            states.push(applied(last, &patches[patches.len() - 1]).unwrap());
        }
        let [a, b, c, d] = &patches[..] else { unreachable!() };
        let joined = Patch::join(&patches).unwrap();
        assert_eq!(a.then(b).unwrap().then(c), a.then(&b.then(c).unwrap()), "{seed}");
        assert_eq!(a.then(b).and_then(|ab| ab.then(c)).and_then(|abc| abc.then(d)), Ok(joined.clone()));
        assert_eq!(joined, Patch::between(&states[0], &states[4]));
        assert_eq!(joined.inverse().inverse(), joined);
        assert_eq!(applied(&states[4], &joined.inverse()).as_ref(), Ok(&states[0]));
        assert_eq!(applied(&states[0], &joined).as_ref(), Ok(&states[4]));
        if !b.is_empty() {
            assert!(matches!(b.then(b), Err(Error::State(_))), "{seed}");
            assert!(matches!(applied(&states[2], b), Err(Error::State(_))));
        }
    }
}

#[test]
fn what_is_retained_is_refused_only_for_its_uses_and_roots() {
    let mut refused = [0; 2];
    for seed in seeds(400) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let mut patch = edits(rng, &base, 20, false);
        patch.retain(|entry| rng.bool() && (seed % 2 == 0 || entry.after.is_some()));
        let uses = patch.entries().iter().any(|entry| matches!(entry.after, Some(Value::Use(Some(_)))));
        match applied(&base, &patch) {
            Ok(library) => assert_eq!(applied(&library, &patch.inverse()), Ok(base), "{seed}"),
            Err(Error::Use { .. }) if uses => refused[0] += 1,
            Err(Error::Invalid { why, .. }) if why.contains("root") => refused[1] += 1,
            Err(error) => panic!("{seed}: {error}"),
        }
    }
    assert!(refused.iter().all(|&count| count > 0), "{refused:?}");
}

#[test]
fn a_definition_that_is_made_again_gives_the_ids_that_its_file_gives() {
    let (mut library, mut tree) = (street(), Tree::new());
    tree.push(None, Node::group());
    library.apply(&library.place("street", Spot::below(0, 9.0), "wheel", Node::group()).unwrap()).unwrap();
    library.apply(&library.unstate("street", &0.into(), &[Field::Place])).unwrap();
    let (mut follower, again) = (library.clone(), library.define("street", &tree).unwrap());
    library.apply(&again).unwrap();
    drivers::library::follow(&mut follower, &again, &library);
}

//! Internals of the feed; the results of reads are tested against a model in `tests/all`.

use super::{ChangeLists, ReadScratch};
use crate::store::change_kinds::ChangeKinds;
use crate::store::inbox::MOST_KEPT;
use crate::store::record::RecordId;
use crate::store::{Position, Store};
use crate::{Node, SceneConfig, Transform};

#[test]
fn removals_are_noted_up_to_the_history_if_nobody_updates() {
    let mut store = Store::new(SceneConfig { changes: true, change_history: 100, ..SceneConfig::DEFAULT });
    let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
    for (rounds, reported) in [(MOST_KEPT, true), (MOST_KEPT + 1, false), (100_000, false)] {
        store.update();
        let frame = store.updates();
        for _ in 0..rounds {
            let node = store.nodes.insert(Position::last_of(RecordId::ROOT), &Node::group()).unwrap();
            store.remove(node.record());
        }
        assert!(store.nodes.inbox.bytes() + store.change_bytes() < 200_000);
        store.update();
        let whole = store.read_changes(Some(frame), ChangeKinds::ALL, &mut lists, &mut scratch);
        assert_eq!((whole, lists.removed.len()), (!reported, if reported { rounds } else { 0 }));
        let after = store.updates();
        assert!(!store.read_changes(Some(after), ChangeKinds::ALL, &mut lists, &mut scratch));
        assert_eq!(store.validate(), Ok(1));
    }
}

#[test]
fn frames_of_slots_begin_again_before_their_numbers_end() {
    let mut store = Store::new(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    store.update.clock.updates = u64::from(u32::MAX) - 5;
    let mut place =
        || store.nodes.insert(Position::last_of(RecordId::ROOT), &Node::transform(Transform::IDENTITY)).unwrap();
    let [mover, rests] = [place(), place()];
    store.update();
    store.nodes.set_plain(rests, &Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    store.update();
    let (first, mut last) = (store.updates(), store.updates());
    let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
    for x in [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0] {
        store.nodes.set_plain(mover, &Transform::from_xyz(x, 0.0, 0.0)).unwrap();
        store.update();
        let mut read = |after| store.read_changes(Some(after), ChangeKinds::ALL, &mut lists, &mut scratch);
        let begins_again = store.updates() == u64::from(u32::MAX);
        assert_eq!(read(first), store.updates() >= u64::from(u32::MAX), "at {x}");
        assert_eq!(read(last), begins_again, "at {x}");
        if !begins_again {
            assert_eq!((&*lists.moved, &*lists.locals), (&[mover][..], &[mover][..]), "at {x}");
        }
        last = store.updates();
        assert_eq!(store.validate(), Ok(3));
    }
    assert!(last > u64::from(u32::MAX) && store.nodes.resolve(rests).is_some());
}

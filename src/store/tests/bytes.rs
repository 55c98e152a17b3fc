use crate::bytes::{BytesError, Reader, Writer};
use crate::handle::MAX_GENERATION;
use crate::store::page::Pages;
use crate::store::record::{Link, RecordId};
use crate::store::{Image, RECORDS, Store};
use hedgerow_math::internal::file_header::HEADER_BYTES;

fn saved(store: &Store) -> Vec<u8> {
    let mut out = Writer::new();
    store.write_image(&mut out);
    out.as_bytes()[HEADER_BYTES..].to_vec()
}

fn loaded(bytes: &[u8]) -> Result<Store, BytesError> {
    let mut from = Reader::new(bytes);
    let image = Image::read(&mut from)?;
    from.finish()?;
    Ok(image.into_store(None)?)
}

#[test]
fn links_that_form_no_trees_are_refused() {
    let mut store = Store::new(crate::SceneConfig::DEFAULT);
    let mut above = RecordId::ROOT;
    let mut chain = Vec::new();
    for _ in 0..4 {
        let at = crate::store::Position::last_of(above);
        above = store.nodes.insert(at, &crate::Node::group()).unwrap().record();
        chain.push(above);
    }
    let refusal = |link: Link, of: usize, to: RecordId| {
        let mut broken = store.clone();
        broken.nodes.pages.record_mut(chain[of]).set_link(link, to);
        loaded(&saved(&broken)).map(drop)
    };
    let elsewhere = Err(BytesError::invalid("a link leads to a node that is elsewhere, or to none"));
    // A cycle; a node that is its own sibling; a node that is its own child; a node with two parents. Then links to the
    // root, the limbo, and records without a node.
    assert_eq!(refusal(Link::First, 3, chain[0]), elsewhere);
    assert_eq!(refusal(Link::Next, 1, chain[1]), elsewhere);
    assert_eq!(refusal(Link::First, 2, chain[2]), elsewhere);
    assert_eq!(refusal(Link::Next, 1, chain[3]), elsewhere);
    for to in [RecordId::ROOT, RecordId::LIMBO, RecordId(6), RecordId(1023), RecordId(1 << 31)] {
        assert_eq!(refusal(Link::Next, 0, to), elsewhere);
    }
    // The cycle is apart from the tree.
    assert_eq!(
        refusal(Link::First, 0, RecordId::NIL),
        Err(BytesError::invalid("a node is neither in the tree nor detached"))
    );
    // The root takes the place of the node that is not reached, so that the count of nodes is right.
    _ = store.remove(chain[1]);
    store.nodes.pages.record_mut(RecordId::ROOT).set_link(Link::First, RecordId::NIL);
    store.nodes.pages.record_mut(RecordId::LIMBO).set_link(Link::First, RecordId::ROOT);
    assert_eq!(loaded(&saved(&store)).map(drop), elsewhere);
}

#[test]
fn states_and_free_lists_that_were_not_written_are_refused() {
    const LIMBO: u32 = (1 << 31) - 2;
    // The root, the limbo, a free record, a retired one, a live one of the last generation, and another free one.
    let states = [1, LIMBO, 2, 0, MAX_GENERATION, MAX_GENERATION - 1];
    let restored = |states: &[u32], free: &[u32]| Pages::restored(states, free).map(drop);
    for free in [[2, 5], [5, 2]] {
        let pages = Pages::restored(&states, &free).unwrap();
        assert_eq!(pages.free_list().map(RecordId::number).collect::<Vec<_>>(), free);
        assert_eq!((pages.len(), pages.retired(), pages.room()), (2, 1, RECORDS.get() as usize - 6 + 2));
    }
    // Lists that are too short, repeat a record, or have one that is retired, live, the limbo, the root or too large.
    let lists = [&[][..], &[2], &[2, 2], &[5, 5], &[2, 5, 2], &[2, 3], &[3, 3], &[2, 4], &[2, 1], &[0, 2], &[2, 6]];
    for free in lists {
        assert!(restored(&states, free).is_err(), "{free:?} is no list of what is free");
    }
    for state in [LIMBO, MAX_GENERATION + 1, MAX_GENERATION + 2, u32::MAX, 1 << 31] {
        assert!(restored(&[1, LIMBO, state], &[]).is_err(), "there is no state {state}");
        assert!(restored(&[1, LIMBO, state], &[2]).is_err(), "there is no state {state}");
    }
}

#[test]
fn a_remainder_of_another_translation_is_refused() {
    let mut scene = crate::Scene::new();
    let node = crate::Node::transform(crate::Transform::IDENTITY).with_translation_f64(glam::DVec3::splat(0.1));
    let id = scene.insert(scene.root(), node).unwrap().record();
    assert!(loaded(&saved(&scene.store)).is_ok());
    scene.store.nodes.components.remainder.insert(id, glam::Vec3::ONE);
    let refused = Err(BytesError::invalid("a translation in double precision is not normalised"));
    assert_eq!(loaded(&saved(&scene.store)).map(drop), refused);
}

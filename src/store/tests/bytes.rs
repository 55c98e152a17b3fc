use crate::record::{BytesError, Reader, Writer};
use crate::store::record::{Link, RecordId};
use crate::store::{Image, Store};
use hedgerow_math::internal::file_header::HEADER_BYTES;

fn saved(store: &Store) -> Vec<u8> {
    let mut out = Writer::new();
    store.write_image(&mut out);
    out.into_bytes().split_off(HEADER_BYTES)
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
        above = store.insert(at, &crate::Node::group()).unwrap().record();
        chain.push(above);
    }
    let refusal = |link: Link, of: usize, to: RecordId| {
        let mut broken = store.clone();
        broken.pages.record_mut(chain[of]).set_link(link, to);
        loaded(&saved(&broken)).map(drop)
    };
    let elsewhere = Err(BytesError::invalid("a link leads to a node that is elsewhere, or to none"));
    // A cycle, the node's own sibling and child, two parents, the root and the detached list below a node, a free
    // record.
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
}

//! Queued edits.

mod whole;

use hedgerow::{
    Error, Keep, Node, NodeHandle, Place, Scene, Transform, Tree, ViewRange,
    edit::{Change, Edit, EditQueue, LocalForm, Outcome},
};

fn group(scene: &mut Scene, parent: NodeHandle, name: &str) -> NodeHandle {
    scene.insert(parent, Node::group().named(name)).unwrap()
}

fn child_names(scene: &Scene, node: NodeHandle) -> Vec<&str> {
    scene.children(node).map(|child| scene.get(child).and_then(|node| node.name()).unwrap_or("-")).collect()
}

#[test]
fn results_come_in_the_order_of_recording_and_the_queue_is_empty_then() {
    let mut scene = Scene::new();
    let root = scene.root();
    let shed = scene.insert(root, Node::group()).unwrap();
    let mut queue = EditQueue::new();
    assert!(queue.is_empty());
    let house = queue.insert(Place::Before(shed), Node::transform(Transform::IDENTITY));
    assert_eq!((queue.len(), queue.is_empty()), (1, false));
    let range = ViewRange::new(1.0, 9.0).unwrap();
    for change in [Change::UserData(17), Change::UserData(18), Change::ViewRange(Some(range))] {
        queue.push(Edit::change(house, change));
    }
    queue.push(Edit::reparent(house, root, Keep::Local));
    queue.push(Edit::reparent(shed, house, Keep::Local));
    queue.push(Edit::remove(shed));
    assert_eq!(queue.len(), 7);
    let results = queue.apply(&mut scene).to_vec();
    let house = queue.inserted(house).unwrap();
    let (moved, changed) = (Outcome::Moved(Some(LocalForm::Transform)), Outcome::Changed);
    let removed = Outcome::Removed(1);
    let expected = [Outcome::Inserted(house), changed, changed, changed, moved, Outcome::Moved(None), removed];
    assert_eq!(results, expected.map(Ok));
    let node = Node::transform(Transform::IDENTITY).with_user_data(18).with_view_range(range);
    assert_eq!(scene.get(house).unwrap().node(), node);
    assert!(scene.children(root).eq([house]) && queue.is_empty());
    assert_eq!(queue.apply(&mut scene), []);
}

#[test]
fn a_ticket_gives_the_nodes_of_its_own_subtree() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut tree = Tree::new();
    let car = tree.push(None, Node::material(2));
    let wheel = tree.push(Some(car), Node::material(1));
    let mut queue = EditQueue::new();
    let house = queue.insert(root, Node::group());
    let built = queue.insert_tree(house, tree.clone());
    let again = queue.insert_tree(built, tree);
    let none = queue.insert_tree(built, Tree::new());
    queue.push(Edit::remove(none));
    let results = queue.apply(&mut scene);
    assert_eq!(results[3..], [Ok(Outcome::InsertedTree(None)), Err(Error::UnknownTicket(none))]);
    for ticket in [built, again] {
        let nodes = queue.inserted_tree(ticket).unwrap();
        assert_eq!((nodes.len(), queue.inserted(ticket)), (2, Some(nodes[car])));
        assert_eq!(
            [nodes[wheel], nodes[car]].map(|node| scene.get(node).and_then(|node| node.own_material())),
            [Some(1), Some(2)]
        );
        assert_eq!(scene.parent(nodes[wheel]), Some(nodes[car]));
    }
    let nodes = queue.inserted_tree(built).unwrap();
    assert_eq!(scene.parent(queue.inserted(again).unwrap()), Some(nodes[car]));
    assert_eq!([house, none].map(|ticket| queue.inserted_tree(ticket)), [None, Some(&[][..])]);
    assert_eq!(queue.inserted(none), None);
}

#[test]
fn an_edit_on_a_failed_insert_gives_the_error_of_the_insert() {
    let mut scene = Scene::new();
    let root = scene.root();
    let gone = group(&mut scene, root, "gone");
    scene.remove(gone).unwrap();

    let mut queue = EditQueue::new();
    let house = queue.insert(gone, Node::group().named("house"));
    let room = queue.insert(house, Node::group().named("room"));
    queue.push(Edit::change(room, Change::Name(Some("kitchen".into()))));
    queue.push(Edit::reparent(room, root, Keep::Local));
    let bench = queue.insert(root, Node::group().named("bench"));
    queue.push(Edit::reparent(bench, Place::Before(room), Keep::Local));
    let results = queue.apply(&mut scene);
    for failed in [0, 1, 2, 3, 5] {
        assert_eq!(results[failed], Err(Error::StaleHandle(gone)));
    }
    assert_eq!((queue.inserted(house), queue.inserted(room)), (None, None));
    assert!(queue.inserted(bench).is_some());
    assert_eq!(child_names(&scene, root), ["bench"]);
}

#[test]
fn a_ticket_leads_nowhere_before_its_insert_and_after_its_round() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (mut early, mut late) = (EditQueue::new(), EditQueue::new());
    let house = late.insert(root, Node::group());
    assert_eq!(late.inserted(house), None);
    early.push(Edit::change(house, Change::Material(Some(1))));
    early.append(&mut late);
    assert_eq!(early.apply(&mut scene)[0], Err(Error::UnknownTicket(house)));
    assert!(early.inserted(house).is_some());
    assert_eq!(late.inserted(house), None);

    early.push(Edit::change(house, Change::Material(Some(2))));
    let shed = early.insert(root, Node::group());
    assert_ne!(house, shed);
    assert_eq!(early.apply(&mut scene)[0], Err(Error::UnknownTicket(house)));
    assert_eq!(early.inserted(house), None);
    assert!(early.inserted(shed).is_some());

    let forgotten = early.insert(root, Node::group());
    early.clear();
    assert!(early.is_empty());
    let kept = early.insert(forgotten, Node::group());
    let result = early.apply(&mut scene)[0];
    assert_eq!(result, Err(Error::UnknownTicket(forgotten)));
    assert_eq!(early.inserted(kept), None);
}

#[test]
fn tickets_stay_good_through_every_append() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut queues = [EditQueue::new(), EditQueue::new(), EditQueue::new()];
    let mut tickets = Vec::new();
    // Each queue inserts a node. All except the first also insert one below the previous queue's node.
    for (number, queue) in queues.iter_mut().enumerate() {
        queue.push(Edit::change(root, Change::Material(Some(7))));
        tickets.push(queue.insert(root, Node::material(u32::try_from(number).unwrap())));
        if let Some(&before) = tickets.iter().rev().nth(1) {
            queue.insert(before, Node::group());
        }
    }
    let [mut first, mut second, mut third] = queues;
    second.append(&mut third);
    assert!(third.is_empty());
    let reused = third.insert(root, Node::material(30));
    first.append(&mut second);
    first.append(&mut third);
    let last = first.insert(tickets[2], Node::material(40));

    let results = first.apply(&mut scene);
    assert_eq!(results.len(), 10);
    assert!(results.iter().all(Result::is_ok));
    let nodes: Vec<_> = tickets.iter().map(|&ticket| first.inserted(ticket).unwrap()).collect();
    let materials: Vec<_> = nodes.iter().map(|&node| scene.get(node).and_then(|node| node.own_material())).collect();
    assert_eq!(materials, [Some(0), Some(1), Some(2)]);
    let counts: Vec<_> = nodes.iter().map(|&node| scene.children(node).count()).collect();
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(scene.get(first.inserted(reused).unwrap()).unwrap().own_material(), Some(30));
    assert_eq!(scene.parent(first.inserted(last).unwrap()), Some(nodes[2]));
}

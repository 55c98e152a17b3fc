//! Queued edits.

mod whole;

use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Mat34, Node, NodeHandle, NodeRef, Place, Scene, Transform, Tree, ViewRange,
    edit::{Change, Edit, EditQueue, LocalForm, Outcome, Target},
    visit::{Flow, Visitor},
};

fn group(scene: &mut Scene, parent: NodeHandle, name: &str) -> NodeHandle {
    scene.insert(parent, Node::group().with_name(name)).unwrap()
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
    assert_eq!(scene.get(house).unwrap().to_node(), node);
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
    let house = queue.insert(gone, Node::group().with_name("house"));
    let room = queue.insert(house, Node::group().with_name("room"));
    queue.push(Edit::change(room, Change::Name(Some("kitchen".into()))));
    queue.push(Edit::reparent(room, root, Keep::Local));
    let bench = queue.insert(root, Node::group().with_name("bench"));
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

#[test]
fn descriptions_user_data_and_precise_translations_are_queued() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut queue = EditQueue::new();
    let car = queue.insert(root, Node::transform(Transform::IDENTITY).with_name("car"));
    let description = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))
        .with_drawable(Drawable::new(4, Aabb::cube(1.0)))
        .with_material(5)
        .with_user_data(16)
        .with_name("lorry");
    queue.push(Edit::change(car, description));
    queue.push(Edit::change(root, Change::Name(Some("world".into()))));
    queue.push(Edit::change(root, Node::group().with_name("root")));
    queue.push(Edit::change(car, Change::UserData(17)));
    queue.push(Edit::change(car, Change::UserData(18)));
    let far = DVec3::new(6_371_000.125, 0.25, -42.0);
    queue.push(Edit::change(car, Change::TranslationF64(far)));
    queue.push(Edit::change(root, Change::TranslationF64(far)));
    queue.push(Edit::set_local(car, Mat34::IDENTITY));
    queue.push(Edit::change(car, Change::TranslationF64(far)));
    let results = queue.apply(&mut scene).to_vec();
    assert_eq!(results[1..7], [Ok(Outcome::Changed); 6]);
    assert_eq!(results[7..9], [Ok(Outcome::Changed), Ok(Outcome::Changed)]);
    let car = queue.inserted(car).unwrap();
    assert_eq!(scene.get(car).map(|node| node.to_node()).and_then(|node| node.name), Some("lorry"));
    assert_eq!(
        (scene.get(car).and_then(|node| node.own_material()), scene.get(root).and_then(|node| node.name())),
        (Some(5), Some("root"))
    );
    assert_eq!(
        (scene.get(car).map(|node| node.user_data()), scene.get(car).and_then(|node| node.translation_f64())),
        (Some(18), Some(far))
    );
}

#[test]
fn a_failed_edit_does_not_stop_those_behind_it() {
    let mut scene = Scene::new();
    let root = scene.root();
    let gone = group(&mut scene, root, "gone");
    scene.remove(gone).unwrap();

    let mut queue = EditQueue::new();
    queue.push(Edit::remove(root));
    queue.push(Edit::change(gone, Change::Name(Some("a name that nobody gets".into()))));
    queue.push(Edit::set_local(root, Transform::from_scale(Vec3::splat(f32::NAN))));
    let house = queue.insert(root, Node::group().with_name("house"));
    let results = queue.apply(&mut scene);
    assert_eq!(results[0], Err(Error::RootIsFixed));
    assert_eq!(results[1], Err(Error::StaleHandle(gone)));
    assert!(results[2].is_err());
    assert!(results[3].is_ok());
    assert_eq!(scene.get(root).and_then(|node| node.find("house")).map(|node| node.handle()), queue.inserted(house));
}

#[test]
fn an_edit_on_a_queued_node_that_was_removed_again_finds_it_stale() {
    let mut scene = Scene::new();
    let mut queue = EditQueue::new();
    let house = queue.insert(scene.root(), Node::group());
    queue.push(Edit::remove(house));
    queue.push(Edit::change(house, Change::Material(Some(1))));
    let result = queue.apply(&mut scene)[2];
    assert_eq!(result, Err(Error::StaleHandle(queue.inserted(house).unwrap())));
}

#[test]
fn a_queued_node_can_be_an_anchor_of_each_kind() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut queue = EditQueue::new();
    let middle = queue.insert(root, Node::group().with_name("middle"));
    let anchor = Target::from(middle);
    queue.insert(Place::After(middle), Node::group().with_name("after"));
    queue.insert(Place::Before(anchor), Node::group().with_name("before"));
    queue.insert(Place::LastChildOf(middle), Node::group().with_name("second"));
    queue.insert(Place::FirstChildOf(anchor), Node::group().with_name("first"));
    queue.push(Edit::insert(anchor, Node::group().with_name("third")));
    queue.insert(Place::FirstChildOf(root), Node::group().with_name("start"));
    assert!(queue.apply(&mut scene).iter().all(Result::is_ok));
    assert_eq!(child_names(&scene, root), ["start", "before", "middle", "after"]);
    let middle = queue.inserted(middle).unwrap();
    assert_eq!(child_names(&scene, middle), ["first", "second", "third"]);
    let other = queue.insert(Place::Before(middle), Node::group().with_name("other"));
    queue.push(Edit::reparent(other, Place::After(middle), Keep::Local));
    assert!(queue.apply(&mut scene).iter().all(Result::is_ok));
    assert_eq!(child_names(&scene, root), ["start", "before", "middle", "other", "after"]);
}

#[test]
fn edits_are_recorded_during_a_visit() {
    struct Paint(EditQueue);
    impl Visitor for Paint {
        fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
            if node.name() == Some("weed") {
                self.0.push(Edit::remove(node.handle()));
            } else {
                let coat = self.0.insert(node.handle(), Node::group().with_name("coat"));
                self.0.push(Edit::change(coat, Change::Material(Some(5))));
            }
            Flow::Continue
        }
    }

    let mut scene = Scene::new();
    let root = scene.root();
    let garden = group(&mut scene, root, "garden");
    group(&mut scene, garden, "weed");
    group(&mut scene, garden, "rose");
    let mut paint = Paint(EditQueue::new());
    scene.visit(root, &mut paint);
    assert_eq!(scene.get(root).unwrap().descendants().count(), 4, "nothing happens before the queue is applied");
    assert!(paint.0.apply(&mut scene).iter().all(Result::is_ok));
    assert_eq!(child_names(&scene, garden), ["rose", "coat"]);
    let coats = scene
        .get(root)
        .unwrap()
        .descendants()
        .map(|node| node.handle())
        .filter(|&node| scene.get(node).and_then(|node| node.own_material()) == Some(5));
    assert_eq!(coats.count(), 3);
    scene.validate().unwrap();
}

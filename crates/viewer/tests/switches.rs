//! Key switches: overrides of prefabs, frames between steps, levels of detail. Without a device.

use hedgerow::glam::{DVec3, Vec4};
use hedgerow::query::{CullView, Frustum};
use hedgerow::{DrawList, Keep, NodeRef, Place, Transform, Visibility};
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::stage::Stage;
use hedgerow_viewer::view::primitives;
use std::collections::BTreeMap;

fn named<'s>(stage: &'s Stage, name: &'s str) -> impl Iterator<Item = NodeRef<'s>> + 's {
    stage.scene.get(stage.scene.root()).unwrap().find_all(name)
}

/// Returns the numbers of red or blue houses, of turned houses, and of houses with a hidden roof.
fn overridden(stage: &Stage) -> [usize; 3] {
    let count = |name, has: fn(&NodeRef<'_>) -> bool| named(stage, name).filter(has).count();
    [
        count("house", |house| matches!(house.own_material(), Some(17 | 18))),
        count("house", |house| house.local() != Some(Transform::IDENTITY.into())),
        count("roof", |roof| roof.own_visibility() == Visibility::Hidden),
    ]
}

#[test]
fn overrides_are_reverted_and_applied_and_other_edits_stay() {
    let mut stage = Stage::new(&Arguments::new(Subject::Prefabs)).unwrap();
    assert_eq!(named(&stage, "house").count(), 100);
    let roof = |is: Visibility| named(&stage, "roof").find(|roof| roof.own_visibility() == is).unwrap().handle();
    let [mine, gone] = [Visibility::Inherited, Visibility::Hidden].map(roof);
    stage.scene.edit(mine).unwrap().set_visibility(Visibility::Hidden);
    stage.scene.reparent(gone, Place::Detached, Keep::Local).unwrap();
    let (all, before) = (overridden(&stage), stage.scene.copy_tree(stage.scene.root()).unwrap());
    assert!(all.iter().all(|&count| (15..45).contains(&count)), "{all:?}");
    let mut expected = all;
    for (number, left) in [(1, 0), (0, 0), (2, 1)] {
        stage.switch(number).unwrap();
        expected[number] = left;
        assert_eq!(overridden(&stage), expected);
    }
    assert!(stage.caption().ends_with(", 1: material off, 2: local off, 3: hidden roof off"), "{}", stage.caption());
    for number in [2, 1, 0, 7] {
        stage.switch(number).unwrap();
    }
    stage.scene.validate().unwrap();
    assert!(stage.scene.copy_tree(stage.scene.root()).unwrap() == before, "something else has changed");
}

#[test]
fn motion_is_even_between_steps_and_the_simulation_the_same() {
    let [smooth, plain] = [true, false].map(|blends| {
        let mut stage = Stage::new(&Arguments::new(Subject::Smooth)).unwrap();
        let [gondola, lawn] = ["gondola", "lawn"].map(|name| named(&stage, name).next().unwrap().handle());
        if !blends {
            stage.switch(0).unwrap();
        }
        assert_eq!(stage.switches(), [("between steps", blends)]);
        let mut shown = Vec::new();
        for frame in 0..60 {
            stage.act(0.0).unwrap();
            if frame == 8 {
                stage.scene.modify_local(lawn, |local| local.translation.y = -3.0).unwrap();
            }
            stage.scene.update();
            shown.push(stage.show(|_, scene| [gondola, lawn].map(|node| scene.world(node).unwrap().translation())));
        }
        let ways = shown.windows(2).map(|pair| pair[1][0].distance(pair[0][0]));
        let (least, most) = ways.fold((f32::INFINITY, 0.0_f32), |(least, most), way| (least.min(way), most.max(way)));
        assert!(if blends { least > 0.1 && most < 1.02 * least } else { least == 0.0 && most > 0.6 }, "{least} {most}");
        let heights = shown.iter().map(|[_, lawn]| lawn.y);
        assert!(heights.eq((0..60).map(|frame| if frame < 8 { -0.1 } else { -3.0 })), "what is moved glides");
        stage.scene.to_bytes()
    });
    assert!(smooth == plain, "drawing changes the simulation");
}

#[test]
fn levels_leave_few_triangles_and_do_not_flicker() {
    let mut stage = Stage::new(&Arguments { people: 10, ..Arguments::new(Subject::Town) }).unwrap();
    let block = named(&stage, "block_3_3").next().unwrap();
    let wall = block.descendants().find(|node| node.drawable().is_some_and(|drawable| drawable.mesh == 4)).unwrap();
    let (middle, beside) = (block.world_f64().translation, wall.bounds().unwrap());
    let beside = beside.center().with_x(beside.max.x).as_dvec3();
    let [stand_in, wall] = [block.find("stand-in").unwrap(), wall].map(|node| node.handle());
    let everywhere = Frustum::from_planes([Vec4::W; 6]).unwrap();
    let mut list = DrawList::new();
    let mut look = |stage: &Stage, eye: DVec3| {
        let (layers, detail) = stage.seen_from(Some(eye));
        list.set_layers(layers);
        stage.scene.cull(&mut [CullView { detail, ..CullView::new(&everywhere, &mut list) }]).unwrap();
        let levels: BTreeMap<_, _> = list.commands().iter().map(|command| (command.node, command.level())).collect();
        (levels, primitives(stage, &list))
    };
    // A level switches to coarser a tenth farther out than it switches back: walls at 50 m, blocks at 200 m.
    for (distance, level) in [(30.0, 0), (54.0, 0), (56.0, 1), (51.0, 1), (49.0, 0)] {
        assert_eq!(look(&stage, beside + distance * DVec3::X).0.get(&wall), Some(&level), "at {distance}");
    }
    for (distance, stands_in) in [(199.0, false), (219.0, false), (221.0, true), (201.0, true), (199.0, false)] {
        let seen = look(&stage, middle + distance * DVec3::X).0;
        assert_eq!([stand_in, wall].map(|node| seen.contains_key(&node)), [stands_in, !stands_in], "at {distance}");
    }
    look(&stage, middle);
    let (seen, triangles) = look(&stage, middle + 0.5);
    assert!((0..4_u8).all(|step| look(&stage, middle + 0.5 * f64::from(step % 2)).0 == seen), "something flickers");
    stage.switch(0).unwrap();
    let (all, without) = look(&stage, middle);
    assert!(5 * triangles < without, "{triangles} of {without}");
    assert!(all.values().all(|&level| level == 0) && !all.contains_key(&stand_in));
    assert!(stage.caption().contains(", 1: levels off, 2: level colours off, "), "{}", stage.caption());
}

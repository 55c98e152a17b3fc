//! What keys switch: overrides of prefabs, and what is drawn between steps. Without a device.

use hedgerow::{Keep, NodeRef, Place, Transform, Visibility};
use hedgerow_viewer::arguments::{Arguments, Subject};
use hedgerow_viewer::stage::Stage;

fn named<'s>(stage: &'s Stage, name: &'s str) -> impl Iterator<Item = NodeRef<'s>> + 's {
    stage.scene.get(stage.scene.root()).unwrap().find_all(name)
}

/// How many houses are red or blue, how many are turned, and how many have a hidden roof.
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
    let (all, before) = (overridden(&stage), stage.scene.tree(stage.scene.root()).unwrap());
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
    assert!(stage.scene.tree(stage.scene.root()).unwrap() == before, "something else has changed");
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

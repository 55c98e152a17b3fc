//! One case for each public method that calls user code.

use super::value::{Sink, Slowly, Somewhere, Value, counted, tick};
use super::world::{World, key_of};
use hedgerow::changes::{DrawableMirror, MatrixMirror};
use hedgerow::data::{Column, NodeMap};
use hedgerow::draw::{DepthView, DrawCommand};
use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::query::{Filter, Frustum, LocalRay, LocalVolume, Ray, Touch};
use hedgerow::snapshot::{LoadOptions, SaveOptions};
use hedgerow::visit::{Flow, SliceView, SliceViewMut, Visitor};
use hedgerow::{Drawable, Keep, Local, Mat34, NodeHandle, NodeRef, Transform};
use hedgerow_anim::{Error as AnimError, Pose};

/// The methods that a case covers, named `file::method` as in the source, and the calls.
pub(crate) struct Case {
    pub(crate) names: &'static [&'static str],
    pub(crate) run: fn(&mut World),
}

/// A visitor with a counted call in each method.
struct Everything;

impl Visitor for Everything {
    fn enter(&mut self, _: &NodeRef<'_>) -> Flow {
        tick();
        Flow::Continue
    }

    fn transform(&mut self, _: &NodeRef<'_>, _: Local) -> Flow {
        tick();
        Flow::Continue
    }

    fn material(&mut self, _: &NodeRef<'_>, _: u32) -> Flow {
        tick();
        Flow::Continue
    }

    fn drawable(&mut self, _: &NodeRef<'_>, _: Drawable) -> Flow {
        tick();
        Flow::Prune
    }

    fn leave(&mut self, _: &NodeRef<'_>) {
        tick();
    }
}

fn expect<T, E: core::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("nothing is wrong but the panic")
}

/// Returns a map with every second of the world's values, cloned.
fn some(world: &World) -> NodeMap<Value> {
    world.map.iter().step_by(2).map(|(node, value)| (node, Value::new(value.0))).collect()
}

pub(crate) const CASES: &[Case] = &[
    // Scenes.
    Case {
        names: &["node_mut::sort_children_by"],
        run: |world| {
            expect(world.scene.edit(world.nodes[0])).sort_children_by(|a, b| {
                tick();
                b.handle().cmp(&a.handle())
            });
        },
    },
    Case {
        names: &["node_mut::set_local", "node_mut::set_material"],
        run: |world| {
            let mut node = expect(world.scene.edit(world.nodes[2]));
            expect(node.set_local(Somewhere(1.0))).set_material(Somewhere(2.0));
        },
    },
    Case {
        names: &["batch::reparent_many"],
        run: |world| {
            let items = [2, 3, 6].map(|at| (world.nodes[at], Somewhere(3.0)));
            expect(world.scene.reparent_many(&items, Keep::World));
        },
    },
    Case {
        names: &["component::modify_local"],
        run: |world| {
            expect(world.scene.modify_local(world.nodes[2], |transform| {
                transform.translation = Vec3::NAN;
                tick();
                transform.translation = Vec3::ONE;
                tick();
            }));
        },
    },
    Case {
        names: &["component::set_local", "world::set_world", "batch::set_worlds"],
        run: |world| {
            expect(world.scene.set_local(world.nodes[2], Somewhere(1.0)));
            expect(world.scene.set_world(world.nodes[3], Somewhere(2.0)));
            let items = [2, 3, 6, 7, 10].map(|at| (world.nodes[at], Somewhere(3.0)));
            expect(world.scene.set_worlds(&items));
        },
    },
    Case {
        names: &["batch::set_locals"],
        run: |world| {
            let place = Transform::from_xyz(4.0, 0.0, 0.0);
            let items: Vec<_> = world.nodes.iter().cycle().take(100).map(|&node| (node, place)).collect();
            expect(world.scene.set_locals(counted(items)));
        },
    },
    Case {
        names: &["pick::pick", "pick::pick_all", "pick::select"],
        run: |world| {
            let ray = expect(Ray::new(Vec3::new(-9.0, 0.0, 0.0), Vec3::X));
            let everything = expect(Frustum::from_planes([Vec4::ZERO; 6]));
            let no_hit = |_: &DrawCommand, _: &LocalRay, _: f64| {
                tick();
                None
            };
            world.list.set_eye(DVec3::ZERO);
            expect(world.scene.pick(&ray, Filter::ALL.in_list(&mut world.list), no_hit));
            expect(world.scene.pick_all(&ray, Filter::ALL, no_hit, &mut Vec::new()));
            let none = |_: &DrawCommand, _: &LocalVolume| {
                tick();
                Touch::None
            };
            expect(world.scene.select(&everything, Filter::ALL.in_list(&mut world.list), none, &mut Vec::new()));
        },
    },
    Case {
        names: &["frame::visit_slices"],
        run: |world| {
            world.scene.visit_slices(&mut |_: SliceView<'_>| {
                tick();
                Flow::Continue
            });
        },
    },
    Case {
        names: &["frame::visit_slices_mut"],
        run: |world| {
            world.scene.visit_slices_mut(&mut |mut slice: SliceViewMut<'_>| {
                tick();
                for slot in 1..slice.view().transforms().len() {
                    if slice.view().transforms().local(slot).is_some() {
                        expect(slice.set_local(slot, Transform::from_xyz(5.0, 0.0, 0.0)));
                        tick();
                    }
                }
                Flow::Continue
            });
        },
    },
    Case {
        names: &["node::visit"],
        run: |world| assert_eq!(world.scene.visit(world.scene.root(), &mut Everything), Flow::Continue),
    },
    Case {
        names: &["mod::write", "mod::read"],
        run: |world| {
            let mut sink = Sink::default();
            expect(SaveOptions::default().write(&world.scene, &mut sink));
            let loaded = expect(LoadOptions::default().read(Slowly(&sink.0)));
            assert_eq!(loaded.len(), world.scene.len());
        },
    },
    // Draw lists, mirrors.
    Case {
        names: &["groups::group_by_key"],
        run: |world| {
            world.shuffle();
            world.scene.draw_list(&mut world.list);
            world.list.group_by_key(&mut world.groups, |command| {
                tick();
                Some(key_of(command.user_data))
            });
        },
    },
    Case {
        names: &["order::order_by_key", "order::order_front_to_back", "order::order_back_to_front"],
        run: |world| {
            let view = DepthView { eye: Vec3::ZERO, forward: Vec3::X };
            world.list.order_by_key(&mut world.order, |_, command| {
                tick();
                Some(command.user_data.into())
            });
            let takes = || {
                tick();
                true
            };
            world.list.order_front_to_back(&mut world.order, &view, |_| takes());
            world.list.order_back_to_front(&mut world.order, &view, |_| takes());
        },
    },
    Case {
        names: &["mirror::sync"],
        run: |world| {
            world.shuffle();
            world.mirror();
            (world.mirror, world.buffer) = (MatrixMirror::new(), Vec::new());
            (world.drawable_mirror, world.table) = (DrawableMirror::new(), Vec::new());
            world.mirror();
        },
    },
    Case {
        names: &["mirror::instances"],
        run: |world| {
            let mut instances = vec![9; world.list.len()];
            world.mirror.instances(&world.list, world.groups.instances(), &mut instances, |_, _| tick());
        },
    },
    Case {
        names: &["mirror::instances_with"],
        run: |world| {
            let mut instances = vec![9; world.list.len()];
            let item = |place, _: &DrawCommand| {
                tick();
                place
            };
            world.mirror.instances_with(&world.list, world.groups.instances(), item, &mut instances, |_, _| tick());
        },
    },
    // Maps.
    Case {
        names: &["NodeMap::clone", "NodeMap::eq"],
        run: |world| {
            let copy = world.map.clone();
            assert!(copy == world.map);
        },
    },
    Case {
        names: &["node_map::get_or_insert_with"],
        run: |world| {
            let make = || {
                tick();
                Value::new(77)
            };
            let guest = expect(world.scene.insert(world.nodes[0], hedgerow::Node::group()));
            world.map.get_or_insert_with(guest, make);
            world.map.get_or_insert_with(world.nodes[20], make);
            expect(world.scene.remove(world.nodes[20]));
            let next = expect(world.scene.insert(world.nodes[6], hedgerow::Node::group()));
            // Replaces a value.
            world.map.get_or_insert_with(next, make);
        },
    },
    Case {
        names: &["node_map::retain", "NodeMap::remove_stale"],
        run: |world| {
            world.map.retain(|node, _| {
                tick();
                node.to_bits() >> 28 & 3 != 0
            });
            expect(world.scene.remove(world.nodes[20]));
            drop(world.map.remove_stale(&world.scene));
        },
    },
    Case {
        names: &["NodeMap::insert", "NodeMap::remove"],
        run: |world| {
            for (at, &node) in world.nodes.iter().enumerate() {
                match at % 2 {
                    0 => drop(world.map.insert(node, Value::new(1))),
                    _ => drop(world.map.remove(node)),
                }
            }
        },
    },
    Case {
        names: &["NodeMap::extend", "NodeMap::from_iter"],
        run: |world| {
            let values = || world.nodes.iter().map(|&node| (node, Value::new(5)));
            world.map.extend(counted(values()));
            let other: NodeMap<Value> = counted(values()).collect();
            world.map = other;
        },
    },
    Case { names: &["NodeMap::clear"], run: |world| world.map.clear() },
    Case {
        names: &["NodeMap::drain", "NodeMap::into_iter", "NodeMap::drop"],
        run: |world| {
            world.map.drain().take(5).for_each(drop);
            some(world).into_iter().take(5).for_each(drop);
            drop(some(world));
        },
    },
    #[cfg(feature = "serde")]
    Case {
        names: &["NodeMap::serialize", "NodeMap::deserialize"],
        run: |world| {
            let text = expect(serde_json::to_string(&world.map));
            world.map = expect(serde_json::from_str(&text));
        },
    },
    #[cfg(feature = "serde")]
    Case {
        names: &["Scene::serialize", "Scene::deserialize"],
        run: |world| {
            let mut sink = Sink::default();
            expect(serde_json::to_writer(&mut sink, &world.scene));
            let read: hedgerow::Scene = expect(serde_json::from_reader(Slowly(&sink.0)));
            assert_eq!(read.validate(), Ok(()));
        },
    },
    // Columns.
    Case {
        names: &["Column::update", "Column::clone"],
        run: |world| {
            world.shuffle();
            world.column.update(&world.scene);
            let copy = world.column.clone();
            drop(copy);
        },
    },
    Case {
        names: &["Column::set"],
        run: |world| {
            world.shuffle();
            for (number, &node) in (1..).zip(&world.nodes) {
                if world.scene.local(node).is_some() {
                    expect(world.column.set(&world.scene, node, Value::new(number)));
                }
            }
            world.column.update(&world.scene);
        },
    },
    Case {
        names: &["column::sweep"],
        run: |world| {
            let mut column: Column<Value> = Column::new(Value::new(1));
            column.update(&world.scene);
            column.sweep(&world.scene, |above, value| {
                tick();
                value.0 = above.0 + 1;
            });
        },
    },
    Case {
        names: &["column::sweep_slots"],
        run: |world| {
            let mut column: Column<Value> = Column::new(Value::new(1));
            column.update(&world.scene);
            column.sweep_slots(&world.scene, |_, slot, above, value| {
                tick();
                value.0 = above.0 + u32::try_from(slot).unwrap();
            });
        },
    },
    // Inherited properties.
    Case {
        names: &["Inherited::run", "Inherited::set", "Inherited::remove"],
        run: |world| {
            world.shuffle();
            for at in [1, 5, 9] {
                world.inherited.set(world.nodes[at], Value::new(50));
            }
            world.inherited.remove(world.nodes[9]);
            // These nodes reuse table entries of other nodes.
            let scene = &mut world.scene;
            let guests: Vec<NodeHandle> =
                (0..6).map(|_| expect(scene.insert(world.nodes[6], hedgerow::Node::group()))).collect();
            for (number, &guest) in (0..).zip(&guests) {
                world.inherited.set(guest, Value::new(number));
            }
            world.inherited.run(&world.scene);
            expect(world.scene.remove(guests[2]));
            let other = expect(world.scene.insert(world.nodes[6], hedgerow::Node::group()));
            world.inherited.set(other, Value::new(8));
            world.inherited.run(&world.scene);
        },
    },
    Case { names: &["Inherited::clone"], run: |world| world.inherited = world.inherited.clone() },
    // Characters.
    Case {
        names: &["sockets::follow_many"],
        run: |world| {
            let models = [Mat34::IDENTITY; 2];
            expect(world.scene.remove(world.nodes[3]));
            expect(world.sockets.follow_many(&mut world.scene, |_| {
                tick();
                Some(&models)
            }));
        },
    },
    Case {
        names: &["many::par_each_palette"],
        run: |world| {
            let mut poses: Vec<Pose> = (0..20).map(|_| Pose::rest(&world.skeleton)).collect();
            expect(world.skeleton.par_each_palette(
                &world.skin,
                &mut poses,
                |pose| {
                    tick();
                    Ok(&*pose)
                },
                |_, _, _| -> Result<(), AnimError> {
                    tick();
                    Ok(())
                },
            ));
        },
    },
];

//! Bevy's `bevy_transform`: entities of a world, with the three systems of its plugin, in the plugin's order.

use crate::peer::Peer;
use crate::shapes::Shape;
use bevy_ecs::{prelude::*, schedule::SingleThreadedExecutor};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_transform::{
    components::{GlobalTransform, Transform},
    systems::{StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms},
};

/// The tree. Threads share the work of a system; the systems run one after the other.
pub(crate) struct Bevy {
    world: World,
    schedule: Schedule,
    locals: QueryState<&'static mut Transform>,
    /// The entities by node number; the first is the root.
    entities: Vec<Entity>,
    listed: Vec<(Entity, Transform)>,
}

/// Converts a transform to Bevy's types.
fn local(local: &hedgerow::Transform) -> Transform {
    Transform {
        translation: bevy_math::Vec3::from_array(local.translation.to_array()),
        rotation: bevy_math::Quat::from_array(local.rotation.to_array()),
        scale: bevy_math::Vec3::from_array(local.scale.to_array()),
    }
}

impl Bevy {
    pub(crate) fn new(shape: &Shape) -> Self {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(2).build());
        let mut world = World::new();
        world.init_resource::<StaticTransformOptimizations>();
        let mut entities: Vec<Entity> = Vec::with_capacity(shape.len());
        for (id, transform) in shape.locals.iter().enumerate() {
            let transform = local(transform);
            entities.push(match id {
                0 => world.spawn(transform).id(),
                _ => world.spawn((transform, ChildOf(entities[shape.parents[id] as usize]))).id(),
            });
        }
        let mut schedule = Schedule::default();
        schedule.set_executor(SingleThreadedExecutor::new());
        schedule.add_systems((mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain());
        let locals = world.query();
        Self { world, schedule, locals, entities, listed: Vec::new() }
    }
}

impl Peer for Bevy {
    fn list(&mut self, moved: &[(u32, hedgerow::Transform)]) {
        self.listed.clear();
        let items = moved.iter().map(|(node, transform)| (self.entities[*node as usize], local(transform)));
        self.listed.extend(items);
    }

    fn set(&mut self) {
        let mut locals = self.locals.query_mut(&mut self.world);
        for &(entity, local) in &self.listed {
            *locals.get_mut(entity).expect("a live entity has a transform") = local;
        }
    }

    fn update(&mut self) {
        self.schedule.run(&mut self.world);
        // An `App` clears trackers at the end of each frame.
        self.world.clear_trackers();
    }

    fn world(&self, node: u32) -> [f32; 12] {
        let world = self.world.get::<GlobalTransform>(self.entities[node as usize]);
        world.expect("a live entity has one").affine().to_cols_array()
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            let parent = self.entities[parent as usize];
            self.world.entity_mut(self.entities[node as usize]).insert(ChildOf(parent));
        }
    }

    fn remove(&mut self, tops: &[u32]) {
        for &top in tops {
            self.world.despawn(self.entities[top as usize]);
        }
    }
}

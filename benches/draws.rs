//! Draw lists that are kept from frame to frame, beside listing anew, on the thesis's random tree.
//!
//! What happens in a frame and its update are not timed. `cargo run --release --example measure -- draws` gives the same
//! side by side, and checks that both lists hold the same.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow::{
    Aabb, DrawList, Node, NodeHandle, Scene, Shape,
    draw::{DrawGroups, RenderPass},
};
use hedgerow_naive::{Moves, Packed, Recipe, Side};
use std::time::{Duration, Instant};

const SIZES: [usize; 2] = [32_768, 262_144];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for nodes in SIZES {
        let mut group = criterion.benchmark_group("draws");
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(nodes as u64));
        let recipe = Recipe::random(nodes, nodes as u64);
        let mut packed = Packed::build(&recipe);
        let handles: Vec<NodeHandle> = packed.scene().descendants(packed.scene().root()).collect();
        let mut moves = Moves::new(&recipe, 1);
        let mut frame = 0;
        let mut list = DrawList::new();
        let mut groups = DrawGroups::new();
        let mut case = |name: &str, happen: &mut dyn FnMut(&mut Packed), work: &mut dyn FnMut(&Scene)| {
            group.bench_function(BenchmarkId::new(name, nodes), |bencher| {
                bencher.iter_custom(|frames| {
                    let frame = |_| {
                        happen(&mut packed);
                        packed.update();
                        let start = Instant::now();
                        work(packed.scene());
                        start.elapsed()
                    };
                    (0..frames).map(frame).sum()
                });
            });
        };
        let mut some_move = |packed: &mut Packed| packed.set_locals(moves.next_frame(nodes / 100));
        let mut one_comes = |packed: &mut Packed| {
            frame += 1;
            let parent = handles[frame * 7919 % handles.len()];
            let shape = Node::shape(Shape::new(1, Aabb::cube(0.5)));
            packed.scene_mut().insert(parent, shape).expect("a live parent takes a finite node");
        };
        case("anew", &mut |_| {}, &mut |scene| {
            list.clear();
            scene.visit_slices(&mut RenderPass::new(&mut list));
        });
        case("1%", &mut some_move, &mut |scene| scene.draw_list(&mut list));
        case("edit", &mut one_comes, &mut |scene| scene.draw_list(&mut list));
        case("none", &mut |_| {}, &mut |scene| scene.draw_list(&mut list));
        case("group", &mut |_| {}, &mut |scene| {
            list.clear();
            scene.draw_list(&mut list);
            list.group(&mut groups);
        });
        group.finish();
    }
    criterion.final_summary();
}

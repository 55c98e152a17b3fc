//! Compares each level's results with those of the other levels and with results in double precision.

use super::*;
use fastrand::Rng;
use hedgerow_math::internal::level::at_levels;

/// Returns a random number in -1..1.
fn number(dice: &mut Rng) -> f32 {
    2.0 * dice.f32() - 1.0
}

fn blocks(dice: &mut Rng, count: usize) -> Vec<Block> {
    (0..count).map(|_| core::array::from_fn(|_| Lanes(core::array::from_fn(|_| 5.0 * number(dice))))).collect()
}

fn palette(dice: &mut Rng, count: usize) -> Vec<Mat34> {
    (0..count).map(|_| Mat34 { rows: core::array::from_fn(|_| core::array::from_fn(|_| 3.0 * number(dice))) }).collect()
}

/// Groups of vertices with the same number of influences.
struct Model {
    groups: Vec<Influences>,
    /// Joints and all weights of each vertex.
    vertices: Vec<(Vec<u16>, Vec<f32>)>,
    positions: Vec<Block>,
    normals: Vec<Block>,
    tangents: Vec<Block>,
    signs: Vec<Lanes>,
}

impl Model {
    fn new(dice: &mut Rng, counts: &[(usize, usize)], joints: usize) -> Self {
        let mut vertices = Vec::new();
        let mut groups = Vec::new();
        for &(count, many) in counts {
            let mut group = Influences::new(count);
            for _ in 0..many {
                let of_joints: Vec<u16> = (0..count).map(|_| u16::try_from(dice.usize(..joints)).unwrap()).collect();
                let raw: Vec<f32> = (0..count).map(|_| number(dice).abs() + 0.01).collect();
                let sum: f32 = raw.iter().sum();
                let weights: Vec<f32> = raw.iter().map(|weight| weight / sum).collect();
                group.push(&of_joints, &weights);
                vertices.push((of_joints, weights));
            }
            groups.push(group);
        }
        let count = groups.iter().map(Influences::blocks).sum();
        let [positions, normals, tangents] = [(); 3].map(|()| blocks(dice, count));
        let signs = (0..count).map(|_| Lanes(core::array::from_fn(|_| number(dice).signum()))).collect();
        Self { groups, vertices, positions, normals, tangents, signs }
    }

    fn streams(&self) -> Streams<'_> {
        let Self { positions, normals, tangents, signs, .. } = self;
        Streams { positions, normals, tangents, signs }
    }

    fn runs(&self) -> Vec<Run<'_>> {
        let mut stream = 0;
        let run = |influences| {
            let blocks = 0..Influences::blocks(influences);
            let run = Run { influences, blocks, stream, vertices: influences.vertices() };
            stream += influences.blocks();
            run
        };
        self.groups.iter().map(run).collect()
    }

    /// Returns the block and lane of each vertex.
    fn places(&self) -> Vec<(usize, usize)> {
        let mut first = 0;
        let mut places = Vec::new();
        for group in &self.groups {
            places.extend((0..group.vertices()).map(|vertex| (first + vertex / LANES, vertex % LANES)));
            first += group.blocks();
        }
        places
    }
}

/// The written positions, normals and tangents. For packed results, the fourth number is 0.
type Written = [Vec<[f32; 4]>; 3];

/// The form of the output.
#[derive(Clone, Copy)]
struct Form {
    /// Whether positions and normals are packed.
    packed: [bool; 2],
    normals: bool,
    tangents: bool,
}

/// The value of elements that nothing was written to.
const UNTOUCHED: f32 = 12_345.0;

/// A way to skin.
type Way<'w> = dyn Fn(&[Mat34], &[Run<'_>], Streams<'_>, Sinks<'_>) + 'w;

/// Skins into the middle of larger arrays, `shift` floats plus one element after their start. Returns the results.
fn written(model: &Model, palette: &[Mat34], form: Form, shift: usize, way: &Way<'_>) -> Written {
    fn sink(floats: &mut [f32], packed: bool, count: usize) -> VertexStream<'_> {
        if packed {
            VertexStream::Packed(&mut floats.as_chunks_mut().0[1..=count])
        } else {
            VertexStream::Padded(&mut floats.as_chunks_mut().0[1..=count])
        }
    }
    let count = model.vertices.len();
    let mut arrays = [(); 3].map(|()| vec![UNTOUCHED; shift + 4 * (count + 2)]);
    let [positions, normals, tangents] = arrays.each_mut().map(|array| &mut array[shift..]);
    let sinks = Sinks {
        positions: sink(positions, form.packed[0], count),
        normals: form.normals.then(|| sink(normals, form.packed[1], count)),
        tangents: form.tangents.then(|| &mut tangents.as_chunks_mut().0[1..=count]),
    };
    way(palette, &model.runs(), model.streams(), sinks);
    let [positions, normals, tangents] = arrays;
    let read = |all: Vec<f32>, packed: bool, present: bool| -> Vec<[f32; 4]> {
        let width = if packed { 3 } else { 4 };
        let used = if present { shift + width..shift + width * (count + 1) } else { 0..0 };
        let beside = all.iter().enumerate().filter(|(at, _)| !used.contains(at));
        assert!(beside.into_iter().all(|(_, &float)| float == UNTOUCHED), "written beside the places");
        let four = |floats: &[f32]| [floats[0], floats[1], floats[2], floats.get(3).copied().unwrap_or(0.0)];
        all[used].chunks_exact(width).map(four).collect()
    };
    let Form { packed, normals: with_normals, tangents: with_tangents } = form;
    [read(positions, packed[0], true), read(normals, packed[1], with_normals), read(tangents, false, with_tangents)]
}

/// Panics unless the first three numbers agree with double precision within the bound that the module states.
fn assert_near(found: [f32; 4], model: &Model, vertex: usize, palette: &[Mat34], (vector, w): ([f32; 3], f64)) {
    let (joints, weights) = &model.vertices[vertex];
    let (last, given) = weights.split_last().unwrap();
    let implied = 1.0 - given.iter().map(|&weight| f64::from(weight)).sum::<f64>();
    assert!((implied - f64::from(*last)).abs() < 1e-6, "the test's own weights");
    for (row, &found) in found[..3].iter().enumerate() {
        let (mut expected, mut terms) = (0.0, 0.0);
        for (&joint, weight) in joints.iter().zip(given.iter().map(|&weight| f64::from(weight)).chain([implied])) {
            let [x, y, z, t] = palette[usize::from(joint)].rows[row].map(f64::from);
            let [px, py, pz] = vector.map(f64::from);
            expected += weight * (x * px + y * py + z * pz + t * w);
            terms += (x * px).abs() + (y * py).abs() + (z * pz).abs() + (t * w).abs();
        }
        let off = (f64::from(found) - expected).abs();
        assert!(off <= 1e-6 * terms, "vertex {vertex}, row {row}: {found} is off by {off:e} of {terms}");
    }
}

#[test]
fn every_level_is_as_near_to_double_precision_as_stated_and_writes_nothing_else() {
    let mut dice = Rng::with_seed(3);
    let palette = palette(&mut dice, 37);
    let forms = [
        Form { packed: [true, true], normals: true, tangents: false },
        Form { packed: [false, false], normals: true, tangents: true },
        Form { packed: [true, false], normals: true, tangents: true },
        Form { packed: [false, true], normals: false, tangents: false },
    ];
    for count in [1, 2, 3, 4, 8] {
        for many in (0..=35).chain([64, 100]) {
            let model = Model::new(&mut dice, &[(count, many)], palette.len());
            let places = model.places();
            for (shift, form) in forms.into_iter().enumerate() {
                at_levels(|_| {
                    let [positions, normals, tangents] = written(&model, &palette, form, shift + many % 13, &skin);
                    assert_eq!(positions.len(), many);
                    for (vertex, &(block, lane)) in places.iter().enumerate() {
                        let vector = |blocks: &[Block]| core::array::from_fn(|axis| blocks[block][axis].0[lane]);
                        assert_near(positions[vertex], &model, vertex, &palette, (vector(&model.positions), 1.0));
                        assert_eq!(positions[vertex][3], if form.packed[0] { 0.0 } else { 1.0 });
                        if form.normals {
                            assert_near(normals[vertex], &model, vertex, &palette, (vector(&model.normals), 0.0));
                            assert_eq!(normals[vertex][3], 0.0);
                        }
                        if form.tangents {
                            assert_near(tangents[vertex], &model, vertex, &palette, (vector(&model.tangents), 0.0));
                            assert_eq!(tangents[vertex][3], model.signs[block].0[lane]);
                        }
                    }
                });
            }
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn levels_with_fused_multiply_add_give_the_same_bits_and_so_do_those_without() {
    let mut dice = Rng::with_seed(5);
    for (joints, many) in [(3, 1), (96, 61), (300, 200), (257, 16)] {
        let palette = palette(&mut dice, joints);
        let model =
            Model::new(&mut dice, &[(1, many), (2, many + 1), (3, many / 2), (4, many + 7), (8, many + 3)], joints);
        let form = Form { packed: [true, false], normals: true, tangents: true };
        let mut found = [Vec::new(), Vec::new()];
        at_levels(|level| {
            let bits = written(&model, &palette, form, 1, &skin)
                .map(|stream| stream.into_iter().map(|floats| floats.map(f32::to_bits)).collect::<Vec<_>>());
            found[usize::from(level.as_avx2().is_some())].push(bits);
        });
        for found in found {
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{joints} joints, {many} vertices");
        }
    }
}

#[test]
fn chunks_of_blocks_give_the_same_bits_as_all_at_once() {
    let mut dice = Rng::with_seed(9);
    let palette = palette(&mut dice, 20);
    let model = Model::new(&mut dice, &[(3, 75)], palette.len());
    let form = Form { packed: [true, true], normals: true, tangents: true };
    at_levels(|_| {
        let whole = written(&model, &palette, form, 0, &skin);
        for cut in 0..=4 {
            let in_two: &Way<'_> = &|palette, runs, streams, sinks| {
                let first = Run { blocks: 0..cut, vertices: cut * LANES, ..runs[0].clone() };
                let last = Run { blocks: cut..5, stream: cut, vertices: 75 - cut * LANES, ..runs[0].clone() };
                let (before, behind) = sinks.split_at(cut * LANES);
                skin(palette, &[last], streams, behind);
                skin(palette, &[first], streams, before);
            };
            assert_eq!(whole, written(&model, &palette, form, 0, in_two), "cut at {cut}");
        }
    });
}

#[test]
fn nothing_to_skin_takes_no_palette() {
    let model = Model::new(&mut Rng::with_seed(1), &[(1, 0), (4, 0)], 1);
    let form = Form { packed: [true, true], normals: true, tangents: true };
    at_levels(|_| assert!(written(&model, &[], form, 0, &skin).iter().all(Vec::is_empty)));
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn joints_beyond_the_palette_are_refused_by_every_level() {
    at_levels(|_| {
        let mut influences = Influences::new(1);
        influences.push(&[7], &[1.0]);
        let refused = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            let run = Run { influences: &influences, blocks: 0..1, stream: 0, vertices: 1 };
            let streams = Streams { positions: &[Block::default()], normals: &[], tangents: &[], signs: &[] };
            let mut places = [[0.0; 3]];
            let positions = VertexStream::Packed(&mut places);
            skin(&[Mat34::IDENTITY; 7], &[run], streams, Sinks { positions, normals: None, tangents: None });
        }));
        assert!(refused.is_err());
    });
}

#[test]
fn scaled_deltas_have_the_same_bits_on_every_level() {
    let mut dice = Rng::with_seed(21);
    let (base, deltas) = (blocks(&mut dice, 3), blocks(&mut dice, 3));
    let mut expected = base.clone();
    for (to, delta) in expected.as_flattened_mut().iter_mut().zip(deltas.as_flattened()) {
        to.0.iter_mut().zip(delta.0).for_each(|(to, delta)| *to += 0.3 * delta);
    }
    assert_ne!(base, expected);
    at_levels(|level| {
        let mut found = base.clone();
        add_scaled(&mut found, &deltas, 0.3);
        assert_eq!(expected, found, "{level:?}");
    });
}

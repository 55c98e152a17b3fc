//! Crowds that a device poses from baked palettes, beside sums on the CPU.

use crate::device::{compute, device, filled, read};
use bytemuck::cast_slice;
use hedgerow::Mat34;
use hedgerow::glam::Vec3;
use hedgerow_wgpu::gpu::{BAKED, BakedClips};
use wgpu::BufferUsages;

const SHADER: &str = "
struct Figure { joints: vec4u, weights: vec4f, point: vec3f, seconds: f32, clip: u32 }
@group(0) @binding(0) var<storage, read> figures: array<Figure>;
@group(0) @binding(1) var<storage, read_write> posed: array<vec4f>;

@compute @workgroup_size(64)
fn pose(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&figures) { return; }
    let figure = figures[id.x];
    let repeated = hg_repeat(figure.clip, figure.seconds);
    let matrix = hg_baked_blend(figure.clip, select(figure.seconds, repeated, id.x % 2u == 1u), figure.joints, figure.weights);
    posed[id.x] = vec4f(vec4f(figure.point, 1.0) * matrix, repeated);
}";

#[test]
fn a_device_poses_crowds_between_the_frames_of_their_clips() {
    let Some(gpu) = device(wgpu::Features::empty()) else { return };
    let dice = &mut fastrand::Rng::with_seed(3);
    let mut clips = BakedClips::new();
    // Joints, frames, frames a second.
    let shapes = [(5, 8, 10.0), (1, 1, 30.0), (9, 2, 4.0)];
    let all = shapes.map(|(joints, frames, rate)| {
        let matrix = |_| Mat34 { rows: [(); 3].map(|()| [(); 4].map(|()| dice.f32() - 0.5)) };
        let matrices: Vec<Mat34> = (0..joints * frames).map(matrix).collect();
        clips.push(&matrices, joints, rate).unwrap();
        matrices
    });
    let (mut figures, mut expected) = (Vec::new(), Vec::new());
    for number in 0..200 {
        let clip = dice.usize(..3);
        let (joints, frames, rate) = shapes[clip];
        let (of_joints, mut weights) = ([(); 4].map(|()| dice.usize(..joints)), [(); 4].map(|()| dice.f32()));
        weights[dice.usize(..4)] = 0.0;
        let (point, seconds) = (Vec3::new(dice.f32(), dice.f32(), dice.f32()), dice.f32() * 3.0 - 1.0);
        let last = (frames - 1) as f32;
        let repeated = if frames == 1 { 0.0 } else { seconds.rem_euclid(last / rate) };
        let at = (if number % 2 == 1 { repeated } else { seconds } * rate).clamp(0.0, last);
        let next = (at.floor() + 1.0).min(last) as usize;
        let mut posed = Vec3::ZERO;
        for (&joint, weight) in of_joints.iter().zip(weights) {
            let [a, b] = [at as usize, next].map(|frame| all[clip][frame * joints + joint].transform_point(point));
            posed += weight * a.lerp(b, at.fract());
        }
        expected.push((posed, repeated));
        let words = [
            [of_joints[0], of_joints[1], of_joints[2], of_joints[3]].map(|joint| joint as u32),
            weights.map(f32::to_bits),
        ];
        let rest = [point.x, point.y, point.z, seconds].map(f32::to_bits);
        figures.push([words[0], words[1], rest, [clip as u32, 0, 0, 0]]);
    }

    let posed = vec![[0.0_f32; 4]; figures.len()];
    let clips = clips.bytes();
    let tables = [cast_slice(&figures), cast_slice(&posed), &clips[..]];
    let [figures, posed, clips] =
        tables.map(|bytes: &[u8]| filled(&gpu, bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC));
    let own = vec![figures.as_entire_binding(), posed.as_entire_binding()];
    compute(&gpu, &format!("{BAKED}{SHADER}"), &[(0, own), (2, vec![clips.as_entire_binding()])], 200);
    for (number, (found, (point, seconds))) in read::<[f32; 4]>(&gpu, &posed).into_iter().zip(expected).enumerate() {
        let [x, y, z, repeated] = found;
        assert!(Vec3::new(x, y, z).distance(point) < 1e-5, "{number}: {found:?} is not {point}");
        assert!((repeated - seconds).abs() < 1e-5, "{number}: {repeated} is not {seconds}");
    }
}

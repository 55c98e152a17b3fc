//! Cameras and lights in the shader's layout.

use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade};
use crate::stage::Stage;
use bytemuck::{Pod, Zeroable};
use hedgerow::Scene;
use hedgerow::glam::Vec3;

/// The greatest number of lamps in a frame.
const LAMPS: usize = 16;
/// The bytes from one camera to the next in the buffer of cameras.
pub(super) const STRIDE: usize = 256;
/// The number of views: the camera and the cascades.
pub(super) const EYES: usize = CASCADES + 1;

/// A camera.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Eye {
    view_projection: [f32; 16],
    eye: [f32; 4],
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Light {
    cascades: [[f32; 16]; CASCADES],
    ends: [f32; 4],
    texels: [f32; 4],
    sun: [f32; 4],
    sun_colour: [f32; 4],
    zenith: [f32; 4],
    horizon: [f32; 4],
    ground: [f32; 4],
    forward: [f32; 4],
    numbers: [f32; 4],
    unprojection: [f32; 16],
    lamps: [[[f32; 4]; 4]; LAMPS],
}

/// Returns the cameras of all views, `STRIDE` bytes each. Matrices are relative to `eye`.
pub(super) fn eyes(camera: &Camera, aspect: f32, falls: &[Cascade], eye: Vec3) -> Vec<u8> {
    let eye = eye.extend(0.0).to_array();
    let matrices = [camera.view_projection(aspect)].into_iter().chain(falls.iter().map(|cascade| cascade.matrix));
    let mut bytes = vec![0; STRIDE * EYES];
    for (place, matrix) in bytes.chunks_mut(STRIDE).zip(matrices) {
        let eye = Eye { view_projection: matrix.to_cols_array(), eye };
        place[..size_of::<Eye>()].copy_from_slice(bytemuck::bytes_of(&eye));
    }
    bytes
}

impl Light {
    /// Returns the light in a frame. `shadow_texels` is 0 without shadows.
    pub(super) fn new(
        stage: &Stage,
        scene: &Scene,
        camera: &Camera,
        aspect: f32,
        falls: &[Cascade; CASCADES],
        shadow_texels: u32,
    ) -> Self {
        let wide = |[r, g, b]: [f32; 3]| [r, g, b, 0.0];
        let light = stage.light;
        let mut lamps = [[[0.0; 4]; 4]; LAMPS];
        let mut shining = 0;
        for (lamp, record) in stage.lamps.iter().zip(&mut lamps) {
            let Some(world) = scene.get(lamp.node).map(|node| node.world_f64()) else { continue };
            let place = (world.translation - camera.eye).as_vec3();
            let direction = -world.matrix3.z_axis.as_vec3().normalize_or(Vec3::Z);
            let [inner, outer] = lamp.cone.unwrap_or([1.0, -2.0]);
            *record = [
                place.extend(lamp.range.unwrap_or(0.0)).to_array(),
                wide(lamp.colour),
                direction.extend(inner).to_array(),
                [outer, 0.0, 0.0, 0.0],
            ];
            shining += 1;
        }
        let haze = if light.haze.is_finite() { light.haze.recip() } else { 0.0 };
        let shadows = f32::from(u8::from(shadow_texels > 0));
        Self {
            cascades: falls.map(|cascade| cascade.matrix.to_cols_array()),
            ends: wide(falls.map(|cascade| cascade.end)),
            texels: Vec3::from(falls.map(|cascade| cascade.texel)).extend((shadow_texels as f32).recip()).to_array(),
            sun: stage.sun().extend(0.0).to_array(),
            sun_colour: wide(light.sun_colour),
            zenith: wide(light.zenith),
            horizon: wide(light.horizon),
            ground: wide(light.ground),
            forward: camera.forward.extend(0.0).to_array(),
            numbers: [light.exposure, haze, shining as f32, shadows],
            unprojection: camera.view_projection(aspect).inverse().to_cols_array(),
            lamps,
        }
    }
}

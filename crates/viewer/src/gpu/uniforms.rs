//! Cameras and lights in the shader's layout.

use crate::camera::Camera;
use crate::cascades::{CASCADES, Cascade};
use crate::stage::Stage;
use bytemuck::{Pod, Zeroable};
use hedgerow::Scene;
use hedgerow::glam::{Mat4, Vec3, Vec4};

/// The greatest number of lamps in a frame.
const LAMPS: usize = 16;
/// The number of views: the camera and the cascades.
pub(super) const EYES: usize = CASCADES + 1;
/// The bytes of a camera that the shader reads.
pub(super) const EYE_BYTES: usize = 80;

/// A camera: its matrix, and what is subtracted from translations. It fills the alignment of dynamic offsets.
pub(super) type Eye = [Vec4; 16];

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Light {
    cascades: [Mat4; CASCADES],
    ends: Vec4,
    texels: Vec4,
    sun: Vec4,
    sun_colour: Vec4,
    zenith: Vec4,
    horizon: Vec4,
    ground: Vec4,
    forward: Vec4,
    numbers: Vec4,
    unprojection: Mat4,
    lamps: [[Vec4; 4]; LAMPS],
}

/// Returns the cameras of all views. Matrices are relative to `eye`.
pub(super) fn eyes(camera: &Camera, aspect: f32, falls: &[Cascade; CASCADES], eye: Vec3) -> [Eye; EYES] {
    std::array::from_fn(|number| {
        let fall = number.checked_sub(1).map(|number| falls[number].matrix);
        let Mat4 { x_axis, y_axis, z_axis, w_axis } = fall.unwrap_or_else(|| camera.view_projection(aspect));
        let mut of_view = [Vec4::ZERO; 16];
        of_view[..5].copy_from_slice(&[x_axis, y_axis, z_axis, w_axis, eye.extend(0.0)]);
        of_view
    })
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
        let wide = |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, 0.0);
        let light = stage.light;
        let mut lamps = [[Vec4::ZERO; 4]; LAMPS];
        let mut shining = 0;
        for (lamp, record) in stage.lamps.iter().zip(&mut lamps) {
            let Some(world) = scene.get(lamp.node).map(|node| node.world_f64()) else { continue };
            let place = (world.translation - camera.eye).as_vec3();
            let direction = -world.matrix3.z_axis.as_vec3().normalize_or(Vec3::Z);
            let [inner, outer] = lamp.cone.unwrap_or([1.0, -2.0]);
            let place = place.extend(lamp.range.unwrap_or(0.0));
            *record = [place, wide(lamp.colour), direction.extend(inner), Vec4::new(outer, 0.0, 0.0, 0.0)];
            shining += 1;
        }
        let haze = if light.haze.is_finite() { light.haze.recip() } else { 0.0 };
        let shadows = f32::from(u8::from(shadow_texels > 0));
        Self {
            cascades: falls.map(|cascade| cascade.matrix),
            ends: wide(falls.map(|cascade| cascade.end)),
            texels: Vec3::from(falls.map(|cascade| cascade.texel)).extend((shadow_texels as f32).recip()),
            sun: stage.sun().extend(0.0),
            sun_colour: wide(light.sun_colour),
            zenith: wide(light.zenith),
            horizon: wide(light.horizon),
            ground: wide(light.ground),
            forward: camera.forward.extend(0.0),
            numbers: Vec4::new(light.exposure, haze, shining as f32, shadows),
            unprojection: camera.view_projection(aspect).inverse(),
            lamps,
        }
    }
}

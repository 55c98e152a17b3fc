//! Meshes of about three sub-meshes, for measuring sub-mesh sets.

use super::rng::Rng;
use hedgerow::Aabb;
use hedgerow::glam::{DVec3, Mat4, Vec3, camera::rh};
pub use hedgerow_mesh::SubMesh;
use hedgerow_mesh::{MeshError, MeshSet};

/// The number of sub-meshes in every mesh but the last.
const PARTS: usize = 3;

/// The distance from a camera plane, as a share of the cube's width, within which rounding may decide visibility.
const UNDECIDED: f64 = 1e-5;

/// Meshes scattered in a cube, and cameras inside it.
///
/// No box ends so close to a camera plane that rounding decides its visibility. So every way of culling, with or
/// without a tolerance, must list the same draws.
#[derive(Clone, Debug)]
pub struct Parts {
    sub_meshes: Vec<SubMesh>,
    cameras: Vec<Mat4>,
}

impl Parts {
    /// Creates `sub_meshes` sub-meshes, three per mesh, in a cube 1000 units wide, and `cameras` cameras in the cube.
    pub fn new(sub_meshes: usize, cameras: usize, seed: u64) -> Self {
        let cameras = strewn_cameras(cameras, seed);
        let mut rng = Rng::new(seed + 1);
        let mut parts = Self { sub_meshes: Vec::with_capacity(sub_meshes), cameras };
        let (mut home, mut start) = (Vec3::ZERO, 0);
        while parts.sub_meshes.len() < sub_meshes {
            let mut number = || rng.below(1 << 20) as f32 / 1_048_576.0;
            if parts.sub_meshes.len().is_multiple_of(PARTS) {
                home = Vec3::new(number(), number(), number()) * 1000.0;
                start = 0;
            }
            let center = home + Vec3::new(number(), number(), number()) * 4.0;
            let half = Vec3::new(number(), number(), number()) + 0.1;
            let bounds = Aabb::new(center - half, center + half);
            if parts.cameras.iter().any(|camera| is_undecided(&bounds, camera)) {
                // Starts a new mesh elsewhere, so that the sub-meshes of a mesh stay together.
                parts.sub_meshes.truncate(parts.sub_meshes.len() / PARTS * PARTS);
                continue;
            }
            let end = start + 3 * (1 + rng.below(400));
            parts.sub_meshes.push(SubMesh::new(start..end, rng.below(200), bounds));
            start = end;
        }
        parts
    }

    /// Returns the number and the sub-meshes of each mesh.
    pub fn meshes(&self) -> impl Iterator<Item = (u32, &[SubMesh])> {
        (0..).zip(self.sub_meshes.chunks(PARTS))
    }

    /// Returns the view-projection matrices of the cameras.
    pub fn cameras(&self) -> &[Mat4] {
        &self.cameras
    }

    /// Returns the set of these meshes.
    pub fn set(&self) -> Result<MeshSet, MeshError> {
        let mut set = MeshSet::with_capacity(self.sub_meshes.len().div_ceil(PARTS), self.sub_meshes.len());
        for (mesh, sub_meshes) in self.meshes() {
            set.insert(mesh, sub_meshes)?;
        }
        Ok(set)
    }
}

fn is_undecided(bounds: &Aabb, camera: &Mat4) -> bool {
    let [x, y, z, w] = core::array::from_fn(|row| camera.row(row).as_dvec4());
    [w + x, w - x, w + y, w - y, z, w - z].into_iter().any(|plane| {
        let normal: DVec3 = plane.truncate();
        let corner = DVec3::select(normal.cmpge(DVec3::ZERO), bounds.max.as_dvec3(), bounds.min.as_dvec3());
        (corner.dot(normal) + plane.w).abs() <= UNDECIDED * 1000.0 * normal.length()
    })
}

/// Returns cameras anywhere in a cube 1000 units wide, which see across the whole cube.
fn strewn_cameras(count: usize, seed: u64) -> Vec<Mat4> {
    let mut rng = Rng::new(seed);
    let mut number = || rng.below(1 << 20) as f32 / 1_048_576.0;
    let camera = |_| {
        let eye = Vec3::new(number(), number(), number()) * 1000.0;
        let direction = (Vec3::new(number(), number(), number()) - 0.5).normalize_or(Vec3::X);
        let view = rh::view::look_to_mat4(eye, direction, Vec3::new(0.1, 0.97, 0.2).normalize());
        rh::proj::directx::perspective(0.9, 16.0 / 9.0, 0.1, 2000.0) * view
    };
    (0..count).map(camera).collect()
}

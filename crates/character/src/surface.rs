//! The triangles of a deformed mesh, in parts that a ray or a volume touches or not.

use crate::DeformedMesh;
use hedgerow::glam::Vec3;
use hedgerow::query::{Faces, LocalRay, LocalVolume, Touch, TriangleHit, Triangles};
use hedgerow::{Aabb, Mat34};
use hedgerow_anim::Error;
use hedgerow_anim::skin::{MorphBuffer, Palette, SkinOutput};
use hedgerow_math::internal::{RayTest, cast_listed};
use hedgerow_mesh::TriangleTree;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The factor by which boxes are widened to cover rounding; see `bounds`.
const WIDER: f32 = 1.0 / 524_288.0;

/// From this ray at the parts of one pose on, a tree pays: refitting one takes as long as five of them.
const TREE_FROM: u32 = 5;

/// The greatest number of triangles in a part. Smaller parts cost more boxes than they save triangles.
const MOST: usize = 256;

/// The parts of a mesh: triangles that follow one joint most, in pieces. Clones of a figure share them.
#[derive(Debug)]
struct Parts {
    parts: Vec<Part>,
    /// The triangles, part by part.
    order: Vec<u32>,
}

#[derive(Debug)]
struct Part {
    /// Its triangles are those of the order up to here, from the end of the part before.
    end: usize,
    /// For each joint that its vertices follow, the box of these vertices in the bind pose: center and half of its size.
    joints: Vec<(u16, [Vec3; 2])>,
    /// For each morph target, the greatest displacement on each axis at weight 1.
    extents: Vec<Vec3>,
}

/// The triangles of a mesh in its present pose.
#[derive(Debug)]
pub(crate) struct Surface {
    shared: Arc<Parts>,
    positions: Vec<[f32; 3]>,
    /// Whether `positions` are those of the present pose.
    skinned: bool,
    /// The number of rays at this pose that touch parts.
    rays: u32,
    tree: Option<TriangleTree>,
}

/// A clone shares the parts, and computes what a pose needs anew.
impl Clone for Surface {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), positions: Vec::new(), skinned: false, rays: 0, tree: None }
    }
}

/// What the present pose is computed from.
pub(crate) struct Pose<'p> {
    pub(crate) mesh: &'p DeformedMesh,
    pub(crate) palette: &'p [Mat34],
    pub(crate) weights: &'p [f32],
    pub(crate) morphed: &'p mut MorphBuffer,
}

impl Parts {
    fn new(DeformedMesh { mesh, triangles, skin, .. }: &DeformedMesh) -> Result<Self, Error> {
        let bind = vec![Mat34::IDENTITY; skin.len()];
        let (mut morphed, mut weights) = (MorphBuffer::new(), vec![0.0; mesh.morph_targets()]);
        let mut at_weights = |weights: &[f32]| {
            let mut positions = vec![[0.0_f32; 3]; mesh.len()];
            mesh.skin_morphed(Palette::of(skin, &bind)?, weights, &mut morphed, SkinOutput::new(&mut positions[..]))?;
            Ok::<_, Error>(positions)
        };
        let rest = at_weights(&weights)?;
        let mut targets = Vec::new();
        for target in 0..weights.len() {
            weights.fill(0.0);
            weights[target] = 1.0;
            targets.push(at_weights(&weights)?);
        }
        let influences: Vec<([u16; 8], [f32; 8])> = mesh.influences::<8>().collect();
        // The heaviest joint of a vertex is its first.
        let main = |&triangle: &u32| influences[triangles[triangle as usize][0] as usize].0[0];
        let is_sound = |(_, corners): &(u32, &[u32; 3])| corners.iter().all(|&vertex| (vertex as usize) < rest.len());
        let mut order: Vec<u32> = (0..).zip(triangles).filter(is_sound).map(|(triangle, _)| triangle).collect();
        order.sort_by_key(main);
        let part = |listed: &[u32], end| {
            let (mut joints, mut extents) = (BTreeMap::new(), vec![Vec3::ZERO; targets.len()]);
            for vertex in listed.iter().flat_map(|&triangle| triangles[triangle as usize]).map(|vertex| vertex as usize)
            {
                let position = Vec3::from(rest[vertex]);
                let (followed, weights) = &influences[vertex];
                for (&joint, _) in followed.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                    let bounds = joints.entry(joint).or_insert(Aabb::EMPTY);
                    *bounds = bounds.merge(&Aabb::new(position, position));
                }
                for (extent, target) in extents.iter_mut().zip(&targets) {
                    let target = Vec3::from(target[vertex]);
                    // The difference has lost digits, which a great weight would magnify.
                    *extent = extent.max((target - position).abs() + (target.abs() + position.abs()) * WIDER);
                }
            }
            let halves = |bounds: Aabb| [(bounds.min + bounds.max) * 0.5, bounds.size() * 0.5];
            Part { end, joints: joints.into_iter().map(|(joint, bounds)| (joint, halves(bounds))).collect(), extents }
        };
        let (mut parts, mut end) = (Vec::new(), 0);
        for listed in order.chunk_by_mut(|a, b| main(a) == main(b)) {
            // Across the longest axis, so that a ray meets few.
            let place = |triangle: &u32| Vec3::from(rest[triangles[*triangle as usize][0] as usize]);
            let axis = Aabb::from_points(listed.iter().map(place)).size().max_position();
            listed.sort_by(|a, b| place(a)[axis].total_cmp(&place(b)[axis]));
            let count = listed.len().div_ceil(MOST);
            for listed in listed.chunks(listed.len().div_ceil(count)) {
                end += listed.len();
                parts.push(part(listed, end));
            }
        }
        Ok(Self { parts, order })
    }

    /// Returns the triangles of each part, and the box that they are in at a pose. A vertex is a mean of what its joints
    /// make of it, so it is in the box around the joints' boxes.
    fn posed(&self, palette: &[Mat34], weights: &[f32]) -> impl Iterator<Item = (&[u32], Aabb)> {
        let mut from = 0;
        self.parts.iter().map(move |part| {
            let listed = &self.order[from..part.end];
            from = part.end;
            let reach: Vec3 = part.extents.iter().zip(weights).map(|(&extent, weight)| extent * weight.abs()).sum();
            let boxes =
                part.joints.iter().map(|&(joint, [c, half])| moved(c, half + reach, &palette[usize::from(joint)]));
            (listed, boxes.fold(Aabb::EMPTY, |all, bounds| all.merge(&bounds)))
        })
    }
}

/// Returns the box around a transformed box, and around what rounding makes of points in it.
fn moved(center: Vec3, half: Vec3, matrix: &Mat34) -> Aabb {
    let wide = half + (center.abs() + half) * WIDER;
    let place = |[x, y, z, w]: [f32; 4]| x * center.x + y * center.y + z * center.z + w;
    let reach = |[x, y, z, w]: [f32; 4]| {
        x.abs() * wide.x + y.abs() * wide.y + z.abs() * wide.z + (place([x, y, z, w]).abs() + w.abs()) * WIDER
    };
    let (place, reach) = (Vec3::from(matrix.rows.map(place)), Vec3::from(matrix.rows.map(reach)));
    Aabb::new(place - reach, place + reach)
}

impl Surface {
    /// Creates the surface. Runs in **O(triangles log triangles + vertices × targets)**.
    pub(crate) fn new(mesh: &DeformedMesh) -> Result<Self, Error> {
        let shared = Arc::new(Parts::new(mesh)?);
        Ok(Self { shared, positions: Vec::new(), skinned: false, rays: 0, tree: None })
    }

    /// Forgets the pose.
    pub(crate) fn forget(&mut self) {
        (self.skinned, self.rays) = (false, 0);
    }

    /// Returns the nearest hit of a ray.
    pub(crate) fn cast(
        &mut self,
        pose: &mut Pose<'_>,
        ray: &LocalRay,
        limit: f64,
        faces: Faces,
    ) -> Result<Option<TriangleHit>, Error> {
        if let Some(tree) = self.tree.as_ref().filter(|_| self.rays >= TREE_FROM) {
            return Ok(tree.cast(Triangles::new(&self.positions, &pose.mesh.triangles), ray, limit, faces));
        }
        let shared = Arc::clone(&self.shared);
        let mut touched = Vec::new();
        let mut all = Aabb::EMPTY;
        for (listed, bounds) in shared.posed(pose.palette, pose.weights) {
            let (near, far) = ray.slabs(bounds.min.as_dvec3(), bounds.max.as_dvec3());
            let passed = near > far || near > limit;
            // Boxes without numbers are touched.
            if !passed {
                all = all.merge(&bounds);
                touched.push((near, listed));
            }
        }
        // A figure that the ray passes is not skinned.
        let Some(test) = RayTest::new(ray, faces).filter(|_| !touched.is_empty()) else { return Ok(None) };
        self.skin(pose)?;
        self.rays = self.rays.saturating_add(1);
        let mesh = Triangles::new(&self.positions, &pose.mesh.triangles);
        if self.rays == TREE_FROM {
            fit(&mut self.tree, mesh);
            if let Some(tree) = &self.tree {
                return Ok(tree.cast(mesh, ray, limit, faces));
            }
        }
        touched.sort_by(|a, b| a.0.total_cmp(&b.0));
        let sieve = test.sieve(ray.at(touched[0].0), all.size().max_element().into());
        let mut best = None::<TriangleHit>;
        for (near, listed) in touched {
            let limit = best.map_or(limit, |best| best.t);
            if near > limit {
                break;
            }
            let hit = cast_listed(&test, &sieve, mesh, listed, limit);
            best = hit.filter(|hit| best.is_none_or(|best| hit.precedes(&best))).or(best);
        }
        Ok(best)
    }

    /// Returns how much of the surface is in a volume.
    pub(crate) fn touch(&mut self, pose: &mut Pose<'_>, volume: &LocalVolume) -> Result<Touch, Error> {
        let shared = Arc::clone(&self.shared);
        let mut all = None;
        let mut add = |touch: Touch| {
            let same = all.is_none_or(|before| before == touch);
            *all.insert(if same { touch } else { Touch::Part })
        };
        for (listed, Aabb { min, max }) in shared.posed(pose.palette, pose.weights) {
            let touch = volume.touch_box(min.as_dvec3(), max.as_dvec3());
            if touch != Touch::Part {
                add(touch);
                continue;
            }
            self.skin(pose)?;
            let mesh = Triangles::new(&self.positions, &pose.mesh.triangles);
            for corners in listed.iter().filter_map(|&triangle| mesh.corners(triangle)) {
                if add(volume.touch(corners.map(Vec3::as_dvec3))) == Touch::Part {
                    return Ok(Touch::Part);
                }
            }
        }
        Ok(all.unwrap_or(Touch::None))
    }

    /// Skins all vertices, unless it was done: to skin a part takes longer.
    fn skin(&mut self, Pose { mesh: shared, palette, weights, morphed }: &mut Pose<'_>) -> Result<(), Error> {
        if !self.skinned {
            self.positions.resize(shared.mesh.len(), [0.0; 3]);
            let palette = Palette::of(&shared.skin, palette)?;
            shared.mesh.skin_morphed(palette, weights, morphed, SkinOutput::new(&mut self.positions[..]))?;
            self.skinned = true;
        }
        Ok(())
    }
}

/// Fits a tree to a pose. There is none for positions beyond single precision.
fn fit(tree: &mut Option<TriangleTree>, mesh: Triangles<'_>) {
    let fitted = match tree.take() {
        Some(mut tree) => tree.refit(mesh).map(|()| tree),
        None => TriangleTree::build(mesh),
    };
    *tree = fitted.ok();
}

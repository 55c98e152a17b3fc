//! Skins and skinned meshes. Built ones are compared with sums in double precision. Changed bytes are refused or give
//! working meshes.

use crate::checksum::set_checksum;
use crate::dice::Dice;
use crate::forged;
use hedgerow_anim::skin::{MorphBuffer, MorphTarget, Skin, SkinOutput, SkinnedMesh};
use hedgerow_math::Mat34;
use hedgerow_math::glam::{DMat3, DVec3};

/// Settings, and changes of the bytes.
pub type Input = crate::Input<16, { forged::BEND_BYTES }>;

/// The greatest number of changes; more would leave nothing of a mesh.
const MOST_BENDS: usize = 16;

/// The arguments of a mesh builder.
struct Lists {
    skin: Skin,
    positions: Vec<[f32; 3]>,
    normals: Option<Vec<[f32; 3]>>,
    tangents: Option<Vec<[f32; 4]>>,
    count: usize,
    joints: Vec<u16>,
    weights: Vec<f32>,
    indices: Vec<u32>,
    targets: Vec<Deltas>,
}

/// The vertices of a morph target (`None` means all), and their deltas.
type Deltas = (Option<Vec<u32>>, Vec<[f32; 3]>);

pub fn run(input: &Input) {
    let mut dice = Dice::new(&input.head);
    let mut lists = lists(&mut dice, &input.head);
    let broken = break_one(&mut lists, &mut dice, input.head[12]);
    let built = build(&lists);
    if broken {
        let Err(error) = built else { panic!("a broken list is accepted") };
        assert!(!error.to_string().is_empty());
        return;
    }
    let mesh = built.expect("sound lists");
    let models: Vec<Mat34> = (0..lists.skin.len() + 3).map(|_| dice.transform().to_matrix()).collect();
    check(&mesh, &lists, &models, &mut dice);

    let mut skin_bytes = lists.skin.to_bytes();
    assert_eq!(Skin::from_bytes(&skin_bytes).as_ref(), Ok(&lists.skin), "the skin that was written is read");
    let mut mesh_bytes = mesh.to_bytes();
    assert_eq!(SkinnedMesh::from_bytes(&mesh_bytes).as_ref(), Ok(&mesh), "the mesh that was written is read");
    for (turn, &how) in input.steps.iter().take(MOST_BENDS).enumerate() {
        let bytes = if turn % 4 == 3 { &mut skin_bytes } else { &mut mesh_bytes };
        forged::bend(bytes, how);
        set_checksum(bytes);
        if turn % 4 == 3 {
            if let Ok(skin) = Skin::from_bytes(bytes) {
                live_on_skin(&skin, bytes);
            }
        } else if let Ok(mesh) = SkinnedMesh::from_bytes(bytes) {
            live_on(mesh, bytes);
        }
    }
}

fn lists(dice: &mut Dice, head: &[u8; 16]) -> Lists {
    let joints = 1 + usize::from(head[8] % 40);
    let vertices = usize::from(head[9] % 70);
    let count = usize::from(head[10] % 9);
    let binds = (0..joints).map(|_| dice.transform().to_matrix()).collect();
    let of_skeleton = |dice: &mut Dice| u16::try_from(dice.index(joints + 3)).expect("few joints");
    let skin = Skin::new((0..joints).map(|_| of_skeleton(dice)).collect(), binds).expect("a sound skin");
    let mut vectors = |count: usize| -> Vec<[f32; 3]> { (0..count).map(|_| dice.vector().to_array()).collect() };
    let positions = vectors(vertices);
    let normals = (head[11] & 1 == 0).then(|| vectors(vertices));
    let tangents = (head[11] & 6 == 0 && normals.is_some())
        .then(|| vectors(vertices).into_iter().map(|[x, y, z]| [x, y, z, 1.0]).collect());
    let targets = (0..head[13] % 4)
        .map(|target| {
            if target == 1 {
                return (None, (0..vertices).map(|_| dice.vector().to_array()).collect());
            }
            let some = (0..vertices).filter(|_| dice.one_of(3)).map(|vertex| u32::try_from(vertex).expect("few"));
            let some: Vec<u32> = some.collect();
            let deltas = some.iter().map(|_| dice.vector().to_array()).collect();
            (Some(some), deltas)
        })
        .collect();
    let joint = |dice: &mut Dice| u16::try_from(dice.index(joints)).expect("few joints");
    let weight = |dice: &mut Dice| if dice.one_of(3) { 0.0 } else { dice.share() };
    Lists {
        skin,
        count,
        joints: (0..vertices * count).map(|_| joint(dice)).collect(),
        weights: (0..vertices * count).map(|_| weight(dice)).collect(),
        indices: (0..if vertices == 0 { 0 } else { 9 })
            .map(|_| u32::try_from(dice.index(vertices)).expect("few"))
            .collect(),
        positions,
        normals,
        tangents,
        targets,
    }
}

/// Sometimes breaks one list. Returns whether it did.
fn break_one(lists: &mut Lists, dice: &mut Dice, how: u8) -> bool {
    let vertices = lists.positions.len();
    if vertices == 0 || how < 200 {
        return false;
    }
    let at = dice.index(vertices);
    let has_influences = lists.count > 0;
    match how {
        200..=207 => lists.positions[at][1] = f32::NAN,
        208..=215 if has_influences => lists.weights[at * lists.count] = -0.5,
        216..=223 if has_influences => lists.weights[at * lists.count] = f32::INFINITY,
        224..=231 if has_influences => {
            let (from, to) = (at * lists.count, (at + 1) * lists.count);
            lists.weights[from..to].fill(0.5);
            lists.joints[from] = u16::try_from(lists.skin.len()).expect("few joints");
        }
        232..=239 => lists.indices[0] = u32::try_from(vertices).expect("few vertices"),
        240..=247 if has_influences => drop(lists.weights.pop()),
        248..=255 => lists.targets.push((Some(vec![u32::MAX]), vec![[0.0; 3]])),
        _ => return false,
    }
    true
}

fn build(lists: &Lists) -> Result<SkinnedMesh, hedgerow_anim::Error> {
    let mut builder = SkinnedMesh::builder(&lists.positions).indices(&lists.indices);
    if let Some(normals) = &lists.normals {
        builder = builder.normals(normals);
    }
    if let Some(tangents) = &lists.tangents {
        builder = builder.tangents(tangents);
    }
    if lists.count > 0 {
        builder = builder.influences(lists.count, &lists.joints, &lists.weights);
    }
    for (vertices, positions) in &lists.targets {
        builder =
            builder.morph_target(MorphTarget { vertices: vertices.as_deref(), positions, ..MorphTarget::default() });
    }
    builder.build(&lists.skin)
}

/// Returns the influences of a vertex by the builder's documentation: merged, the four greatest, sum 1. Returns `None`
/// if the fourth and fifth are so close that rounding decides.
fn influences(lists: &Lists, vertex: usize) -> Option<Vec<(u16, f64)>> {
    let range = vertex * lists.count..(vertex + 1) * lists.count;
    let (joints, weights) = (&lists.joints[range.clone()], &lists.weights[range]);
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    if total == 0.0 {
        return Some(vec![(joints.first().copied().unwrap_or(0), 1.0)]);
    }
    let mut merged: Vec<(u16, f64)> = Vec::new();
    for (&joint, &weight) in joints.iter().zip(weights).filter(|(_, weight)| f64::from(**weight) > total * 3e-7) {
        match merged.iter_mut().find(|(other, _)| *other == joint) {
            Some((_, sum)) => *sum += f64::from(weight),
            None => merged.push((joint, f64::from(weight))),
        }
    }
    merged.sort_by(|a, b| b.1.total_cmp(&a.1));
    if merged.len() > 4 && merged[3].1 - merged[4].1 < 1e-6 * total {
        return None;
    }
    merged.truncate(4);
    let kept: f64 = merged.iter().map(|(_, weight)| weight).sum();
    merged.iter_mut().for_each(|(_, weight)| *weight /= kept);
    Some(merged)
}

/// Compares skinned and morphed positions with sums in double precision.
fn check(mesh: &SkinnedMesh, lists: &Lists, models: &[Mat34], dice: &mut Dice) {
    let vertices = lists.positions.len();
    assert_eq!((mesh.len(), mesh.joints()), (vertices, lists.skin.len()));
    let mut places = mesh.permutation().to_vec();
    places.sort_unstable();
    assert!(places.iter().enumerate().all(|(at, &vertex)| at == vertex as usize), "a permutation");
    for (index, &given) in mesh.indices().iter().zip(&lists.indices) {
        assert_eq!(mesh.permutation()[*index as usize], given, "an index names its vertex");
    }
    let mut room = Vec::new();
    let palette = lists.skin.palette(models, &mut room).expect("matrices for all joints");
    let weights: Vec<f32> = lists.targets.iter().map(|_| if dice.one_of(3) { 0.0 } else { dice.number() }).collect();
    let mut found = vec![[0.0_f32; 3]; vertices];
    if weights.is_empty() {
        mesh.skin(palette, SkinOutput::new(&mut found[..])).expect("room for all");
    } else {
        let mut buffer = MorphBuffer::new();
        mesh.skin_morphed(palette, &weights, &mut buffer, SkinOutput::new(&mut found[..])).expect("room for all");
    }
    let told: Vec<([u16; 4], [f32; 4])> = mesh.influences().collect();
    assert_eq!(told.len(), vertices);
    for (place, found) in found.iter().enumerate() {
        let vertex = mesh.permutation()[place] as usize;
        let Some(influences) = influences(lists, vertex) else { continue };
        let (joints, weights_told) = told[place];
        for &(joint, weight) in &influences {
            let of_joint = joints.iter().zip(weights_told).filter(|&(&other, _)| other == joint);
            let told: f64 = of_joint.map(|(_, weight)| f64::from(weight)).sum();
            assert!((told - weight).abs() < 2e-6, "vertex {vertex} follows joint {joint} by {told}, not {weight}");
        }
        let mut bind = wide(lists.positions[vertex]);
        for ((some, deltas), &weight) in lists.targets.iter().zip(&weights) {
            let listed =
                some.as_ref().map_or(Some(vertex), |some| some.iter().position(|&other| other as usize == vertex));
            bind += listed.map_or(DVec3::ZERO, |at| wide(deltas[at]) * f64::from(weight));
        }
        let moved: DVec3 = influences.iter().map(|&(joint, weight)| moved(lists, models, joint, bind) * weight).sum();
        let off = (wide(*found) - moved).length();
        assert!(off < 2e-5 * (1.0 + moved.length()), "vertex {vertex} is at {found:?}, not {moved}: {off} off");
    }
}

/// Moves a point of the bind pose by a joint of the skin.
fn moved(lists: &Lists, models: &[Mat34], joint: u16, bind: DVec3) -> DVec3 {
    let (of_skeleton, inverse) =
        (lists.skin.joints()[usize::from(joint)], lists.skin.inverse_binds()[usize::from(joint)]);
    [inverse, models[usize::from(of_skeleton)]].iter().fold(bind, |point, matrix| {
        let rows = matrix.rows.map(|row| row.map(f64::from));
        let linear = DMat3::from_cols_array_2d(&rows.map(|[x, y, z, _]| [x, y, z])).transpose();
        linear * point + DVec3::from_array(rows.map(|row| row[3]))
    })
}

fn wide(point: [f32; 3]) -> DVec3 {
    DVec3::from_array(point.map(f64::from))
}

/// Uses a skin of changed bytes, and checks that it is written as it was read.
pub fn live_on_skin(skin: &Skin, bytes: &[u8]) {
    assert_eq!(skin.to_bytes(), bytes, "other bytes than were read");
    let models = vec![Mat34::IDENTITY; skin.joints().iter().copied().max().map_or(0, |most| usize::from(most) + 1)];
    let mut room = Vec::new();
    assert_eq!(skin.palette(&models, &mut room).expect("matrices for all joints").len(), skin.len());
}

/// Uses a mesh of changed bytes, and checks that it is written as it was read.
pub fn live_on(mut mesh: SkinnedMesh, bytes: &[u8]) {
    assert_eq!(mesh.to_bytes(), bytes, "other bytes than were read");
    // The id of the skin may be changed too.
    let binds = vec![Mat34::IDENTITY; mesh.joints()];
    let numbers = (0..mesh.joints()).map(|joint| u16::try_from(joint).expect("as many as influences can number"));
    let skin = Skin::new(numbers.collect(), binds.clone()).expect("a sound skin");
    mesh.set_skin(&skin).expect("as many joints");
    let mut room = Vec::new();
    let palette = skin.palette(&binds, &mut room).expect("matrices for all joints");
    let (mut positions, mut normals) = (vec![[0.0_f32; 3]; mesh.len()], vec![[0.0_f32; 4]; mesh.len()]);
    let mut tangents = vec![[0.0_f32; 4]; mesh.len()];
    let mut output = SkinOutput::new(&mut positions[..]);
    if mesh.has_normals() {
        output = output.normals(&mut normals[..]);
    }
    if mesh.has_tangents() {
        output = output.tangents(&mut tangents);
    }
    let weights = vec![0.5; mesh.morph_targets()];
    mesh.skin_morphed(palette, &weights, &mut MorphBuffer::new(), output).expect("room for all");
    let bounds = mesh.bounds(palette).expect("its own skin");
    let everything = mesh.is_empty() || !bounds.is_empty();
    assert!(everything, "a mesh with vertices has no box");
    assert!(mesh.permutation().iter().all(|&vertex| (vertex as usize) < mesh.len()));
    assert!(mesh.indices().iter().all(|&index| (index as usize) < mesh.len()));
}

//! Edits and configurations from bytes. Zero bytes give the simplest edits, so that a shrunk failure is easy to read.

use super::op::{Budget, Change, End, Flaw, Op, SortKey, Step, Target, Visit, Where};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{
    Aabb, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, SceneConfig, Transform, ViewRange, Visibility,
};

/// The number of bytes that make a step.
pub const STEP_BYTES: usize = 24;
/// The number of bytes that make a configuration.
pub const POLICY_BYTES: usize = 8;

/// The names of nodes: few, so that duplicates are normal.
const NAMES: [&str; 7] = ["car", "wheel", "door", "wheel/fl", "", "äpple", "a rather long name of a node"];

/// Returns a configuration, mostly with tiny slices.
pub fn policy(bytes: [u8; POLICY_BYTES]) -> SceneConfig {
    let [size, _, more, mode, ..] = bytes;
    let max_nodes = match (size % 4, u32::from(more)) {
        _ if size >= 224 => 4096,
        (0, _) => 8,
        (1, more) => 9 + more % 16,
        (2, more) => 25 + more % 40,
        _ => 256,
    };
    SceneConfig { max_nodes, bounds: mode & 8 != 0, changes: mode & 64 == 0, ..SceneConfig::DEFAULT }
}

/// Returns the configuration with or without the change feed and boxes, by the bytes.
pub fn in_mode(config: SceneConfig, bytes: [u8; POLICY_BYTES]) -> SceneConfig {
    let SceneConfig { changes, bounds, .. } = policy(bytes);
    SceneConfig { changes, bounds, ..config }
}

fn policy_of(payload: &[u8; 14]) -> SceneConfig {
    let mut bytes = [0; POLICY_BYTES];
    bytes.copy_from_slice(&payload[..POLICY_BYTES]);
    any_policy(bytes)
}

/// Returns any configuration in any mode: mostly with tiny slices, sometimes the default.
pub fn any_policy(bytes: [u8; POLICY_BYTES]) -> SceneConfig {
    match bytes[7] >> 4 {
        13 | 14 => in_mode(SceneConfig::DEFAULT, bytes),
        15 => in_mode(SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT }, bytes),
        _ => policy(bytes),
    }
}

/// Returns the greatest number of nodes in the tree.
pub fn most_nodes(bytes: [u8; POLICY_BYTES]) -> usize {
    [24, 60, 120, 300][usize::from(bytes[7] % 4)]
}

/// Returns whether most updates are skipped, so that edits meet slices that no update has processed.
pub fn is_lazy(bytes: [u8; POLICY_BYTES]) -> bool {
    bytes[7] & 12 == 4
}

/// The value of a step's second byte that omits the update after it.
pub const NO_UPDATE: u8 = 7;

pub fn step(bytes: &[u8; STEP_BYTES]) -> Step {
    let [selector, flags, p0, p1, a0, a1, a2, b0, b1, b2, payload @ ..] = *bytes;
    let node = target(a0, [a1, a2]);
    let op = op(selector, node, place(b0, [b1, b2]), &payload);
    Step { op, update: flags & NO_UPDATE < 5 && flags != 0, probe: u16::from_le_bytes([p0, p1]) }
}

/// Decodes a step of a run with frequent batches: three of four steps are batches.
pub fn batch_step(bytes: &[u8; STEP_BYTES]) -> Step {
    let [selector, _, _, _, a0, a1, a2, b0, b1, b2, payload @ ..] = *bytes;
    let (node, other) = (target(a0, [a1, a2]), target(b0, [b1, b2]));
    let (more, seed) = (payload[12] % 24, payload[13]);
    let keep = if payload[11] & 1 == 0 { Keep::Local } else { Keep::World };
    let op = match selector % 16 {
        0 | 1 => Op::SetWorlds { node, world: matrix(&payload), transform: transform(&payload), more, seed },
        2 => Op::DetachMany { node, more: more % 6, seed },
        3..=5 => Op::ReparentMany { node, to: other, keep, more, seed },
        6 => Op::Topmost { node, more, seed },
        9 => Op::RemoveMany { node, more: more % 8, seed },
        10 => Op::SetLocals { node, transform: transform(&payload), more, seed },
        7 | 8 | 11 => {
            Op::Build { at: place(b0, [b1, b2]), node: description(&payload), more, seed, flaw: flaw(payload[9]) }
        }
        _ => {
            let mut other = *bytes;
            other[0] = payload[0].wrapping_mul(29);
            return step(&other);
        }
    };
    Step { op, ..step(bytes) }
}

/// Decodes a step of a run with frequent visits: every second step is a visit.
pub fn visit_step(bytes: &[u8; STEP_BYTES]) -> Step {
    let mut bytes = *bytes;
    if bytes[0].is_multiple_of(2) {
        // These numbers are the visits of [`op`].
        bytes[0] = 38 + bytes[0] / 2 % 5;
    }
    step(&bytes)
}

fn op(selector: u8, node: Target, at: Where, payload: &[u8; 14]) -> Op {
    let first = payload[0];
    match selector {
        0..=37 => Op::Insert { at, node: description(payload) },
        38..=42 => {
            let more = (first / 8).saturating_sub(12);
            Op::Visit { visit: visit(payload), below: node, more, seed: payload[1] }
        }
        43..=45 => Op::Crowd { at, node: description(payload), more: first % 64 },
        46..=53 => Op::Plant { at, node: description(payload), more: first % 16, seed: payload[13] },
        54..=55 => {
            let keep = if payload[13] & 1 == 0 { Keep::Local } else { Keep::World };
            let by = Target::Detached(u16::from(payload[11]));
            Op::Detour { node, by, change: change(payload), to: at, keep }
        }
        56..=61 | 69..=72 => Op::Build {
            at,
            node: description(payload),
            more: payload[10] % 32,
            seed: payload[13],
            flaw: flaw(payload[9]),
        },
        62..=65 => Op::Duplicate { node, to: at },
        66..=68 => Op::DuplicateFrom { node, to: at },
        73..=76 => Op::Remove(node),
        77..=84 => Op::Remove(node.leafward()),
        85..=87 => Op::RemoveMany { node, more: first % 8, seed: payload[13] },
        88..=90 => Op::Remove(node),
        91..=94 => Op::Detach(node),
        95..=96 => Op::DetachMany { node, more: first % 8, seed: payload[13] },
        97..=99 => Op::Attach { node: node.detached(), to: at, keep: Keep::Local },
        100..=101 => Op::Attach { node: node.detached(), to: at, keep: Keep::World },
        102..=131 => Op::Reparent { node, to: at, keep: Keep::Local },
        132..=151 => Op::Reparent { node, to: at, keep: Keep::World },
        152..=155 => Op::ModifyLocal(node, transform(payload)),
        156..=157 => Op::SetNode(node, description(payload)),
        158..=160 => Op::SetLocal(node, transform(payload)),
        161 => Op::SetWorlds {
            node,
            world: matrix(payload),
            transform: transform(payload),
            more: payload[12] % 16,
            seed: payload[13],
        },
        162..=163 => Op::SetLocals { node, transform: transform(payload), more: payload[12] % 16, seed: payload[13] },
        164..=169 => Op::SetLocalMatrix(node, matrix(payload)),
        170..=177 => Op::SetWorld(node, matrix(payload)),
        178..=181 => Op::LookAt { node, target: point(payload, 1), up: point(payload, 4) },
        182..=185 => Op::SetLocal(node, transform(payload)),
        186..=187 => Op::SetTranslation(node, precise(payload)),
        188..=193 => Op::RemoveTransform(node),
        194..=197 => Op::AddMaterial(node, u32::from(first)),
        198..=199 => Op::RemoveMaterial(node),
        200..=201 => {
            let keep = if payload[13] & 1 == 0 { Keep::Local } else { Keep::World };
            Op::SetAnchored { node, anchored: first & 3 != 0, keep }
        }
        202 => Op::SetMesh(node, u32::from(first)),
        203..=204 => Op::AddDrawable(node, drawable(payload[11], first)),
        205 => Op::SetBounds(node, drawable(payload[11], first).bounds),
        206..=209 => Op::RemoveDrawable(node),
        210..=211 => Op::SetLayers(node, Some(layers(first))),
        212..=213 => Op::SetLayers(node, None),
        214..=217 => Op::SetVisibility(node, visibility(first)),
        218..=223 => Op::SetName(node, name(first)),
        224..=226 => Op::SortChildren(node, sort_key(first)),
        227..=228 => Op::Drag { of: node, more: first % 64, seed: payload[13] },
        229 if first < 24 => Op::Clear,
        229..=239 | 242..=247 => Op::Maintain(budget(first)),
        240..=241 => Op::Reload {
            options: SaveOptions { detached: payload[13] & 1 == 0 },
            config: (payload[13] & 12 == 0).then(|| policy_of(payload)),
        },
        248 => Op::ShrinkToFit,
        249..=251 => Op::TryReserve(node, if first >= 240 { usize::MAX } else { usize::from(first) }),
        252..=255 => Op::Update,
    }
}

fn target(kind: u8, which: [u8; 2]) -> Target {
    let index = u16::from_le_bytes(which);
    match kind {
        0..=147 => Target::Live(index),
        148..=187 => Target::Recent(which[0]),
        188..=227 => Target::Top(index),
        228..=239 => Target::Detached(index),
        240..=243 => Target::Leaf(index),
        244..=247 => Target::Root,
        248..=251 => Target::Stale(index),
        252..=255 => Target::Bits(bits(which)),
    }
}

/// Returns a handle that may be live, stale, or of a record that does not exist.
fn bits(which: [u8; 2]) -> u64 {
    let [low, high] = which.map(u64::from);
    match high {
        0..=127 => (high << 5 | low >> 3) << 32 | low & 7,
        _ => (low << 32 | high).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    }
}

fn place(kind: u8, which: [u8; 2]) -> Where {
    // The two low bits choose the place, the others its anchor.
    let anchor = target(kind & !3, which);
    match kind & 3 {
        1 | 2 if which[1] >= 224 => Where::Child(anchor, usize::from(which[1] % 8)),
        3 if which[1] >= 240 => Where::Detached,
        0 => Where::Last(anchor),
        1 => Where::First(anchor),
        2 => Where::After(anchor),
        _ => Where::Before(anchor),
    }
}

/// Returns the node that a step inserts: components from bits, the transform from the payload.
fn description(payload: &[u8; 14]) -> Node<'static> {
    let (parts, rare) = (payload[13], payload[11] ^ payload[12]);
    let local = (parts & 3 != 0).then(|| local(payload));
    // A refused translation may come without a local transform.
    let wide = local.is_some() || payload[0] >= 254;
    Node {
        local,
        material: (parts & 12 == 12).then(|| u32::from(payload[12] & 7)),
        drawable: (parts & 16 != 0).then(|| drawable(payload[11], payload[12])),
        visibility: visibility(rare),
        layers: (parts & 96 == 96).then(|| layers(payload[12] >> 1)),
        view_range: (rare & 24 == 24).then(|| ViewRange::new(rare.into(), 300.0).unwrap()),
        name: if parts & 128 != 0 { name(payload[12]) } else { None },
        anchored: rare & 15 == 9,
        user_data: if rare & 7 == 7 { rare.into() } else { 0 },
        translation_f64: (wide && rare & 56 == 56).then(|| precise(payload)),
    }
}

fn local(payload: &[u8; 14]) -> Local {
    if matches!(payload[0], 200..=239 | 250..=251) {
        Local::Matrix(matrix(payload))
    } else {
        Local::Transform(transform(payload))
    }
}

fn coordinate(byte: u8) -> f32 {
    f32::from(byte.cast_signed()) * 0.173
}

fn point(payload: &[u8; 14], from: usize) -> Vec3 {
    let point = Vec3::new(coordinate(payload[from]), coordinate(payload[from + 1]), coordinate(payload[from + 2]));
    match payload[0] {
        248..=251 => point.with_y(f32::NAN),
        252..=255 => point.with_x(f32::NEG_INFINITY),
        _ => point,
    }
}

/// Returns a translation, rotation and scale. The first byte chooses a fault, usually none.
fn transform(payload: &[u8; 14]) -> Transform {
    let [style, tx, ty, tz, qx, qy, qz, qw, sx, sy, sz, ..] = *payload;
    let translation = Vec3::new(coordinate(tx), coordinate(ty), coordinate(tz));
    let [x, y, z, w] = [qx, qy, qz, qw].map(|byte| f32::from(byte.cast_signed()) / 64.0);
    let turned = Quat::from_xyzw(x, y, z, w);
    let rotation = if turned.length_squared() == 0.0 { Quat::IDENTITY } else { turned };
    let good = Transform { translation, rotation, scale: Vec3::new(scale(sx), scale(sy.min(254)), scale(sz.min(254))) };
    match style {
        242 => good.with_translation(translation.with_z(f32::NAN)),
        243 => good.with_scale(good.scale.with_x(f32::INFINITY)),
        244 => good.with_rotation(Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0)),
        245..=246 => good.with_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        247 => good.with_translation(translation.with_x(f32::NEG_INFINITY)),
        252..=253 => good.with_rotation(rotation * 1e-25),
        254 => good.with_rotation(rotation * 1e30),
        _ => good,
    }
}

/// Returns a translation that single precision may not hold, sometimes an invalid one.
fn precise(payload: &[u8; 14]) -> DVec3 {
    let [style, x, y, z, fraction, ..] = *payload;
    let off = f64::from(fraction) / 257.0 * 1e-3;
    let good = DVec3::new(coordinate(x).into(), coordinate(y).into(), coordinate(z).into()) + off;
    match style {
        242 => good.with_z(f64::NAN),
        243 => good.with_x(1e300),
        _ => good,
    }
}

/// Returns factors near 1, including negative ones and sometimes zero.
fn scale(byte: u8) -> f32 {
    match byte {
        0..=149 => 1.0,
        150..=219 => 0.6 + f32::from(byte - 150) * 0.0125,
        220..=247 => -0.75 - f32::from(byte - 220) * 0.02,
        248..=254 => -1.0,
        255 => 0.0,
    }
}

/// Returns a matrix that translation, rotation and scale express, or a sheared, flat or invalid one.
fn matrix(payload: &[u8; 14]) -> Mat34 {
    let good = Transform { rotation: transform(&[0; 14]).rotation, ..transform(payload) };
    let upright = if good.is_finite() { good } else { Transform::IDENTITY };
    let turn = Quat::from_rotation_y(coordinate(payload[4])) * Quat::from_rotation_x(coordinate(payload[5]));
    let mut matrix = Transform { rotation: turn, ..upright }.to_matrix();
    match payload[0] {
        100..=199 | 216..=233 => {
            let shear = Mat34 {
                rows: [[1.0, f32::from(payload[6]) / 255.0, 0.0, 0.0], [0.0, 1.0, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]],
            };
            matrix *= shear;
        }
        234..=235 => matrix.rows.iter_mut().for_each(|row| row[1] = 0.0),
        248..=250 => matrix.rows[1][2] = f32::NAN,
        251 => matrix.rows[2][3] = f32::INFINITY,
        _ => {}
    }
    matrix
}

fn drawable(bounds: u8, mesh: u8) -> Drawable {
    let half = f32::from(bounds) * 0.01;
    let bounds = match bounds {
        0..=219 => Aabb::cube(half),
        220..=229 => Aabb::new(Vec3::new(-1.0, 0.0, half), Vec3::new(2.0, 0.5, half)),
        230..=235 => Aabb::EMPTY,
        236..=242 => Aabb::INFINITE,
        243..=247 => Aabb::new(Vec3::ONE, Vec3::NEG_ONE),
        248..=250 => Aabb::new(Vec3::NEG_INFINITY, Vec3::ONE),
        251..=253 => Aabb::new(Vec3::ZERO, Vec3::new(1.0, f32::NAN, 1.0)),
        254..=255 => Aabb::new(Vec3::NEG_ONE, Vec3::new(1.0, f32::INFINITY, 1.0)),
    };
    Drawable::new(u32::from(mesh), bounds)
}

fn visibility(byte: u8) -> Visibility {
    match byte % 16 {
        3 => Visibility::Hidden,
        5 | 6 => Visibility::Shown,
        _ => Visibility::Inherited,
    }
}

fn layers(byte: u8) -> Layers {
    match byte % 5 {
        0 => Layers::NONE,
        1 => Layers::ALL,
        _ => Layers::new(u32::from(byte) | 0x80),
    }
}

fn name(byte: u8) -> Option<&'static str> {
    NAMES.get(usize::from(byte & 7)).copied()
}

/// Returns a visit that usually computes, and that ends early every second time.
fn visit(payload: &[u8; 14]) -> Visit {
    let [end, share, computes] = [payload[11], payload[12], payload[13]];
    let met = 1 + end / 8 % 8;
    Visit {
        transform: transform(payload),
        share: share % 8,
        seed: share,
        computes: [u8::MAX, u8::MAX, computes / 4 % 8, 0][usize::from(computes % 4)],
        everything: computes >= 192,
        end: [End::Never, End::Prunes(met), End::Breaks(met), End::Panics(met)]
            [usize::from((end % 8).saturating_sub(4))],
    }
}

fn change(payload: &[u8; 14]) -> Change {
    match payload[12] % 8 {
        0 => Change::Nothing,
        1..=4 => Change::Transform(transform(payload)),
        5 => Change::NoTransform,
        6 => Change::Layers((payload[12] < 128).then(|| layers(payload[12]))),
        _ => Change::Visibility(visibility(payload[12] / 8)),
    }
}

fn sort_key(byte: u8) -> SortKey {
    match byte % 4 {
        0 => SortKey::Material,
        1 => SortKey::NameReversed,
        2 => SortKey::Handle,
        _ => SortKey::Constant,
    }
}

fn budget(byte: u8) -> Budget {
    match byte % 4 {
        0 | 1 => Budget::Pieces(1 + byte / 4 % 4),
        2 => Budget::Enough,
        _ => Budget::Unlimited,
    }
}

/// Returns the flaw of a list, usually none.
fn flaw(byte: u8) -> Flaw {
    match byte {
        0..=219 => Flaw::None,
        220..=231 => Flaw::LaterParent,
        232..=243 => Flaw::UnknownParent,
        244..=255 => Flaw::OwnParent,
    }
}

/// Returns the handle with these bits, or the most similar handle.
pub fn handle_of(bits: u64) -> NodeHandle {
    NodeHandle::from_bits(bits)
        .or(NodeHandle::from_bits(bits & !(3 << 30) | 1))
        .expect("an odd generation is a handle's")
}

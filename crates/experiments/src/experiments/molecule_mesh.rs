//! Sub-mesh sets against sub-meshes as heap objects: meshes of three sub-meshes strewn over a cube, seen by 16 seeded
//! cameras among them. Figures are nanoseconds a sub-mesh of the set; all is done on one thread, also with the feature
//! `rayon`.
//!
//! - `cull`: culling, then listing the draws of what is visible, with materials: 500 meshes as in the source, 100,000
//!   sub-meshes, and 100,000 meshes. The objects are culled by a virtual call a sub-mesh that sets a flag, then
//!   rendered by a virtual call a mesh that reads the flags.
//! - `cull-columns`: `cull` against the source's data-oriented version: boxes in an array, a bool for each, draws in
//!   another one.
//! - `shadow`: the same for a depth buffer, without materials.
//! - `draw`: only the second half of `cull`, for the camera that sees most.
//! - `cull-memory`, `shadow-memory`: `cull` and `shadow` against the bytes that they cannot do without, touched
//!   ([`Streams`]): for each camera all boxes read, 24 bytes each, and its draws written.
//! - `cascades`: four cameras in one pass over the boxes, against one after the other, both in sub-mesh sets.
//!
//! Before them the source's first experiment, in nanoseconds a byte, a million of which are added up:
//!
//! - `stride/1`: bytes that lie next to each other, by whatever vectors the compiler takes; against the source's loop,
//!   one byte after the other.
//! - `stride/16`: that loop over bytes next to each other, against the same loop over the same bytes, every sixteenth of
//!   an array.
//!
//! Both sides end with the same draws, which are compared for every camera; of shadow draws the indices that they draw,
//! since ours are joined where one ends at the next.

use crate::baselines::{MeshColumns, Meshes};
use crate::front::{Calls, Front, Sizes, checked_elsewhere};
use crate::workloads::{Parts, Streams, TOUCHED};
use crate::{Case, Outcome, Unit};
use core::hint::black_box;
use hedgerow::{Aabb, query::Frustum};
use hedgerow_mesh::{MaterialDraws, MeshDraw, MeshSet, ShadowDraw};

const SIZES: Sizes<&[usize]> = Sizes { full: &[1500, 100_000, 300_000], short: &[1500, 100_000], tiny: &[1500] };
const CAMERAS: usize = 16;
/// How many bytes are added up.
const BYTES: Sizes<usize> = Sizes { full: 1_000_000, short: 1_000_000, tiny: 1000 };
/// How far apart the source has them.
const STRIDE: usize = 16;
const SUB_MESHES: Unit = Unit::Each("ns/part");
const BOOLS: &str = "columns with bools";
const VIRTUAL: &str = "virtual calls, flags";

/// Runs the experiment.
///
/// # Errors
/// Where the sides list something else, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    stride(front, BYTES.at(front.scale()))?;
    SIZES.at(front.scale()).iter().try_for_each(|&sub_meshes| {
        front.on_one_thread(|front| cull(front, sub_meshes).map_err(|error| error.to_string()))
    })
}

/// Bytes in equal distances, and their sum.
struct Bytes {
    data: Vec<u8>,
    count: usize,
    stride: usize,
    sum: u32,
}

impl Bytes {
    /// As many bytes as said, so far apart, with others between them.
    fn new(count: usize, stride: usize) -> Self {
        let mut data = vec![u8::MAX; count * stride];
        for (place, byte) in data.iter_mut().step_by(stride).zip((0..=250).cycle()) {
            *place = byte;
        }
        Self { data, count, stride, sum: 0 }
    }

    /// Adds them up one after the other. Each is looked for at a place that is checked, which keeps the compiler from
    /// vectors, so that all distances have the same instructions.
    fn add(&mut self) {
        let (data, stride) = (black_box(&*self.data), black_box(self.stride));
        let mut sum = 0;
        for number in 0..self.count {
            sum += u32::from(data[number * stride]);
        }
        self.sum = sum;
    }

    /// Adds up all that there is.
    fn add_all(&mut self) {
        self.sum = black_box(&*self.data).iter().copied().map(u32::from).sum();
    }
}

/// A million bytes, next to each other and not.
fn stride<F: Front>(front: &mut F, count: usize) -> Outcome {
    let case = |name, baseline| Case::new(name, count, Unit::Each("ns/byte"), baseline).of_baselines();
    let alike = |ours: &mut Bytes, theirs: &mut Bytes| {
        if ours.sum == theirs.sum && ours.sum > 0 {
            return Ok(());
        }
        Err(format!("bytes add up to {}, and to {} otherwise", ours.sum, theirs.sum).into())
    };
    let calls = Calls {
        case: case("stride/1", "one byte after the other"),
        per: count,
        repeats: 1,
        sides: (&mut Bytes::new(count, 1), &mut Bytes::new(count, 1)),
        ours: Bytes::add_all,
        baseline: Bytes::add,
    };
    front.calls(calls, alike)?;
    let calls = Calls {
        case: case("stride/16", "every sixteenth byte"),
        per: count,
        repeats: 1,
        sides: (&mut Bytes::new(count, 1), &mut Bytes::new(count, STRIDE)),
        ours: Bytes::add,
        baseline: Bytes::add,
    };
    front.calls(calls, alike)
}

/// A set, and what is listed of it.
struct Ours {
    set: MeshSet,
    frusta: Vec<Frustum>,
    visible: Vec<u32>,
    cascades: Vec<Vec<u32>>,
    draws: Vec<MeshDraw>,
    shadows: Vec<ShadowDraw>,
}

impl Ours {
    fn cull(&mut self, camera: usize) {
        self.set.cull(&self.frusta[camera], &mut self.visible);
    }

    fn draw(&mut self) {
        self.set.draws(&self.visible, &mut self.draws);
    }

    fn draw_shadows(&mut self) {
        self.set.shadow_draws(&self.visible, &mut self.shadows);
    }

    /// What each camera draws, one after the other.
    fn draw_each(&mut self) {
        for camera in 0..CAMERAS {
            self.cull(camera);
            self.draw();
        }
    }

    /// The same into a depth buffer.
    fn draw_each_shadow(&mut self) {
        for camera in 0..CAMERAS {
            self.cull(camera);
            self.draw_shadows();
        }
    }
}

/// The objects, and what is listed of them.
struct Theirs {
    parts: Parts,
    meshes: Meshes,
    columns: MeshColumns,
    draws: Vec<MeshDraw>,
    shadows: Vec<ShadowDraw>,
}

impl Theirs {
    fn cull(&self, camera: usize) {
        self.meshes.cull(&self.parts.cameras()[camera]);
    }

    fn draw(&mut self) {
        self.meshes.render(&mut self.draws);
    }

    fn draw_columns(&mut self, camera: usize) {
        self.columns.cull(&self.parts.cameras()[camera]);
        self.columns.render(&mut self.draws);
    }

    fn draw_shadows(&mut self) {
        self.meshes.render_shadow(&mut self.shadows);
    }
}

fn cull<F: Front>(front: &mut F, sub_meshes: usize) -> Outcome {
    let parts = Parts::new(sub_meshes, CAMERAS, 7);
    let frusta = parts.cameras().iter().map(Frustum::from_view_projection).collect::<Result<_, _>>()?;
    let set = parts.set()?;
    let mut ours =
        Ours { set, frusta, visible: Vec::new(), cascades: Vec::new(), draws: Vec::new(), shadows: Vec::new() };
    let (meshes, columns) = (Meshes::new(&parts), MeshColumns::new(&parts));
    let mut theirs = Theirs { parts, meshes, columns, draws: Vec::new(), shadows: Vec::new() };
    compare(&mut ours, &mut theirs)?;

    let repeats = if sub_meshes < 10_000 { 10 } else { 1 };
    let case = |name, baseline| Case::new(name, sub_meshes, SUB_MESHES, baseline);
    let calls = Calls {
        case: case("cull", VIRTUAL),
        per: sub_meshes * CAMERAS,
        repeats,
        sides: (&mut ours, &mut theirs),
        ours: Ours::draw_each,
        baseline: |theirs| (0..CAMERAS).for_each(|camera| (theirs.cull(camera), theirs.draw()).1),
    };
    front.calls(calls, checked_elsewhere)?;
    let calls = Calls {
        case: case("cull-columns", BOOLS),
        per: sub_meshes * CAMERAS,
        repeats,
        sides: (&mut ours, &mut theirs),
        ours: Ours::draw_each,
        baseline: |theirs| (0..CAMERAS).for_each(|camera| theirs.draw_columns(camera)),
    };
    front.calls(calls, checked_elsewhere)?;
    let calls = Calls {
        case: case("shadow", VIRTUAL),
        per: sub_meshes * CAMERAS,
        repeats,
        sides: (&mut ours, &mut theirs),
        ours: Ours::draw_each_shadow,
        baseline: |theirs| (0..CAMERAS).for_each(|camera| (theirs.cull(camera), theirs.draw_shadows()).1),
    };
    front.calls(calls, checked_elsewhere)?;
    touched(front, (sub_meshes, repeats), &mut ours)?;
    let seen = |ours: &mut Ours, camera: usize| {
        ours.cull(camera);
        ours.visible.len()
    };
    let most = (0..CAMERAS).max_by_key(|&camera| seen(&mut ours, camera)).unwrap_or(0);
    ours.cull(most);
    theirs.cull(most);
    let calls = Calls {
        case: case("draw", VIRTUAL),
        per: sub_meshes,
        repeats: 10 * repeats,
        sides: (&mut ours, &mut theirs),
        ours: Ours::draw,
        baseline: Theirs::draw,
    };
    front.calls(calls, checked_elsewhere)?;
    cascades(front, (sub_meshes, repeats), &mut ours)?;
    let mut sorted = MaterialDraws::new();
    front.alone("by-material", sub_meshes, sub_meshes * CAMERAS, || {
        for camera in 0..CAMERAS {
            ours.cull(camera);
            ours.set.draws_by_material(&ours.visible, &mut sorted);
        }
    });
    Ok(())
}

/// What is culled and listed for all cameras, and the bytes that this touches.
fn touched<F: Front>(front: &mut F, (nodes, repeats): (usize, usize), ours: &mut Ours) -> Outcome {
    type List = (&'static str, fn(&mut Ours), fn(&Ours) -> usize);
    let all: List = ("cull-memory", Ours::draw_each, |ours| size_of_val(&*ours.draws));
    let shadows: List = ("shadow-memory", Ours::draw_each_shadow, |ours| size_of_val(&*ours.shadows));
    [all, shadows].into_iter().try_for_each(|(name, list, bytes)| {
        let of_camera = |camera| {
            ours.cull(camera);
            ours.draw();
            ours.draw_shadows();
            bytes(ours)
        };
        let written: Vec<usize> = (0..CAMERAS).map(of_camera).collect();
        let mut streams = Streams::of(&[nodes * size_of::<Aabb>()], &written, (0..CAMERAS).map(|camera| (0, camera)));
        let calls = Calls {
            case: Case::new(name, nodes, SUB_MESHES, TOUCHED),
            per: nodes * CAMERAS,
            repeats,
            sides: (&mut *ours, &mut streams),
            ours: list,
            baseline: Streams::touch,
        };
        front.calls(calls, checked_elsewhere)
    })
}

/// Four cameras at once, and one after the other.
fn cascades<F: Front>(front: &mut F, (nodes, repeats): (usize, usize), ours: &mut Ours) -> Outcome {
    let mut single = Ours {
        set: ours.set.clone(),
        frusta: ours.frusta.clone(),
        visible: Vec::new(),
        cascades: vec![Vec::new(); 4],
        draws: Vec::new(),
        shadows: Vec::new(),
    };
    let calls = Calls {
        case: Case::new("cascades", nodes, SUB_MESHES, "one after the other").against_itself(),
        per: 4 * nodes,
        repeats,
        sides: (ours, &mut single),
        ours: |ours| ours.set.cull_many(&ours.frusta[..4], &mut ours.cascades),
        baseline: |ours| {
            for (frustum, visible) in ours.frusta.iter().zip(&mut ours.cascades) {
                ours.set.cull(frustum, visible);
            }
        },
    };
    front.calls(calls, |ours, single| {
        if ours.cascades == single.cascades {
            return Ok(());
        }
        Err("four cameras at once see something else than one by one".into())
    })
}

/// Fails unless both sides list the same draws for every camera.
fn compare(ours: &mut Ours, theirs: &mut Theirs) -> Outcome {
    let mut seen = 0;
    for camera in 0..CAMERAS {
        ours.cull(camera);
        theirs.cull(camera);
        ours.draw();
        theirs.draw();
        if ours.draws != theirs.draws {
            return Err(format!("{} draws, and {} of the objects", ours.draws.len(), theirs.draws.len()).into());
        }
        theirs.draw_columns(camera);
        if ours.draws != theirs.draws {
            return Err(format!("{} draws, and {} of the columns", ours.draws.len(), theirs.draws.len()).into());
        }
        ours.draw_shadows();
        theirs.draw_shadows();
        let joined = joined(&theirs.shadows);
        if ours.shadows != joined {
            return Err(format!("{} shadow draws, and {} of the objects", ours.shadows.len(), joined.len()).into());
        }
        seen += ours.draws.len();
    }
    if seen == 0 { Err("the cameras see nothing".into()) } else { Ok(()) }
}

/// The same draws, with those in one that follow each other.
fn joined(draws: &[ShadowDraw]) -> Vec<ShadowDraw> {
    let follows = |a: &ShadowDraw, b: &ShadowDraw| a.mesh == b.mesh && a.start + a.count == b.start;
    let run = |run: &[ShadowDraw]| ShadowDraw { count: run.iter().map(|draw| draw.count).sum(), ..run[0] };
    draws.chunk_by(follows).map(run).collect()
}

//! Several views of a town in one call: a camera at street level and the three shadow cascades of what it sees.
//!
//! The town has 1,000,000 shapes, is built depth first, and is reconstituted before anything is measured. Both sides
//! list commands and matrices for each view, in nanoseconds a shape of the town; the figures are means over cameras.
//!
//! - `views`: [`Scene::cull_views`](hedgerow::Scene::cull_views), against the boxes of all shapes in one list, tested
//!   eight at a time for each view, and commands and matrices copied from arrays of these.
//! - `views-apart`: the same, against a call of [`Scene::cull`](hedgerow::Scene::cull) for each view.
//! - `views-relative`: the town lies 10,000 km away, and matrices are relative to the camera.
//!   [`Scene::cull_views_relative`](hedgerow::Scene::cull_views_relative), against boxes in single precision around the
//!   town's own origin, tested as above, and world matrices in double precision in an array, from which those relative
//!   to the camera are computed.
//!
//! The draws that both sides list are compared: nodes, meshes and matrices, to the bit. In `views-relative` the sides
//! round boxes and planes around different origins, so up to one draw in a thousand, which only touches a plane, may be
//! listed by one of them alone.

use super::cameras::report_mean;
use crate::Outcome;
use crate::baselines::Drawables;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::Trial;
use crate::workloads::{TOWN_PARTS, Town, ViewsOfTown};
use hedgerow::glam::DVec3;
use hedgerow::query::CullView;
use hedgerow::{DrawList, NodeHandle, Visibility};

/// The parts of a house of the town.
const PARTS: Sizes<u32> = Sizes { full: TOWN_PARTS, short: TOWN_PARTS, tiny: 2 };
const CAMERAS: Sizes<usize> = Sizes { full: 32, short: 2, tiny: 2 };
/// Where the town lies, and its camera, in `views-relative`.
const FAR_AWAY: DVec3 = DVec3::new(1e7, 0.0, -3e6);
const TESTING_ALL: &str = "testing all boxes for each view, eight at a time";
const APART: &str = "a call of `cull` for each view";
const IN_DOUBLE: &str = "testing all boxes around the town's origin, matrices in double precision";

/// Runs the cases.
///
/// # Errors
/// Where the sides see something else, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let mut town = Town::new(PARTS.at(front.scale()), 3);
    let views = ViewsOfTown::all(&town.cameras(CAMERAS.at(front.scale()), 5))?;
    let drawables = Drawables::of_town(&town);
    compare(front, &town, &drawables, &views, ("views", TESTING_ALL, Against::Drawables))?;
    compare(front, &town, &drawables, &views, ("views-apart", APART, Against::Apart))?;
    // Only the root moves: boxes around the town's origin are what they were.
    let mut far = drawables;
    town.scene.set_local(town.scene.root(), hedgerow::Transform::IDENTITY)?;
    town.scene.set_translation_f64(town.scene.root(), FAR_AWAY)?;
    town.scene.update();
    far.keep_wide(&town);
    compare(front, &town, &far, &views, ("views-relative", IN_DOUBLE, Against::InDouble))
}

/// What our call is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    Drawables,
    Apart,
    InDouble,
}

/// The town as the views of one camera see it.
struct Seen<'t> {
    town: &'t Town,
    drawables: &'t Drawables,
    views: &'t ViewsOfTown,
    against: Against,
    ours: [DrawList; ViewsOfTown::COUNT],
    theirs: [Listed; ViewsOfTown::COUNT],
    indices: Vec<u32>,
}

/// What one view sees, by the other side.
#[derive(Default)]
struct Listed {
    commands: Vec<hedgerow::draw::DrawCommand>,
    matrices: Vec<hedgerow::Mat34>,
    /// In `views-apart`.
    list: DrawList,
}

impl Seen<'_> {
    fn eye(&self) -> DVec3 {
        FAR_AWAY + self.views.eye
    }

    fn play_ours(&mut self) {
        let eye = self.eye();
        let Self { town, views, against, ours, .. } = self;
        let frusta = if *against == Against::InDouble { &views.around_eye } else { &views.frusta };
        let mut views =
            ours.iter_mut().zip(frusta).map(|(list, &frustum)| CullView { frustum, layers: Visibility::VISIBLE, list });
        let mut views: [CullView<'_>; ViewsOfTown::COUNT] =
            core::array::from_fn(|_| views.next().expect("a frustum for each list"));
        if *against == Against::InDouble {
            town.scene.cull_views_relative(eye, &mut views);
        } else {
            town.scene.cull_views(&mut views).expect("the town keeps boxes");
        }
    }

    fn play_theirs(&mut self) {
        let eye = self.eye();
        let Self { town, drawables, views, against, theirs, indices, .. } = self;
        for (Listed { commands, matrices, list }, frustum) in theirs.iter_mut().zip(&views.frusta) {
            match against {
                Against::Drawables => drawables.list(frustum, indices, (commands, matrices)),
                Against::InDouble => drawables.list_relative(frustum, eye, indices, (commands, matrices)),
                Against::Apart => {
                    town.scene.cull(frustum, Visibility::VISIBLE, list).expect("the town keeps boxes");
                }
            }
        }
    }
}

impl Trial<1> for Seen<'_> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        [nanoseconds(|| if way == 0 { self.play_ours() } else { self.play_theirs() })]
    }

    fn check_last(&mut self) -> Outcome {
        for (ours, theirs) in self.ours.iter().zip(&self.theirs) {
            let relative = ours.relative_matrices();
            let matrices = if relative.is_empty() { ours.matrices() } else { relative };
            let found = sorted(ours.commands(), matrices);
            let theirs = match self.against {
                Against::Apart => sorted(theirs.list.commands(), theirs.list.matrices()),
                _ => sorted(&theirs.commands, &theirs.matrices),
            };
            let lacking =
                |these: &[Draw], those: &[Draw]| these.iter().filter(|draw| those.binary_search(draw).is_err()).count();
            let slack = if self.against == Against::InDouble { theirs.len() / 1000 + 1 } else { 0 };
            if lacking(&found, &theirs) > slack || lacking(&theirs, &found) > slack {
                return Err(format!("{} draws are listed, and {} by the other side", found.len(), theirs.len()).into());
            }
        }
        Ok(())
    }
}

/// A draw, to be compared.
type Draw = (NodeHandle, u32, [[u32; 4]; 3]);

fn sorted(commands: &[hedgerow::draw::DrawCommand], matrices: &[hedgerow::Mat34]) -> Vec<Draw> {
    let draws = commands.iter().zip(matrices).map(|(command, matrix)| (command.node, command.mesh, matrix.to_bits()));
    let mut draws: Vec<Draw> = draws.collect();
    draws.sort_unstable();
    draws
}

fn compare<F: Front>(
    front: &mut F,
    town: &Town,
    drawables: &Drawables,
    cameras: &[ViewsOfTown],
    (name, baseline, against): (&str, &str, Against),
) -> Outcome {
    let shapes = town.nodes.len();
    let Some(first) = cameras.first() else { return Ok(()) };
    let (ours, theirs) = (core::array::from_fn(|_| DrawList::new()), core::array::from_fn(|_| Listed::default()));
    let mut seen = Seen { town, drawables, views: first, against, ours, theirs, indices: Vec::new() };
    report_mean(front, (name, baseline), shapes, cameras, &mut seen, |seen, views| seen.views = views)
}

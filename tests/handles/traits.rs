//! Which types go to other threads, and move: all of them, so that nobody loses this without noticing.
#![allow(unused_imports, reason = "a type has one of these paths")]

use hedgerow::anim::{
    blend::*, clip::*, crowd::*, library::*, player::*, pose::*, raw::*, root_motion::*, skeleton::*, skin::*,
};
use hedgerow::character::*;
use hedgerow::data::node_map::{Drain, IntoIter, Iter, IterMut};
use hedgerow::iter::*;
use hedgerow::math::{Boxes, PackedTransform};
use hedgerow::readable::*;
use hedgerow::{
    Aabb, DrawList, Keep, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility,
};
use hedgerow::{anim::*, changes::*, config::*, data::*, draw::*, edit::*, query::*, snapshot::*, stats::*, visit::*};
use std::collections::BTreeSet;
use std::path::Path;

fn goes_anywhere<T: Send + Sync + Unpin>() {}

/// Asserts it of each type, with its parameters in brackets, and returns their names.
macro_rules! assert_all {
    ($($name:ident $([$($parameters:tt)*])?),* $(,)?) => {{
        $(goes_anywhere::<$name $(<$($parameters)*>)?>();)*
        [$(stringify!($name)),*]
    }};
}

/// All public types, those with parameters for one choice of each.
fn asserted() -> Vec<&'static str> {
    goes_anywhere::<hedgerow::Error>();
    goes_anywhere::<hedgerow::anim::Error>();
    goes_anywhere::<hedgerow::math::Error>();
    let plain = assert_all!(
        Aabb,
        Axis,
        BatchError,
        Boxes,
        CachedHandle,
        ChangeKinds,
        ChangeReader,
        CharacterError,
        Clip,
        ClipBuilder,
        ClipError,
        ClipReport,
        ClipStats,
        Crowd,
        CullHit,
        DepthView,
        DrawCommand,
        DrawGroup,
        DrawGroups,
        DrawList,
        DrawOrder,
        Edge,
        EditQueue,
        Flow,
        Frustum,
        HandleMap,
        Interpolation,
        JointBounds,
        JointMap,
        JointMask,
        JumpSpacing,
        Keep,
        Library,
        LibraryError,
        ListedShape,
        Local,
        LocalForm,
        Maintenance,
        Mat34,
        MatrixMirror,
        MatrixSlot,
        Mirrored,
        MorphBuffer,
        NodeHandle,
        NodeIds,
        Outcome,
        PackedTransform,
        Place,
        Playback,
        Pose,
        PoseSum,
        Precision,
        Pruned,
        Queued,
        QueuedPlace,
        RawClip,
        Ray,
        RayHit,
        Reduction,
        RootMotion,
        RootMotionOptions,
        SaveOptions,
        Scene,
        SceneBuilder,
        SceneConfig,
        Shape,
        Skeleton,
        SkeletonBuilder,
        SkeletonError,
        Skin,
        SkinBatch,
        SkinError,
        SkinId,
        SkinnedMesh,
        Slots,
        SnapshotError,
        Sockets,
        Sphere,
        Stats,
        StoragePolicy,
        Target,
        TrackName,
        TrackPart,
        Transform,
        TransformPass,
        TreeFault,
        UniformPose,
        UploadReader,
        Usage,
        Violation,
        Visibility,
        Work,
    );
    let with_parameters = assert_all!(
        Collection[SkinKey, u8], Column[u8], Inherited[u8], IntoIter[u8], NodeMap[u8], Player[Clip],
        StreamPlayer[&'static [u8]], Track[f32], WithIds,
    );
    let borrowing = assert_all!(
        Ancestors['static],
        Changed['static],
        Changes['static],
        Children['static],
        CullView['static],
        Descendants['static],
        DirtyRanges['static],
        Drain['static, u8],
        Edges['static],
        Iter['static, u8],
        IterMut['static, u8],
        Leaves['static],
        MaterialView['static],
        MirrorStep['static],
        MorphTarget['static],
        Node['static],
        NodeRef['static],
        Palette['static],
        PostOrder['static],
        RenderPass['static],
        RowView['static],
        ShapeView['static],
        Siblings['static],
        SkinOutput['static],
        SkinnedMeshBuilder['static],
        SliceView['static],
        SliceViewMut['static],
        TransformView['static],
        Upload['static],
        Uploads['static],
        VertexStream['static],
        VisibilityView['static],
    );
    plain.into_iter().chain(with_parameters).chain(borrowing).chain(["Error"]).collect()
}

/// The public types of a source file: what is `pub` can be reached, which a lint holds.
fn types(path: &Path, found: &mut BTreeSet<String>) {
    let source = std::fs::read_to_string(path).expect("a source file");
    for line in source.lines() {
        let name = ["pub struct ", "pub enum ", "pub union "].iter().find_map(|start| line.strip_prefix(start));
        let name = name.map(|rest| &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())]);
        found.extend(name.map(String::from));
    }
}

#[test]
fn every_public_type_is_send_sync_and_unpin() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> = ["src", "crates/anim/src", "crates/math/src"].map(|name| root.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            // What the family of crates shares is hidden.
            if path.is_dir() && !path.ends_with("math/src/internal") {
                folders.push(path);
            } else if path.is_file() {
                types(&path, &mut found);
            }
        }
    }
    assert!(found.len() > 80, "the sources are not where they were: {found:?}");
    let asserted: BTreeSet<&str> = asserted().into_iter().collect();
    let hidden = ["BoxGroup", "Product", "Upcoming"];
    let forgotten: Vec<&String> =
        found.iter().filter(|name| !asserted.contains(name.as_str()) && !hidden.contains(&name.as_str())).collect();
    assert!(forgotten.is_empty(), "not asserted: {forgotten:?}");
}

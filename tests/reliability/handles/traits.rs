//! All types are `Send`, `Sync` and `Unpin`. This test catches a type that is not.
#![allow(unused_imports, reason = "a type has one of these paths")]

use hedgerow::data::node_map::{Drain, IntoIter, Iter, IterMut};
use hedgerow::iter::*;
use hedgerow::math::{Boxes, PackedTransform};
use hedgerow::text::*;
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, NodeMut, NodeRef, Place, Scene,
    SceneConfig, Transform, Tree,
};
use hedgerow::{
    changes::*, config::*, data::*, draw::*, edit::*, motion::*, query::*, snapshot::*, stats::*, visit::*,
};
use hedgerow_anim::*;
use hedgerow_anim::{blend::*, clip::*, player::*, pose::*, raw::*, root_motion::*, skeleton::*, skin::*};
use hedgerow_animator::{
    Animator, Condition, Curve, Fade, Layer, LayerOptions, Machine, MachineBuilder, Motion, MotionClip, Parameter,
    PassedEvent, State, SyncGroup, Transition, Trigger,
};
use hedgerow_character::*;
use hedgerow_mesh::TriangleTree;

fn goes_anywhere<T: Send + Sync + Unpin>() {}

/// Asserts the traits for each type, with its parameters in brackets.
macro_rules! assert_all {
    ($($name:ident $([$($parameters:tt)*])?),* $(,)?) => {
        $(goes_anywhere::<$name $(<$($parameters)*>)?>();)*
    };
}

/// Lists all public types; generic types with one choice of parameters.
#[test]
fn every_public_type_is_send_sync_and_unpin() {
    goes_anywhere::<hedgerow::Error>();
    goes_anywhere::<hedgerow_anim::Error>();
    goes_anywhere::<hedgerow_animator::Error>();
    goes_anywhere::<hedgerow::math::Error>();
    assert_all!(
        Animator,
        Condition,
        Curve,
        Fade,
        Layer,
        LayerOptions,
        Machine,
        MachineBuilder,
        Motion,
        MotionClip,
        Parameter,
        State,
        SyncGroup,
        Transition,
        Trigger,
        Aabb,
        Axis,
        BatchError,
        Boxes,
        ChangeKinds,
        ChangeReader,
        Change,
        CharacterError,
        Clip,
        ClipBuilder,
        ClipError,
        ClipReport,
        ClipStats,
        Deformed,
        DeformedMesh,
        DepthView,
        DrawCommand,
        DrawGroup,
        DrawGroups,
        DrawList,
        DrawableMirror,
        DrawableStep,
        DrawOrder,
        Edit,
        EditQueue,
        Filter,
        Flow,
        Frustum,
        Interpolation,
        JointBounds,
        JointMap,
        JointMask,
        JumpSpacing,
        Keep,
        ListedDrawable,
        LoadOptions,
        Local,
        LocalForm,
        LocalRay,
        LocalVolume,
        Maintenance,
        Mat34,
        MatrixMirror,
        MatrixSlot,
        MorphBuffer,
        NodeHandle,
        Outcome,
        Pick,
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
        SceneConfig,
        Drawable,
        Skeleton,
        SkeletonBuilder,
        SkeletonError,
        Skin,
        SkinBatch,
        SkinError,
        SkinId,
        SkinnedMesh,
        SnapshotError,
        Sockets,
        Selected,
        Smooth,
        Sphere,
        Stats,
        SyncStats,
        Target,
        TrackName,
        TrackPart,
        Transform,
        TransformPass,
        TriangleHit,
        TriangleTree,
        Tree,
        Usage,
        Violation,
        Layers,
    );
    assert_all!(Column[u8], Inherited[u8], IntoIter[u8], NodeMap[u8], Player[Clip], Track[f32],);
    assert_all!(
        PassedEvent['static],
        Ancestors['static],
        Changed['static],
        ChildHandles['static],
        Children['static],
        CullView['static],
        Pickable['static],
        Triangles['static],
        Descendants['static],
        Drain['static, u8],
        Edge['static],
        Edges['static],
        Iter['static, u8],
        IterMut['static, u8],
        Leaves['static],
        MirrorStep['static],
        MorphTarget['static],
        Node['static],
        NodeMut['static],
        NodeRef['static],
        Palette['static],
        PostOrder['static],
        RenderPass['static],
        RowView['static],
        DrawableView['static],
        Siblings['static],
        SkinOutput['static],
        SkinnedMeshBuilder['static],
        SliceView['static],
        SliceViewMut['static],
        TransformView['static],
        VertexStream['static],
    );
}

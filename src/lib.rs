#![doc = "Placeholder"]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;

mod error;
mod handle;
#[cfg(feature = "gltf")]
pub mod import;
mod math;
mod pass;
mod scene;
mod simd;
mod slice;
mod visit;

pub use error::Error;
pub use handle::NodeHandle;
pub use math::{Aabb, Mat34, Transform};
pub use pass::{DrawCommand, DrawList, RenderPass, TransformPass};
pub use scene::{
    Edge, EditQueue, Keep, Kind, Local, LocalForm, Maintenance, Node, NodeMap, Outcome, Place, Queued, QueuedPlace,
    Scene, SceneConfig, Shape, Stats, Target, Violation, Visibility, iter, node_map,
};
pub use visit::{
    Flow, ListedShape, MaterialView, NodeRef, RowView, ShapeView, SliceView, SliceViewMut, SliceVisitor,
    SliceVisitorMut, TransformView, VisibilityView, Visitor,
};

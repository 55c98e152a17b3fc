//! A dynamic scene graph. Edits write records that never move; each update copies the changes to arrays in depth-first
//! order, for fast passes over transforms, boxes and draws.
//!
//! ```
//! use hedgerow::{Aabb, DrawList, Drawable, Keep, Node, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(10.0, 0.0, 0.0)).with_name("car"))?;
//! let wheel = Node::transform(Transform::from_xyz(1.0, 0.3, 1.5)).with_drawable(Drawable::new(7, Aabb::cube(0.3)));
//! let wheel = scene.insert(car, wheel.with_material(2).with_name("wheel"))?;
//!
//! scene.set_local(car, Transform::from_xyz(12.0, 0.0, 0.0))?;   // any number of edits,
//! scene.update();                                               // then recompute what they reached,
//! let mut draws = DrawList::new();
//! scene.draw_list(&mut draws);                                  // then list all draws.
//! assert_eq!(draws.matrices()[0].translation().to_array(), [13.0, 0.3, 1.5]);
//!
//! scene.reparent(wheel, scene.root(), Keep::World)?;            // the wheel comes off,
//! scene.remove(car)?;                                           // the car is gone:
//! assert!(scene.contains(wheel) && !scene.contains(car));       // its handle is stale, the wheel's is not.
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! The [`guide`] answers newcomers' questions; its [glossary](guide::glossary) explains terms such as *slice*.
//!
//! Start with [`Scene`]. A node has any combination of a local transform, a material, a drawable, layers and a name
//! ([`Node`]), and can be hidden. An 8-byte [`NodeHandle`] refers to a node, and stays valid wherever the node is
//! moved. Other crates: `hedgerow-document` for prefabs, undo, merges and files that last, `hedgerow-character` for
//! animated characters in scenes, `hedgerow-gltf` for glTF files, `hedgerow-wgpu` and `hedgerow-gpu` for scenes that a
//! GPU culls and draws, `hedgerow-anim` for skeletons, clips and skinning without a scene, `hedgerow-mesh` for culling
//! static meshes.
//!
//! # Map
//!
//! The modules are listed in the order in which data flows. [`Scene`] has the methods; each module has the types for
//! one subject, and an example.
//!
//! | module | subject | types |
//! |---|---|---|
//! | the root | a scene, its nodes, subtrees as values, and handles | [`Scene`], [`Node`], [`NodeRef`], [`NodeMut`], [`Tree`], [`NodeHandle`], [`Place`], [`Keep`], [`Drawable`], [`Visibility`], [`Layers`], [`ViewRange`], [`Local`], [`IntoLocal`], [`Error`] |
//! | [`math`] | transforms, matrices, boxes, frusta, rays, on [`glam`]: the crate `hedgerow-math` | [`Transform`], [`Mat34`], [`Aabb`] |
//! | [`config`] | optional data of a scene (world boxes, changes), and the size of its slices | [`SceneConfig`] |
//! | [`edit`] | edits of many nodes: batches, queues | [`EditQueue`](edit::EditQueue), [`Edit`](edit::Edit), [`Change`](edit::Change), [`BatchError`](edit::BatchError) |
//! | [`changes`] | change tracking: nodes, slices, and matrices and drawables to upload | [`Changed`](changes::Changed), [`SliceCursor`](changes::SliceCursor), [`MatrixMirror`](changes::MatrixMirror), [`DrawableMirror`](changes::DrawableMirror), [`MatrixSlot`](changes::MatrixSlot) |
//! | [`motion`] | frames between two steps of a simulation | [`Smooth`](motion::Smooth), [`Blended`](motion::Blended) |
//! | [`data`] | data of your own: for each node, or inherited down the tree | [`NodeMap`](data::NodeMap), [`Column`](data::Column), [`Inherited`](data::Inherited) |
//! | [`iter`] | children, ancestors, descendants and the like | [`Children`](iter::Children), [`Descendants`](iter::Descendants) |
//! | [`visit`] | walks: single nodes in strict order, whole slices as columns | [`Visitor`](visit::Visitor), [`SliceVisitor`](visit::SliceVisitor), [`TransformPass`](visit::TransformPass) |
//! | [`query`] | spatial queries: culling with levels of detail, spheres, boxes, selections, rays | [`Frustum`](query::Frustum), [`Ray`](query::Ray), [`CullView`](query::CullView), [`LevelsOfDetail`](query::LevelsOfDetail), [`Filter`](query::Filter), [`RayHit`](query::RayHit) |
//! | [`draw`] | draw lists: commands and matrices | [`DrawList`], [`DrawGroups`](draw::DrawGroups), [`DrawOrder`](draw::DrawOrder), [`RenderPass`](draw::RenderPass) |
//! | [`checkpoints`] | going back to the state of an earlier frame, in the time of what changed | [`Checkpoints`](checkpoints::Checkpoints) |
//! | [`snapshot`] | scenes as bytes: [`Scene::to_bytes`], [`Scene::from_bytes`]; trees: [`Tree::to_bytes`] | [`SnapshotError`](snapshot::SnapshotError) |
//! | [`text`] | scenes and trees as JSON and the like (feature `serde`) | [`SaveOptions::text`](snapshot::SaveOptions::text) |
//! | [`stats`] | slices, memory, maintenance, validation | [`Stats`](stats::Stats), [`Maintenance`](stats::Maintenance) |
//!
//! # A frame
//!
#![doc = include_str!("../docs/figures/edit.svg")]
//!
//! Edits change the tree at once. A node is one record that never moves. From the records, [`Scene::update`] derives
//! the arrays that passes read: slices of some thousand nodes in depth-first order, world matrices, inherited
//! visibility and materials. It only visits slices that edits affect. [`Scene::draw_list`] lists the visible drawables;
//! if you reuse a [`DrawList`] every frame, only the parts that changed are listed again. [`Scene::maintain`] restores
//! depth-first order and frees memory; call it once a frame with a limit, or not at all.
//!
//! # What passes read
//!
//! Draw lists, culling, spatial queries, walks over slices, [`Scene::world`], [`NodeRef::bounds`],
//! [`Column`](data::Column)s and [`Inherited`](data::Inherited) properties see the state of the last update:
//!
#![doc = include_str!("../docs/figures/passes.svg")]
//!
//! | edit since the update | passes see |
//! |---|---|
//! | inserted | nothing yet |
//! | removed | gone at once |
//! | moved, detached, anchored | the old position |
//! | transform, drawable, material, visibility, layers, user data set or removed | the old value |
//! | range set ([`NodeMut::set_view_range`]) | the new value at once; which drawables it applies to ([`Scene::view_ranges`]), after the update |
//!
//! Other reads of single nodes see all edits: [`Scene::local`], [`Scene::parent`], [`NodeRef::material`],
//! [`NodeRef::layers`] and so on. Iterators and [`Scene::visit`] see all edits, and only they follow the order of
//! siblings. Passes see parents first, but siblings in the order in which the update placed them.
//!
//! | a node's place in the world | call | cost |
//! |---|---|---|
//! | as of the last update, as it is drawn | [`Scene::world`], [`NodeRef::world`]; of many nodes [`Scene::worlds_of`] | O(1) |
//! | as of now, between edits | [`NodeRef::fresh_world`] | O(ancestors) |
//! | as of now, far from the origin | [`NodeRef::world_f64`] | O(ancestors) |
//! | as of now, as translation, rotation and scale | [`NodeRef::world_transform`] | O(ancestors) |
//! | in the frame before, for motion vectors | [`NodeRef::previous_world`] | O(1) |
//!
//! # Costs
//!
//! | you | time |
//! |---|---|
//! | insert, set, or move a leaf | amortised O(1), even among a hundred thousand siblings |
//! | remove | O(nodes removed) |
//! | update a still scene, or list its draws again | O(1) |
//! | update | O(slices + nodes inserted or moved + nodes of the slices that edits affect) |
//! | update for the first time after building n nodes | O(n): 60 to 700 ns per node, by shape, size and machine (`update: first` of `benches/peers/run.sh` in the repository) |
//! | update after all transforms were set | up to 2.9 times as long as reading them in order, since they are gathered from the records |
//!
//! Nothing recurses with depth: a chain of a million nodes needs no more stack than a single node.
//!
//! | a node with | bytes |
//! |---|---|
//! | nothing: a record and a row | 83 + 16 |
//! | a transform: world matrix, copy of the local transform, indices | 48 + 40 + 8 more |
//! | a drawable | 80 more |
//! | layers | 4 more |
//! | a place in a slice with hidden nodes, layers or view ranges | 12 more |
//!
//! Records are allocated in pages of 512, drawables and layers in blocks of 64; a slice is allocated with up to 25 %
//! spare room. Nodes without a component cost nothing in the pass for that component.
//!
//! # Limits
//!
//! - A scene has at most 2³⁰ nodes.
//! - A record is reused 2³⁰ times and then retired, so that a stale handle never refers to another node. Only a restored
//!   [checkpoint](checkpoints) makes a stale handle valid again, for the same node.
//! - A handle of another scene or of arbitrary bits is harmless, but may refer to a node whose handle has the same
//!   bits.
//! - Edits run on one thread. With the feature `rayon`, one thread first computes the values that slices import from
//!   each other; then slices are updated in parallel. A chain of nodes gains nothing, because all its values are needed
//!   for imports. Below about 16,000 nodes (8,000 drawables in culling) one thread is faster and does all the work.
//!   These limits are four times as high if the caller is not a thread of the pool ([`guide::threads`] shows how to
//!   change that).
//!
//! # The same bits everywhere
//!
//! The same calls with the same numbers give the same bits on every machine, with each instruction set and any number
//! of threads. This holds for handles, order, local transforms, world matrices, changes, culling, queries and draw
//! lists. It holds for [`snapshot`]s, too. The test
//! `same_bits::a_scene_has_the_same_bits_on_every_machine` checks hashes of these on x86-64, 64-bit ARM, 32-bit x86 and
//! WebAssembly. It does not hold for numbers that you compute with `glam`: its `Quat`, `Mat4` and `Vec4` round differently
//! on different machines, unless you enable its feature `scalar-math`.
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `bytemuck` | uploads without unsafe code: [`Mat34`], [`Aabb`], [`math::PackedTransform`], [`draw::DrawCommand`] and [`changes::MatrixSlot`] are plain data | no |
//! | `mint` | conversions between [`Mat34`] and the types of `mint`, from [`Transform`] to them, and, by `glam`, of vectors and rotations | no |
//! | `rayon` | [`Scene::update`], culling into draws and draw lists on the threads of the current pool, with the same results to the bit | no |
//! | `serde` | [`Scene`], [`Tree`] and the plain types in text formats such as JSON | no |
//!
//! # Sources
//!
//! Slices, linear allocation, metadata free lists, handles, reconstitution and two of the measurements come from M.
//! Åkerstedt Bergsten, *Scene Graph Memory Management* (Chalmers University of Technology, 2019), called *the thesis*
//! in these pages. The flattened sweep comes from S. Reinalter's Molecule engine, *Adventures in data-oriented design,
//! part 2*.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "serde"),
    allow(rustdoc::broken_intra_doc_links, reason = "the pages link to all modules, as they are published")
)]

pub use glam;
#[doc(inline)]
pub use hedgerow_math as math;
pub use hedgerow_math::{Aabb, Mat34, Transform};

mod bytes;
mod error;
mod fallible;
mod handle;
mod node;
mod pass;
mod scene;
mod store;
mod tree;
mod unique;
mod visibility;
mod wide;

pub mod changes;
pub mod checkpoints;
pub mod config;
pub mod data;
pub mod draw;
pub mod edit;
pub mod guide;
#[doc(hidden)]
pub mod internal;
pub mod query;
pub mod snapshot;
pub mod stats;
#[cfg(feature = "serde")]
pub mod text;
pub mod visit;

pub use scene::{iter, motion};

/// Whether the feature `rayon` is enabled, for the reports of benchmarks.
#[doc(hidden)]
pub const THREADED: bool = cfg!(feature = "rayon");

#[doc(inline)]
pub use config::SceneConfig;
#[doc(inline)]
pub use draw::DrawList;
pub use error::Error;
pub use handle::NodeHandle;
pub use node::{Drawable, IntoLocal, Local, Node};
pub use scene::{Keep, NodeMut, NodeRef, Place, Scene};
pub use tree::Tree;
pub use visibility::{Layers, ViewRange, Visibility};

/// Pages of the repository; their code examples are tested like those of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../ARCHITECTURE.md")]
    mod architecture {}
    #[doc = include_str!("../docs/files.md")]
    mod files {}
}

/// Examples that must fail to compile with the given error codes, because borrows outlive their owners. Only nightly
/// rustdoc compares the codes; stable rustdoc accepts any error.
///
/// A view of a slice, while the scene is edited:
///
/// ```compile_fail,E0502
/// let mut scene = hedgerow::Scene::new();
/// let view = scene.slices().next().unwrap();
/// scene.clear();
/// println!("{}", view.number());
/// ```
///
/// A name, while its node is removed:
///
/// ```compile_fail,E0502
/// # use hedgerow::{Node, Scene};
/// let mut scene = Scene::new();
/// let node = scene.insert(scene.root(), Node::group().with_name("car")).unwrap();
/// let name = scene.get(node).unwrap().name();
/// scene.remove(node).unwrap();
/// println!("{name:?}");
/// ```
///
/// An iterator, while nodes are inserted:
///
/// ```compile_fail,E0502
/// # use hedgerow::{Node, Scene};
/// let mut scene = Scene::new();
/// for child in scene.children(scene.root()) {
///     scene.insert(child, Node::group()).unwrap();
/// }
/// ```
///
/// A world matrix, while an update recomputes it:
///
/// ```compile_fail,E0502
/// let mut scene = hedgerow::Scene::new();
/// let world = scene.world(scene.root()).unwrap();
/// scene.update();
/// println!("{world:?}");
/// ```
///
/// A node that a visitor was shown, after the visit:
///
/// ```compile_fail,E0521
/// # use hedgerow::{NodeRef, Scene, visit::Flow};
/// let mut kept = None;
/// {
///     let scene = Scene::new();
///     scene.visit(scene.root(), &mut |node: &NodeRef<'_>| {
///         kept = Some(*node);
///         Flow::Break
///     });
/// }
/// println!("{kept:?}");
/// ```
///
/// Values drained from a map, while more are inserted:
///
/// ```compile_fail,E0499
/// # let scene = hedgerow::Scene::new();
/// let mut map = hedgerow::data::NodeMap::from_iter([(scene.root(), 1)]);
/// let drain = map.drain();
/// map.insert(scene.root(), 2);
/// drop(drain);
/// ```
///
/// Changes, while the reader reads again:
///
/// ```compile_fail,E0499
/// # use hedgerow::{Scene, SceneConfig, changes::ChangeReader};
/// let scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
/// let mut reader = ChangeReader::new();
/// let first = scene.changes(&mut reader).unwrap();
/// let second = scene.changes(&mut reader).unwrap();
/// println!("{:?} {:?}", first, second);
/// ```
#[cfg(doctest)]
mod lifetimes {}

/// A test of the public interface as a unit test, so that CI does not compile the library a second time.
#[cfg(all(test, hedgerow_unit_tests_only))]
#[path = "../tests/same_bits.rs"]
mod same_bits;
#[cfg(all(test, hedgerow_unit_tests_only))]
extern crate self as hedgerow;

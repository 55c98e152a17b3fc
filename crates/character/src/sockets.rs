//! Scene nodes that follow joints.

use crate::CharacterError;
use crate::local::local_of;
use hedgerow::{Error, Local, Mat34, NodeHandle, Scene};
use hedgerow_math::internal::prefetch_whole;
use smallvec::SmallVec;
use std::collections::hash_map::{Entry, HashMap};

/// The number of sockets whose matrices are prefetched together.
const BLOCK: usize = 16;

/// A node, and the joint that it follows. 80 bytes.
#[derive(Clone, Copy, Debug)]
struct Socket {
    /// The transform from the node to the joint.
    offset: Mat34,
    node: NodeHandle,
    /// The character's node: the parent of `node` when the socket was inserted.
    parent: NodeHandle,
    character: u32,
    joint: u16,
}

/// A list of nodes that follow joints, such as a sword in a hand or a lamp on a helmet.
///
/// A node that follows a joint is a child of its character's node. Call [`follow`](Self::follow) before
/// [`Scene::update`]: it sets the node's local transform to *model(joint) × offset*. The update then computes the
/// node's world transform as *world(character) × model(joint) × offset*, and all nodes below it move along.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Mat34, Node, Scene, Transform};
/// use hedgerow_character::Sockets;
///
/// let mut scene = Scene::new();
/// let knight = scene.insert(scene.root(), Node::transform(Transform::from_xyz(100.0, 0.0, 0.0)))?;
/// let sword = scene.insert(knight, Node::transform(Transform::IDENTITY))?;
/// let hand = 1;
/// let mut sockets = Sockets::new();
/// sockets.insert(&scene, sword, 0, hand, Transform::from_xyz(0.0, 0.0, 0.5))?;
/// assert_eq!(sockets.followed_by(sword), Some((0, hand)));
///
/// let models = [Mat34::IDENTITY, Transform::from_xyz(0.0, 1.5, 0.0).to_matrix()];  // a pose, each frame
/// sockets.follow(&mut scene, &models)?;
/// scene.update();
/// assert_eq!(scene.world(sword).unwrap().translation(), Vec3::new(100.0, 1.5, 0.5));
/// assert!(sockets.remove(sword) && sockets.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// One list can be used for any number of characters, which you distinguish by numbers of your own
/// ([`follow_many`](Self::follow_many)).
///
/// A socket *ends* when its node is removed, detached, anchored or moved to another parent, or loses its transform: for
/// example, when a sword is thrown away. The next call that visits an ended socket removes it from the list and reports
/// its node. A character that is detached as a whole keeps its sockets. A list is for one scene, and for loaded
/// snapshots of that scene, which have the same handles. In any other scene, a socket ends, or moves a node whose
/// handle has the same bits. Nodes of an inserted [`Tree`](hedgerow::Tree), such as copies, have no sockets until you
/// insert sockets for them.
///
/// *model(joint) × offset* is stored as translation, rotation and scale if its axes are perpendicular to within 1e-5.
/// If the product shears, because joints above have a non-uniform scale, it is stored as a matrix, a few times slower.
#[derive(Clone, Debug, Default)]
pub struct Sockets {
    sockets: Vec<Socket>,
    /// The index of each node's socket in the list.
    indices: HashMap<NodeHandle, usize>,
    /// The local transforms to set, and the nodes of ended sockets. Reused to save allocations.
    pending: Vec<(NodeHandle, Local)>,
    ended: Vec<NodeHandle>,
    /// The indices of ended sockets, ascending.
    gone: Vec<usize>,
}

impl Socket {
    /// Returns whether the node is still the character's child, has a transform, and is not anchored.
    #[inline]
    fn holds(&self, scene: &Scene) -> bool {
        scene.get(self.node).is_some_and(|node| {
            node.parent().is_some_and(|parent| parent.handle() == self.parent)
                && !node.is_anchored()
                && node.local().is_some()
        })
    }
}

impl Sockets {
    /// Creates a list without sockets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of sockets, including ended sockets that no call has visited yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Returns whether the list has no sockets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sockets.is_empty()
    }

    /// Makes a child of a character's node follow a joint of the character, in place of any joint that it followed
    /// before.
    ///
    /// `character` is a number of your own, by which [`follow_many`](Self::follow_many) requests the character's
    /// matrices. `offset`, a [`Transform`](hedgerow::Transform) or a [`Mat34`], is the node's transform in the joint's
    /// space. Nothing moves before the next call of `follow`. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`CharacterError::NoParent`] for the root, roots of detached
    /// subtrees and anchored nodes, [`Error::NotFinite`], [`Error::NotRotation`].
    pub fn insert(
        &mut self,
        scene: &Scene,
        node: NodeHandle,
        character: u32,
        joint: u16,
        offset: impl Into<Local>,
    ) -> Result<(), CharacterError> {
        let at = scene.get(node).ok_or(Error::StaleHandle(node))?;
        let parent = at.parent().filter(|_| !at.is_anchored()).ok_or(CharacterError::NoParent(node))?.handle();
        at.local().ok_or(Error::NoTransform(node))?;
        let offset = match offset.into() {
            Local::Transform(transform) => transform.checked().map_err(Error::from)?.to_matrix(),
            Local::Matrix(matrix) if !matrix.is_finite() => return Err(Error::NotFinite("an offset").into()),
            Local::Matrix(matrix) => matrix,
        };
        let socket = Socket { offset, node, parent, character, joint };
        match self.indices.entry(node) {
            Entry::Occupied(index) => self.sockets[*index.get()] = socket,
            Entry::Vacant(index) => {
                index.insert(self.sockets.len());
                self.sockets.push(socket);
            }
        }
        Ok(())
    }

    /// Removes a node's socket. Returns `false` if it has none. The node keeps its local transform. Runs in **O(1)**.
    pub fn remove(&mut self, node: NodeHandle) -> bool {
        let index = self.indices.remove(&node);
        if let Some(index) = index {
            self.drop_at(index);
        }
        index.is_some()
    }

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        let Self { mut sockets, mut indices, .. } = core::mem::take(self);
        sockets.shrink_to_fit();
        indices.shrink_to_fit();
        *self = Self { sockets, indices, ..Self::default() };
    }

    /// Returns the character's number and the joint that a node follows; `None` if it has no socket. Runs in **O(1)**.
    #[must_use]
    pub fn followed_by(&self, node: NodeHandle) -> Option<(u32, u16)> {
        let socket = &self.sockets[*self.indices.get(&node)?];
        Some((socket.character, socket.joint))
    }

    /// Sets the local transforms of all nodes of the list from the model matrices of one character. Removes sockets
    /// that have ended, and returns their nodes.
    ///
    /// Runs in **O(sockets)**.
    ///
    /// # Errors
    /// [`CharacterError::NoJoint`] if a joint has no matrix, [`CharacterError::NotFinite`]. Scene and list are
    /// unchanged.
    pub fn follow(&mut self, scene: &mut Scene, models: &[Mat34]) -> Result<&[NodeHandle], CharacterError> {
        self.follow_many(scene, |_| Some(models))
    }

    /// Like [`follow`](Self::follow), for many characters: `models` returns the model matrices for a character's
    /// number. If it returns `None`, the character's sockets are not set.
    ///
    /// It may do so because the character did not move or is not visible. `models` is called once for adjacent sockets
    /// of the same character.
    ///
    /// Runs in **O(sockets)**, and prefetches the memory that the next sockets will read.
    ///
    /// ```
    /// use hedgerow::{Mat34, Node, Scene, Transform};
    /// use hedgerow_character::Sockets;
    ///
    /// let mut scene = Scene::new();
    /// let mut sockets = Sockets::new();
    /// let mut lamps = Vec::new();
    /// for number in 0..3 {
    ///     let miner = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    ///     lamps.push(scene.insert(miner, Node::transform(Transform::IDENTITY))?);
    ///     sockets.insert(&scene, lamps[number as usize], number, 0, Transform::IDENTITY)?;
    /// }
    /// let poses = [1.0, 2.0, 3.0].map(|y| [Transform::from_xyz(0.0, y, 0.0).to_matrix()]);
    /// scene.remove(lamps[2])?;
    /// let ended = sockets.follow_many(&mut scene, |miner| Some(&poses[miner as usize]))?;
    /// assert_eq!(ended, [lamps[2]]);
    /// scene.update();
    /// assert_eq!(scene.world(lamps[1]).unwrap().translation().y, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`follow`](Self::follow).
    pub fn follow_many<'m>(
        &mut self,
        scene: &mut Scene,
        mut models: impl FnMut(u32) -> Option<&'m [Mat34]>,
    ) -> Result<&[NodeHandle], CharacterError> {
        // An error must change nothing, so all locals are computed first.
        self.find(scene, &mut models)?;
        scene.set_locals(self.pending.drain(..))?;
        // From the last index down: `swap_remove` moves the last socket, and lower indices stay valid.
        while let Some(index) = self.gone.pop() {
            self.indices.remove(&self.sockets[index].node);
            self.drop_at(index);
        }
        Ok(&self.ended)
    }

    /// Computes the local transforms to set, and finds ended sockets, but changes no node. Matrices are scattered in
    /// memory, so all matrices of a block of sockets are prefetched before the first is read.
    fn find<'m>(
        &mut self,
        scene: &Scene,
        models: &mut dyn FnMut(u32) -> Option<&'m [Mat34]>,
    ) -> Result<(), CharacterError> {
        let Self { sockets, pending, ended, gone, .. } = self;
        pending.clear();
        ended.clear();
        gone.clear();
        let mut asked: Option<(u32, Option<&[Mat34]>)> = None;
        let mut block: SmallVec<[(&Socket, &Mat34); BLOCK]> = SmallVec::new();
        for (first, some) in (0..).step_by(BLOCK).zip(sockets.chunks(BLOCK)) {
            for (index, socket) in (first..).zip(some) {
                if !socket.holds(scene) {
                    ended.push(socket.node);
                    gone.push(index);
                    continue;
                }
                // Sockets of one character are mostly adjacent, and the closure may be slow.
                let models = match asked {
                    Some((character, models)) if character == socket.character => models,
                    _ => asked.insert((socket.character, models(socket.character))).1,
                };
                let Some(models) = models else { continue };
                let joint = usize::from(socket.joint);
                let none = CharacterError::NoJoint { joint: socket.joint, matrices: models.len() };
                let model = models.get(joint).ok_or(none)?;
                // The models of a block are asked for before the first is used.
                prefetch_whole(models, joint);
                block.push((socket, model));
            }
            for (socket, &model) in block.drain(..) {
                let node = socket.node;
                pending.push((node, local_of(model * socket.offset).ok_or(CharacterError::NotFinite { node })?));
            }
        }
        Ok(())
    }

    /// Removes a socket from the list. The caller has removed its entry in `indices`. The last socket takes its index.
    fn drop_at(&mut self, index: usize) {
        self.sockets.swap_remove(index);
        if let Some(moved) = self.sockets.get(index)
            && let Some(of_moved) = self.indices.get_mut(&moved.node)
        {
            *of_moved = index;
        }
    }
}

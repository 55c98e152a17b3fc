//! Scene nodes that follow joints.

use crate::character::CharacterError;
use crate::character::local::local_of;
use crate::store::LocalSlot;
use crate::{Error, Local, Mat34, NodeHandle, Scene, data::NodeMap};
use hedgerow_math::internal::prefetch_whole;
use smallvec::SmallVec;

/// How many sockets ahead the place of a local transform is asked for.
const AHEAD: usize = 8;
/// How many sockets have their matrices asked for at a time.
const BLOCK: usize = 16;

/// A node, and what it follows. 80 bytes.
#[derive(Clone, Copy, Debug)]
struct Socket {
    /// What comes between the joint and the node.
    offset: Mat34,
    node: NodeHandle,
    /// The character's node: the node's parent when it was inserted.
    parent: NodeHandle,
    /// The caller's number for the character.
    character: u32,
    joint: u16,
}

/// Which scene nodes follow which joints: the sword in a hand, the lamp on a helmet.
///
/// A node that follows a joint is a child of its character's node. [`follow`](Self::follow), before [`Scene::update`], sets
/// its local transform to *model(joint) × offset*, so that the same update gives it
/// *world(character) × model(joint) × offset*, and all below it follow.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Mat34, Node, Scene, Transform, character::Sockets};
///
/// let mut scene = Scene::new();
/// let knight = scene.insert(scene.root(), Node::transform(Transform::from_xyz(100.0, 0.0, 0.0)))?;
/// let sword = scene.insert(knight, Node::transform(Transform::IDENTITY))?;
/// let hand = 1;
/// let mut sockets = Sockets::new();
/// sockets.insert(&scene, sword, 0, hand, Transform::from_xyz(0.0, 0.0, 0.5))?;
///
/// let models = [Mat34::IDENTITY, Transform::from_xyz(0.0, 1.5, 0.0).to_matrix()];  // a pose, each frame
/// sockets.follow(&mut scene, &models)?;
/// scene.update();
/// assert_eq!(scene.world(sword).unwrap().translation(), Vec3::new(100.0, 1.5, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// One list serves any number of characters, told apart by numbers of the caller's ([`follow_many`](Self::follow_many)).
///
/// A socket *ends* when its node is removed, detached, given another parent, or loses its transform: the sword that is thrown
/// away is the scene's again. The next call that comes to it takes it off the list and names it. A character that is detached
/// as a whole keeps its sockets, and a scene that is loaded whole, which has all handles of the saved one, goes on with the
/// same list. A list is for one scene: with another, sockets end whose nodes that one does not have, and nodes whose handles are
/// the same in every bit follow what those of the first did. Copies and loaded subtrees have none until they are inserted, for the nodes that the
/// [`HandleMap`](crate::edit::HandleMap) names.
///
/// The product is kept as translation, rotation and scale where its axes are at right angles to within 1e-5; a joint that
/// shears, below others with a scale that is not uniform, is kept as a matrix, exactly, which costs a few times as much.
#[derive(Clone, Debug, Default)]
pub struct Sockets {
    sockets: Vec<Socket>,
    /// Where each node stands in the list.
    places: NodeMap<u32>,
    /// What is to be set when all is checked, and what has ended; kept to spare allocations.
    pending: Vec<(LocalSlot, Local)>,
    ended: Vec<NodeHandle>,
    /// Where those stand that have ended, ascending.
    gone: Vec<usize>,
    /// Nodes whose sockets ended when another was inserted with the same place in the tables; named by the next `follow`.
    replaced: Vec<NodeHandle>,
}

impl Sockets {
    /// A list without sockets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many sockets there are, ended ones included that no call has come to yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sockets.is_empty()
    }

    /// Lets a node follow a joint of the character whose node is its parent, in place of what it followed before.
    ///
    /// `character` is the caller's number, by which [`follow_many`](Self::follow_many) asks for matrices. `offset`, a
    /// [`Transform`](crate::Transform) or a [`Mat34`], places the node in the joint's space. Nothing moves before the next
    /// call of `follow`. Computes in **O(1)**.
    ///
    /// Where the list has a socket of another node with the same place in the tables, one that is gone or of another scene, that
    /// one ends here, and the next call of `follow` names it.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`CharacterError::NoParent`] for the root and roots of detached
    /// subtrees, [`Error::NotFinite`], [`Error::NotRotation`].
    pub fn insert(
        &mut self,
        scene: &Scene,
        node: NodeHandle,
        character: u32,
        joint: u16,
        offset: impl Into<Local>,
    ) -> Result<(), CharacterError> {
        scene.at(node)?;
        let parent = scene.parent(node).ok_or(CharacterError::NoParent(node))?;
        scene.local(node).ok_or(Error::NoTransform(node))?;
        let offset = offset.into().checked()?.to_matrix();
        let socket = Socket { offset, node, parent, character, joint };
        // What ended before and follows again has not ended.
        self.replaced.retain(|&other| other != node);
        if let Some(other) = self.places.holder(node).filter(|&other| other != node) {
            self.remove(other);
            if !self.replaced.contains(&other) {
                self.replaced.push(other);
            }
        }
        match self.places.get(node) {
            Some(&place) => self.sockets[place as usize] = socket,
            None => {
                let place = u32::try_from(self.sockets.len()).map_err(|_| Error::CapacityOverflow)?;
                self.places.insert(node, place);
                self.sockets.push(socket);
            }
        }
        Ok(())
    }

    /// Lets a node go, which keeps the local transform that it has; returns whether it followed anything. Computes in **O(1)**.
    pub fn remove(&mut self, node: NodeHandle) -> bool {
        let place = self.places.remove(node);
        if let Some(place) = place {
            self.drop_at(place as usize);
        }
        place.is_some()
    }

    /// The character's number and the joint that a node follows, or `None` if it follows none. Computes in **O(1)**.
    #[must_use]
    pub fn followed_by(&self, node: NodeHandle) -> Option<(u32, u16)> {
        let socket = &self.sockets[*self.places.get(node)? as usize];
        Some((socket.character, socket.joint))
    }

    /// Sets the local transforms of all nodes of the list by the model matrices of their joints, all of one character. Answers
    /// the nodes whose sockets have ended, which are taken off the list.
    ///
    /// Computes in **O(sockets)**.
    ///
    /// # Errors
    /// [`CharacterError::NoJoint`] for a joint beyond the matrices, [`CharacterError::NotFinite`]. The scene and the list are as
    /// before.
    pub fn follow(&mut self, scene: &mut Scene, models: &[Mat34]) -> Result<&[NodeHandle], CharacterError> {
        self.follow_many(scene, |_| Some(models))
    }

    /// The same for many characters: `models` answers a character's model matrices by its number, or `None` for one that has
    /// not moved, or is not seen, and whose nodes are to stay as they are. It is asked once for neighbours in the list
    /// that are of one character.
    ///
    /// Computes in **O(sockets)**, with what the next ones will read asked for ahead, as
    /// [`Scene::set_transforms`] does.
    ///
    /// ```
    /// use hedgerow::{Mat34, Node, Scene, Transform, character::Sockets};
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
    /// As those of [`follow`](Self::follow).
    pub fn follow_many<'m>(
        &mut self,
        scene: &mut Scene,
        mut models: impl FnMut(u32) -> Option<&'m [Mat34]>,
    ) -> Result<&[NodeHandle], CharacterError> {
        self.find(scene, &mut models)?;
        for (index, &(slot, local)) in self.pending.iter().enumerate() {
            if let Some(&(ahead, _)) = self.pending.get(index + AHEAD) {
                scene.prefetch_slot(ahead);
            }
            scene.put_in_slot(slot, local);
        }
        while let Some(place) = self.gone.pop() {
            self.places.remove(self.sockets[place].node);
            self.drop_at(place);
        }
        self.ended.append(&mut self.replaced);
        Ok(&self.ended)
    }

    /// Finds out what is to be set and what has ended, and changes nothing. Matrices lie here and there in memory: those of
    /// a block of sockets are asked for before the first is read.
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
        let mut block: SmallVec<[(&Socket, LocalSlot, &Mat34); BLOCK]> = SmallVec::new();
        for (first, some) in (0..).step_by(BLOCK).zip(sockets.chunks(BLOCK)) {
            for (index, socket) in (first..).zip(some) {
                scene.look_ahead(|steps| sockets.get(index + steps).map(|socket| socket.node));
                let Some(slot) = scene.child_slot(socket.node, socket.parent) else {
                    ended.push(socket.node);
                    gone.push(index);
                    continue;
                };
                let models = match asked {
                    Some((character, models)) if character == socket.character => models,
                    _ => asked.insert((socket.character, models(socket.character))).1,
                };
                let Some(models) = models else { continue };
                let joint = usize::from(socket.joint);
                let none = CharacterError::NoJoint { joint: socket.joint, matrices: models.len() };
                let model = models.get(joint).ok_or(none)?;
                prefetch_whole(models, joint);
                block.push((socket, slot, model));
            }
            for (socket, slot, &model) in block.drain(..) {
                let local = local_of(model * socket.offset);
                pending.push((slot, local.map_err(|_| CharacterError::NotFinite { node: socket.node })?));
            }
        }
        Ok(())
    }

    /// Takes a socket whose place is forgotten off the list; the last one comes in its place.
    fn drop_at(&mut self, place: usize) {
        self.sockets.swap_remove(place);
        if let Some(moved) = self.sockets.get(place)
            && let Some(index) = self.places.get_mut(moved.node)
        {
            *index = u32::try_from(place).expect("a place of the list");
        }
    }
}

//! Saves a subtree as bytes, and loads it into any scene: for parts of a world that come and go.
//!
//! Nodes are described in depth-first order, without rows and slots: they get new ones where they are loaded.
//!
//! ```text
//! header    as that of a scene, of another kind                                                          32 B
//! counts    nodes │ transforms │ matrices │ materials │ visibilities │ shapes │ names │ words │ remainders
//! nodes     handle u64 │ place of the parent in this list, NIL for the first │ which components          16 B
//! arrays    of each component in the order of the nodes that have it: transforms 40 B, matrices 48 B,
//!           materials 4 B, visibilities 4 B, shapes (mesh, then bounds) 28 B, names: lengths, then texts in UTF-8,
//!           words of draws 4 B, remainders of translations in double precision 12 B
//! ```

use super::SnapshotError;
use crate::fallible;
use crate::record::{BytesError, Reader, Record, Writer, ensure, structures};
use crate::scene::{Edge, HandleMap, Scene};
use crate::snapshot::{body_of, with_header};
use crate::store::{Additions, NIL};
use crate::{Aabb, Error, Local, Mat34, Node, NodeHandle, Place, Shape, Visibility, scene::SceneBuilder};
use glam::Vec3;
use hedgerow_math::internal::PackedTransform;
use hedgerow_math::internal::file_header::Kind;

/// A node of the list.
#[derive(Clone, Copy, Debug)]
struct Listed {
    handle: u64,
    parent: u32,
    /// The bits [`Listed::TRANSFORM`] and following.
    has: u32,
}

impl Listed {
    const TRANSFORM: u32 = 1;
    const MATRIX: u32 = 2;
    const MATERIAL: u32 = 4;
    const VISIBILITY: u32 = 8;
    const SHAPE: u32 = 16;
    const NAME: u32 = 32;
    const WORD: u32 = 64;
    const REMAINDER: u32 = 128;
    const ALL: u32 = 255;
}

structures! {
    Listed { handle: u64, parent: u32, has: u32 };
    Shape { mesh: u32, bounds: Aabb } if |shape| shape.bounds.is_sound();
}

/// The components of a subtree, each in an array of its own.
#[derive(Debug, Default)]
struct Part<'n> {
    nodes: Vec<Listed>,
    transforms: Vec<PackedTransform>,
    matrices: Vec<Mat34>,
    materials: Vec<u32>,
    visibilities: Vec<u32>,
    shapes: Vec<Shape>,
    names: Vec<&'n str>,
    words: Vec<u32>,
    remainders: Vec<Vec3>,
}

/// A node as it is read: the old handle, the place of the parent, and what it has.
type Described<'n> = (NodeHandle, u32, Node<'n>, Additions);

impl<'n> Part<'n> {
    /// Appends a node.
    fn push(&mut self, handle: NodeHandle, parent: u32, node: &Node<'n>, additions: &Additions) {
        let mut has = 0;
        let mut note = |bit: u32| has |= bit;
        match node.local {
            Some(Local::Transform(transform)) => {
                note(Listed::TRANSFORM);
                self.transforms.push(transform.into());
            }
            Some(Local::Matrix(matrix)) => {
                note(Listed::MATRIX);
                self.matrices.push(matrix);
            }
            None => {}
        }
        node.material.inspect(|_| note(Listed::MATERIAL));
        node.visibility.inspect(|_| note(Listed::VISIBILITY));
        node.shape.inspect(|_| note(Listed::SHAPE));
        node.name.inspect(|_| note(Listed::NAME));
        let word = Some(additions.word).filter(|&word| word != 0).inspect(|_| note(Listed::WORD));
        let remainder = Some(additions.remainder).filter(|&of| of != Vec3::ZERO).inspect(|_| note(Listed::REMAINDER));
        self.words.extend(word);
        self.remainders.extend(remainder);
        self.materials.extend(node.material);
        self.visibilities.extend(node.visibility.map(Visibility::mask));
        self.shapes.extend(node.shape);
        self.names.extend(node.name);
        self.nodes.push(Listed { handle: handle.to_bits(), parent, has });
    }

    fn write(&self, out: &mut Writer) {
        let Self { nodes, transforms, matrices, materials, visibilities, shapes, names, words, remainders } = self;
        let counts = [
            nodes.len(),
            transforms.len(),
            matrices.len(),
            materials.len(),
            visibilities.len(),
            shapes.len(),
            names.len(),
            words.len(),
            remainders.len(),
        ];
        out.one(counts.map(|count| u32::try_from(count).expect("a scene has at most 2^30 nodes")));
        out.array(nodes);
        out.array(transforms);
        out.array(matrices);
        out.array(materials);
        out.array(visibilities);
        out.array(shapes);
        out.texts(names.iter().copied());
        out.array(words);
        out.array(remainders);
    }

    /// Reads the arrays and checks their values and lengths, and that every node except the first is below an earlier
    /// one.
    fn read(from: &mut Reader<'n>) -> Result<Self, BytesError> {
        let counts: [u32; 9] = from.one()?;
        let [nodes, transforms, matrices, materials, visibilities, shapes, names, words, remainders] = counts;
        let part = Self {
            nodes: from.many(nodes)?,
            transforms: from.many(transforms)?,
            matrices: from.many(matrices)?,
            materials: from.many(materials)?,
            visibilities: from.many(visibilities)?,
            shapes: from.many(shapes)?,
            names: from.texts(names)?,
            words: from.many(words)?,
            remainders: from.many(remainders)?,
        };
        let mut counts = [0; 8];
        for (index, node) in (0_u32..).zip(&part.nodes) {
            let below = if index == 0 { node.parent == NIL } else { node.parent < index };
            ensure!(below, "a node comes before its parent");
            let one_local = node.has & (Listed::TRANSFORM | Listed::MATRIX) != Listed::TRANSFORM | Listed::MATRIX;
            ensure!(node.has & !Listed::ALL == 0 && one_local, "a node has components that there are not");
            (0..).zip(&mut counts).for_each(|(bit, count)| *count += node.has >> bit & 1);
        }
        let counted = [transforms, matrices, materials, visibilities, shapes, names, words, remainders];
        ensure!(counts == counted, "there are other components than nodes that have them");
        ensure!(part.transforms.iter().all(Record::is_sound), "a transform is not finite, or its rotation no rotation");
        ensure!(part.matrices.iter().all(Mat34::is_finite), "a matrix is not finite");
        ensure!(part.shapes.iter().all(Record::is_sound), "bounds are neither finite nor empty or infinite throughout");
        Ok(part)
    }

    /// The nodes in order.
    fn into_nodes(self) -> Result<Vec<Described<'n>>, BytesError> {
        let Self { nodes, transforms, matrices, materials, visibilities, shapes, names, words, remainders } = self;
        let (mut transforms, mut matrices) = (transforms.into_iter(), matrices.into_iter());
        let (mut materials, mut visibilities) = (materials.into_iter(), visibilities.into_iter());
        let (mut shapes, mut names) = (shapes.into_iter(), names.into_iter());
        let (mut words, mut remainders) = (words.into_iter(), remainders.into_iter());
        let mut described = fallible::with_capacity(nodes.len())?;
        for Listed { handle, parent, has } in nodes {
            let handle =
                NodeHandle::from_bits(handle).ok_or(BytesError::invalid("a node has a handle that none can have"))?;
            let mut local = None;
            if has & Listed::TRANSFORM != 0 {
                local = transforms.next().map(|packed| Local::Transform(packed.into()));
            } else if has & Listed::MATRIX != 0 {
                local = matrices.next().map(Local::Matrix);
            }
            let node = Node {
                local,
                material: if has & Listed::MATERIAL != 0 { materials.next() } else { None },
                visibility: if has & Listed::VISIBILITY != 0 { visibilities.next() } else { None }
                    .map(Visibility::layers),
                shape: if has & Listed::SHAPE != 0 { shapes.next() } else { None },
                name: if has & Listed::NAME != 0 { names.next() } else { None },
            };
            let mut additions = Additions::default();
            if has & Listed::WORD != 0 {
                additions.word = words.next().unwrap_or_default();
            }
            if has & Listed::REMAINDER != 0 {
                additions.remainder = remainders.next().unwrap_or_default();
                let translation = node.local.map(|local| local.to_matrix().translation());
                let fits = translation.is_some_and(|at| Additions::fits(additions.remainder, at));
                ensure!(fits, "a remainder is of another translation");
            }
            described.push((handle, parent, node, additions));
        }
        Ok(described)
    }
}

impl Scene {
    /// A node and everything below it as bytes, which [`Scene::load_subtree`] loads into this or another scene: all
    /// that [`Scene::duplicate`] copies.
    ///
    /// Runs in **O(nodes of the subtree)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn save_subtree(&self, node: NodeHandle) -> Result<Vec<u8>, Error> {
        self.at(node)?;
        let mut part = Part::default();
        let mut above = vec![NIL];
        for edge in self.edges(node) {
            match edge {
                Edge::Enter(node) => {
                    let place = u32::try_from(part.nodes.len()).expect("a scene has at most 2^30 nodes");
                    let at = self.at(node)?;
                    let (described, additions) = (self.store.node(at), self.store.additions(at));
                    part.push(node, above[above.len() - 1], &described, &additions);
                    above.push(place);
                }
                Edge::Leave(_) => {
                    above.pop();
                }
            }
        }
        let mut out = Writer::new();
        part.write(&mut out);
        Ok(with_header(Kind::Subtree, out))
    }

    /// Loads the subtree from which [`Scene::save_subtree`] made these bytes, at a place. Returns a map from old to new
    /// handles.
    ///
    /// Any bytes are safe, as those of [`Scene::load`] are. Runs in **O(n log n)** for n nodes of the subtree.
    ///
    /// # Errors
    /// [`SnapshotError`] says what is wrong with the bytes, why the subtree cannot go to the place
    /// ([`SnapshotError::Scene`]), or that there is no memory to read it. The scene is
    /// unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Place, Scene};
    ///
    /// let mut world = Scene::new();
    /// let [west, east] = ["west", "east"].map(|name| world.insert(world.root(), Node::group().named(name)).unwrap());
    /// let house = world.insert(west, Node::group().named("house"))?;
    ///
    /// let file = world.save_subtree(west)?;      // out of sight,
    /// world.remove(west)?;
    /// let map = world.load_subtree(&file, Place::Before(east))?; // and back
    /// assert_eq!(world.find(world.root(), "west/house"), map.get(house));
    /// assert!(!world.contains(house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_subtree(&mut self, bytes: &[u8], place: impl Into<Place>) -> Result<HandleMap, SnapshotError> {
        let mut from = Reader::new(body_of(Kind::Subtree, bytes)?);
        let nodes = Part::read(&mut from)?.into_nodes()?;
        from.finish()?;
        check_handles(&nodes)?;
        let mut builder = SceneBuilder::with_capacity(nodes.len());
        for &(_, parent, node, additions) in &nodes {
            builder.push((parent != NIL).then_some(parent as usize), node);
            builder.add(&additions);
        }
        let new = builder.insert_into(self, place)?;
        let pairs = nodes.iter().map(|&(old, ..)| old).zip(new).collect();
        Ok(HandleMap::new(pairs).expect("old handles that were found to be unique"))
    }
}

/// Checks that there is a node, and that no two have the same handle.
fn check_handles(nodes: &[Described<'_>]) -> Result<(), BytesError> {
    ensure!(!nodes.is_empty(), "there is no node");
    let mut handles = fallible::collected(nodes.iter().map(|&(handle, ..)| handle))?;
    handles.sort_unstable();
    ensure!(handles.is_sorted_by(|a, b| a < b), "two nodes have the same handle");
    Ok(())
}

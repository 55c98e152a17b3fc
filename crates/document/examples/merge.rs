//! Two designers of one library. First each edits a file, and the files are merged, both ways. Then they work at the same
//! time, over slow connections: patches that cross on their way are merged at both ends. In the middle, a third designer
//! joins from bytes.
//!
//! ```text
//! cargo run --release --features serde --example merge -- [seed] [patches]
//! ```

use fastrand::Rng;
use hedgerow::{Keep, Node, NodeHandle, Scene, SceneConfig, Transform, Tree};
use hedgerow_document::{Document, Entry, Error, Field, Key, Library, Link, Merged, Message, Patch, Path, Spot, Value};
use std::collections::VecDeque;

type Anything = Box<dyn std::error::Error>;

/// A designer: a scene with the street in it.
struct Designer {
    scene: Scene,
    document: Document,
}

impl Designer {
    fn open(library: Library, writer: u16) -> Result<Self, Anything> {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
        let root = scene.root();
        let mut document = Document::open(&mut scene, root, library, "street")?;
        document.set_writer(writer);
        Ok(Self { scene, document })
    }

    /// One random act: of the level, or of a definition that it uses. Returns its patch, which may be empty.
    fn act(&mut self, rng: &mut Rng) -> Result<Patch, Anything> {
        let Self { scene, document } = self;
        let root = scene.get(document.root()).ok_or("the root is gone")?;
        let nodes: Vec<NodeHandle> = root.descendants().skip(1).map(|node| node.handle()).collect();
        let [node, other] = [(); 2].map(|()| rng.choice(&nodes).copied().unwrap_or(document.root()));
        let library = document.library();
        let path = document.path(scene, node).ok_or("a node has no path")?;
        match rng.u8(0..12) {
            0 => _ = scene.edit(node)?.set_name(format!("name {}", rng.u8(..)).as_str()),
            1 => scene.set_local(node, Transform::from_xyz(rng.f32(), 0.0, 0.0))?,
            2 | 3 => {
                if node != other && !scene.get(other).is_some_and(|other| other.is_below(node)) {
                    scene.reparent(node, other, Keep::Local)?;
                }
            }
            4 | 5 if nodes.len() > 60 => _ = scene.remove(node)?,
            4 => _ = scene.insert(node, Node::material(rng.u32(0..9)))?,
            5 => {
                let uses = ["wheel", "car", "red car"][rng.usize(0..3)];
                let patch = library.place("street", Spot::below(path, rng.f64()), uses, Node::group())?;
                document.apply(scene, &patch)?;
                return Ok(patch);
            }
            6 | 7 => {
                // Edits a prefab in place, through the outermost use around the node.
                let uses = Path::from(path.ids()[0]);
                scene.edit(node)?.set_material(rng.u32(0..9));
                scene.insert(node, Node::group())?;
                let in_place = document.commit_in(scene, &uses);
                return in_place.or_else(|_| Ok(document.commit(scene)?.clone()));
            }
            8 | 9 => {
                let definition = ["wheel", "car", "red car"][rng.usize(0..3)];
                let ids: Vec<Path> = library.stated(definition).map(|(path, _)| path).collect();
                let path = rng.choice(&ids).ok_or("a definition is empty")?.clone();
                let patch = library.state(definition, path, Value::Material(Some(rng.u32(10..19))))?;
                document.apply(scene, &patch)?;
                return Ok(patch);
            }
            10 => return Ok(document.undo(scene)?.unwrap_or_default()),
            _ => return Ok(document.redo(scene)?.unwrap_or_default()),
        }
        Ok(document.commit(scene)?.clone())
    }

    /// Checks that the library is this one, and that the scene is what it says.
    fn check(&self, library: &Library) -> Result<(), Anything> {
        assert!(self.document.library() == library, "the library is another one");
        assert_eq!(self.scene.copy_tree(self.document.root())?, library.tree("street")?);
        Ok(())
    }
}

/// Wheels in cars in a street, and a variant of the car.
fn street() -> Result<Library, Anything> {
    let mut library = Library::new();
    for (name, parts) in [("wheel", &["tyre", "bolt"][..]), ("car", &["door"]), ("red car", &[]), ("street", &["kerb"])]
    {
        let mut tree = Tree::new();
        let top = tree.push(None, Node::group().with_name(name));
        parts.iter().for_each(|part| _ = tree.push(Some(top), Node::group().with_name(part)));
        library.apply(&library.define(name, &tree)?)?;
    }
    library.apply(&library.state("red car", 0, Value::Use(Some("car".into())))?)?;
    for (user, used) in [("car", "wheel"), ("car", "wheel"), ("street", "car"), ("street", "red car")] {
        library.apply(&library.place(user, Spot::below(0, 1.0), used, Node::group())?)?;
    }
    Ok(library)
}

/// Returns whether all changes are in the result of a merge, or in a conflict.
fn are_there(changes: &Patch, result: &Library, merged: &Merged) -> bool {
    let in_conflict = |key: &Key| merged.conflicts.iter().any(|conflict| conflict.key == *key);
    changes.entries().iter().all(|Entry { key, after, .. }| {
        // A node that one removed stays with all that is stated of it if the other needs it.
        let node = Key::new(key.definition.clone(), key.path.ids()[0], Field::Place);
        result.get(key) == after.as_ref() || in_conflict(key) || after.is_none() && in_conflict(&node)
    })
}

/// Each of two designers edits a file, and the files are merged, both ways.
fn files(rng: &mut Rng, writers: [u16; 2]) -> Result<(), Anything> {
    let base = street()?;
    let mut files = Vec::new();
    for writer in writers {
        let mut designer = Designer::open(base.clone(), writer)?;
        for _ in 0..100 {
            designer.act(rng)?;
        }
        files.push(serde_json::to_string_pretty(designer.document.library())?);
    }
    for [ours, theirs] in [[0, 1], [1, 0]] {
        let [ours, theirs]: [Library; 2] = [serde_json::from_str(&files[ours])?, serde_json::from_str(&files[theirs])?];
        let [our_changes, their_changes] = [&ours, &theirs].map(|library| Patch::between(&base, library));
        let merged = Patch::merge(&base, &our_changes, &their_changes)?;
        let mut result = base.clone();
        result.apply(&merged.patch)?;
        assert!(are_there(&our_changes, &result, &merged), "a change of ours is lost");
        // The changes of theirs name renumbered nodes by their old ids.
        assert!(!merged.renumbered.is_empty() || are_there(&their_changes, &result, &merged), "one of theirs is lost");
        let (ours_count, theirs_count) = (our_changes.entries().len(), their_changes.entries().len());
        let (conflicts, renumbered) = (merged.conflicts.len(), merged.renumbered.len());
        println!(
            "files: {ours_count} changes and {theirs_count}: {conflicts} conflicts, {renumbered} nodes have new ids"
        );

        // In an editor, the merge is a step like any other.
        let mut designer = Designer::open(ours.clone(), 0)?;
        let step = our_changes.inverse().then(&merged.patch)?;
        designer.document.apply(&mut designer.scene, &step)?;
        designer.check(&result)?;
        designer.document.undo(&mut designer.scene)?;
        designer.check(&ours)?;
    }
    Ok(())
}

/// A designer, and the connection to the server with all that is on its way.
struct Client {
    designer: Designer,
    link: Link,
    server_link: Link,
    to_server: VecDeque<Message>,
    from_server: VecDeque<Message>,
}

impl Client {
    fn join(library: &[u8], writer: u16) -> Result<Self, Anything> {
        let library = Library::from_bytes(library)?;
        let (link, server_link) = (Link::new(library.clone(), false), Link::new(library.clone(), true));
        let designer = Designer::open(library, writer)?;
        Ok(Self { designer, link, server_link, to_server: VecDeque::new(), from_server: VecDeque::new() })
    }

    fn act(&mut self, rng: &mut Rng) -> Result<(), Anything> {
        let mut patch = Patch::new();
        while patch.is_empty() {
            patch = self.designer.act(rng)?;
        }
        self.to_server.push_back(self.link.send(patch));
        Ok(())
    }

    /// Follows all that has arrived. Edits were committed and sent before.
    fn receive(&mut self) -> Result<(), Error> {
        let Designer { scene, document } = &mut self.designer;
        for message in self.from_server.drain(..) {
            document.follow(scene, &self.link.receive(message)?.0)?;
        }
        Ok(())
    }
}

/// A server that puts patches in order and sends them to all others.
struct Server {
    library: Library,
    clients: Vec<Client>,
    ordered: usize,
    conflicts: usize,
}

impl Server {
    fn receive(&mut self, from: usize) -> Result<(), Error> {
        while let Some(message) = self.clients[from].to_server.pop_front() {
            let (patch, conflicts) = self.clients[from].server_link.receive(message)?;
            self.library.apply(&patch)?;
            (self.ordered, self.conflicts) = (self.ordered + 1, self.conflicts + conflicts.len());
            for (_, to) in self.clients.iter_mut().enumerate().filter(|(number, _)| *number != from) {
                to.from_server.push_back(to.server_link.send(patch.clone()));
            }
        }
        Ok(())
    }
}

/// The designers work at the same time. Connections deliver all that is on its way, in one round of three.
fn live(rng: &mut Rng, patches: usize) -> Result<(), Anything> {
    let base = street()?.to_bytes();
    let clients = vec![Client::join(&base, 1)?, Client::join(&base, 2)?];
    let mut server = Server { library: Library::from_bytes(&base)?, clients, ordered: 0, conflicts: 0 };
    let mut most = 0;
    for round in 0..patches {
        if round == patches / 2 {
            server.clients.push(Client::join(&server.library.to_bytes(), 3)?);
        }
        for number in 0..server.clients.len() {
            let client = &mut server.clients[number];
            client.act(rng)?;
            most = most.max(client.link.pending());
            if rng.u8(0..3) == 0 {
                client.receive()?;
            }
            if rng.u8(0..3) == 0 {
                server.receive(number)?;
            }
        }
    }
    (0..server.clients.len()).try_for_each(|number| server.receive(number))?;
    let Server { library, clients, ordered, conflicts } = &mut server;
    for client in clients {
        client.receive()?;
        client.designer.check(library)?;
    }
    println!(
        "live: {ordered} patches, {conflicts} conflicts, up to {most} patches pending; all three libraries are equal"
    );
    Ok(())
}

fn main() -> Result<(), Anything> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse());
    let (seed, patches) = (numbers.next().transpose()?.unwrap_or(0), numbers.next().transpose()?.unwrap_or(1000));
    let mut rng = Rng::with_seed(seed);
    files(&mut rng, [0, 0])?;
    files(&mut rng, [1, 2])?;
    live(&mut rng, usize::try_from(patches)?)
}

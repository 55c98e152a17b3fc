//! The core of an editor: wheels in cars in a street, a variant, and random acts of a user, all of which are taken back.
//!
//! After each act, the scene is what the library says. Lines about documents are marked with `//  doc`.
//!
//! ```text
//! cargo run --release --features serde --example editor -- [seeds]
//! ```

use fastrand::Rng;
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_document::{Document, Error, Field, Key, Library, Patch, Path, Spot, Value};

type Anything = Box<dyn std::error::Error>;

/// An editor: a scene, the document in it, and what is selected.
struct Editor {
    scene: Scene,
    document: Document,
    selected: Path,
}

impl Editor {
    fn open(library: Library) -> Result<Self, Anything> {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
        let root = scene.root();
        let document = Document::open(&mut scene, root, library, "street")?; //  doc
        Ok(Self { scene, document, selected: Path::from(0) })
    }

    /// Saves the document to a file, and opens it again.
    fn save_and_open(self) -> Result<Self, Anything> {
        let file = serde_json::to_string_pretty(self.document.library())?; //  doc
        let opened = Self::open(serde_json::from_str(&file)?)?; //  doc
        Ok(Self { selected: self.selected, ..opened })
    }

    fn node(&self) -> Option<NodeHandle> {
        self.document.node(&self.scene, &self.selected) //  doc
    }

    fn select(&mut self, node: NodeHandle) {
        let path = self.document.path(&self.scene, node); //  doc
        self.selected = path.unwrap_or(Path::from(0));
    }

    /// Makes a patch of the library one step. A refused one changes nothing.
    fn apply(&mut self, patch: Result<Patch, Error>) -> bool {
        patch.and_then(|patch| self.document.apply(&mut self.scene, &patch)).is_ok() //  doc
    }

    /// Moves the selected node over some frames: one step.
    fn drag(&mut self, to: f32) -> Result<(), Anything> {
        let Some(node) = self.node() else { return Ok(()) };
        for frame in 1..=3_u8 {
            let x = to * f32::from(frame) / 3.0;
            self.scene.set_local(node, Transform::from_xyz(x, 0.0, 0.0))?;
            self.document.commit(&mut self.scene)?; //  doc
            if frame > 1 {
                self.document.amend(); //  doc
            }
        }
        Ok(())
    }

    /// Puts the selected node below a new group in its place.
    fn group(&mut self) -> Result<(), Anything> {
        let Some((node, place)) = self.node().and_then(|node| Some((node, self.scene.get(node)?.place()?))) else {
            return Ok(());
        };
        let group = self.scene.insert(place, Node::group().with_name("group"))?;
        self.scene.reparent(node, group, Keep::World)?;
        self.document.commit(&mut self.scene)?; //  doc
        self.select(group);
        Ok(())
    }

    /// Copies the selected node behind itself.
    fn duplicate(&mut self) -> bool {
        let library = self.document.library();
        let copy = library.copy("street", core::slice::from_ref(&self.selected)); //  doc
        let pasted = library.paste("street", Place::After(self.selected.clone()), &copy); //  doc
        self.apply(pasted)
    }

    /// Uses another definition at the selected node.
    fn swap(&mut self, uses: &str) -> bool {
        let library = self.document.library();
        let is_use = library.get(&Key::new("street", self.selected.clone(), Field::Use)).is_some();
        is_use && self.apply(library.state("street", self.selected.clone(), Value::Use(Some(uses.into())))) //  doc
    }

    /// Edits below the selected use become edits of its definition.
    fn edit_in_place(&mut self, material: u32) -> Result<(), Anything> {
        let below: Vec<NodeHandle> = self.node().into_iter().flat_map(|node| self.scene.children(node)).collect();
        for node in below {
            self.scene.edit(node)?.set_material(material);
        }
        let in_place = self.document.commit_in(&mut self.scene, &self.selected); //  doc
        in_place.map(drop).or_else(|_| self.document.commit(&mut self.scene).map(drop))?; //  doc
        Ok(())
    }

    /// One random act of a user.
    fn act(mut self, dice: &mut Rng) -> Result<Self, Anything> {
        let root = self.scene.get(self.document.root()).ok_or("the root is gone")?;
        let nodes: Vec<NodeHandle> = root.descendants().skip(1).map(|node| node.handle()).collect();
        if let Some(&node) = dice.choice(&nodes) {
            self.select(node);
        }
        let library = self.document.library();
        let (fields, at) = ([Field::Material, Field::Name, Field::Local], self.selected.clone());
        match dice.u8(0..16) {
            0 => self.drag(dice.f32() * 10.0)?,
            1 => self.group()?,
            2 => _ = self.duplicate(),
            3 => {
                let patch = library.extract("street", &at, &format!("part {}", dice.u32(..))); //  doc
                self.apply(patch);
            }
            4 => _ = self.swap(["car", "red car", "wheel"][dice.usize(0..3)]),
            5 => {
                let patch = library.unstate("street", &at, &fields); //  doc
                self.apply(Ok(patch));
            }
            15 => {
                let patch = library.revert("street", &at); //  doc
                self.apply(Ok(patch));
            }
            6 => {
                let patch = library.push("street", &at, &fields, dice.usize(1..4)); //  doc
                self.apply(patch);
            }
            7 => {
                let patch = library.unpack("street", &at); //  doc
                self.apply(patch);
            }
            8 => self.edit_in_place(dice.u32(0..9))?,
            9 | 10 => _ = self.document.undo(&mut self.scene)?, //  doc
            11 => _ = self.document.redo(&mut self.scene)?,     //  doc
            12 => {
                let node = self.node().filter(|_| self.scene.len() > 20);
                node.map(|node| self.scene.remove(node)).transpose()?;
                self.document.commit(&mut self.scene)?; //  doc
            }
            13 => {
                let patch = library.place("street", Spot::below(0, dice.f64() * 9.0), "car", Node::group()); //  doc
                self.apply(patch);
            }
            _ => {
                // A tool that fails half-way.
                if let Some(node) = self.node() {
                    self.scene.edit(node)?.set_material(99);
                    self.scene.insert(node, Node::group())?;
                }
                self.document.revert(&mut self.scene)?; //  doc
            }
        }
        Ok(self)
    }

    fn check(&self) -> Result<(), Anything> {
        let (library, root) = (self.document.library(), self.document.root());
        if library.tree("street")? != self.scene.copy_tree(root)? {
            return Err("the scene is not what the library says".into());
        }
        for node in self.scene.get(root).ok_or("the root is gone")?.descendants() {
            let path = self.document.path(&self.scene, node.handle()).ok_or("a node has no path")?;
            if self.document.node(&self.scene, &path) != Some(node.handle()) {
                return Err(format!("{path} is another node").into());
            }
        }
        Ok(())
    }
}

/// Wheels in cars in a street, and a variant of the car.
fn street() -> Result<Library, Anything> {
    let mut library = Library::new();
    for (name, parts) in [("wheel", &["tyre", "bolt"][..]), ("car", &["door"]), ("street", &["kerb"])] {
        let mut tree = Tree::new();
        let top = tree.push(None, Node::group().with_name(name));
        for part in parts {
            tree.push(Some(top), Node::transform(Transform::IDENTITY).with_name(part));
        }
        library.apply(&library.define(name, &tree)?)?;
    }
    for order in [1.0, 2.0] {
        library.apply(&library.place("car", Spot::below(0, order), "wheel", Node::group())?)?;
    }
    library.apply(&library.variant("red car", "car", Node::material(7))?)?;
    for (x, uses) in [(1.0_f32, "car"), (2.0, "red car"), (3.0, "car")] {
        let node = Node::transform(Transform::from_xyz(x, 0.0, 0.0));
        library.apply(&library.place("street", Spot::below(0, f64::from(x)), uses, node)?)?;
    }
    Ok(library)
}

fn main() -> Result<(), Anything> {
    let seeds = std::env::args().nth(1).map_or(Ok(100), |seeds| seeds.parse())?;
    let mut steps = 0;
    for seed in 0..seeds {
        let mut dice = Rng::with_seed(seed);
        let mut editor = Editor::open(street()?)?;
        for act in 0..200 {
            editor = editor.act(&mut dice)?;
            if act == 100 {
                editor = editor.save_and_open()?;
            }
            editor.check().map_err(|error| format!("seed {seed}, act {act}: {error}"))?;
        }
        while editor.document.undo(&mut editor.scene)?.is_some() {
            steps += 1;
        }
        editor.check()?;
    }
    println!(
        "{seeds} users: after each of 200 acts the scene was what the library says; {steps} steps were taken back"
    );
    Ok(())
}

//! Takes over a scene that was built elsewhere, and other configurations for a scene.

use crate::scene::{HandleMap, Place, Scene};
use crate::{Error, SceneConfig};

impl Scene {
    /// Takes over everything of another scene, for one that was built or loaded on another thread: its root, with the
    /// whole tree below it, goes to a place here, and its detached subtrees stay detached. The other scene is new
    /// afterwards, with a root alone. Returns a map from old to new handles, whose top is the root.
    ///
    /// Slices are taken over as they are, with their world matrices, and nothing is built again. If the other scene was
    /// updated, and the place has the world transform of the identity, the next update computes nothing, unless the
    /// scene tracks changes. Runs in **O(nodes)**, in one pass in the order of memory that gives nodes their new
    /// handles, besides what [`Scene::attach`] takes: several times faster than [`Scene::duplicate_from`]. Make the
    /// other scene with the [`config`](Scene::config) of this one; else it is [reconfigured](Scene::reconfigure) first.
    ///
    /// # Errors
    /// Those of [`Scene::insert`] for the place; [`Error::CapacityOverflow`] for more nodes or handle tables than a
    /// scene can have. Both scenes are unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut world = Scene::new();
    /// let config = *world.config();
    /// let loader = std::thread::spawn(move || {
    ///     let mut district = Scene::with_config(config)?;
    ///     let root = district.root();
    ///     district.set_local(root, Transform::from_xyz(100.0, 0.0, 0.0))?;
    ///     let house = district.insert(root, Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)).named("house"))?;
    ///     district.update();
    ///     Ok::<_, hedgerow::Error>((district, house))
    /// });
    /// let (mut district, house) = loader.join().expect("a loader that does not panic")?;
    ///
    /// let map = world.adopt(&mut district, world.root())?;
    /// world.update();
    /// let house = map.get(house).expect("it was taken over");
    /// assert_eq!(world.parent(house), Some(map.top()));
    /// assert_eq!(world.world(house).map(|world| world.translation().x), Some(105.0));
    /// assert_eq!((world.len(), district.len()), (3, 1));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn adopt(&mut self, other: &mut Self, place: impl Into<Place>) -> Result<HandleMap, Error> {
        let place = self.place_to_build(place.into())?;
        if !self.store.can_adopt(&other.store) {
            return Err(Error::CapacityOverflow);
        }
        let empty = Self::with_config(*other.config())?;
        let mut taken = core::mem::replace(other, empty);
        if taken.config() != self.config() {
            taken.store.reconfigure(*self.config());
        }
        let mut pairs = Vec::with_capacity(taken.len() + taken.detached_len());
        let top = self.store.adopt_store(taken.store, |old, new| pairs.push((old, new)));
        if let Some((place, parent)) = place {
            self.store.relocate(self.store.handle(top), top, place, parent);
        }
        Ok(HandleMap::new(pairs).expect("a root, and handles that are unique"))
    }

    /// Gives the scene another configuration. Handles, nodes and their order stay; the scene is as one with the same
    /// nodes that was made with it.
    ///
    /// World boxes ([`SceneConfig::bounds`]) are there after the next update, and until then shapes are tested one by
    /// one. Once changes are tracked ([`SceneConfig::changes`]), the next update reports every node as entered, as the
    /// first of a new scene does. Slices that are too large are split at once; small ones are merged by
    /// [`Scene::maintain`]. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Aabb, Node, Scene, SceneConfig, Shape, Visibility, query::Sphere};
    ///
    /// let mut scene = Scene::new();
    /// let tree = scene.insert(scene.root(), Node::shape(Shape::new(1, Aabb::cube(1.0))))?;
    /// scene.reconfigure(SceneConfig { bounds: true, ..*scene.config() })?;
    /// scene.update();
    /// let mut near = Vec::new();
    /// scene.nodes_in_sphere(&Sphere::new([0.0, 0.0, 0.0].into(), 4.5)?, Visibility::VISIBLE, &mut near)?;
    /// assert_eq!(near, [tree]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn reconfigure(&mut self, config: SceneConfig) -> Result<(), Error> {
        let config = config.checked()?;
        if config != *self.config() {
            self.store.reconfigure(config);
        }
        Ok(())
    }
}

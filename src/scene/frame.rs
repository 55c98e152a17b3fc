//! The calls of a frame: updates, draw lists, and walks over whole slices.

use crate::pass::{ChangedSlices, DrawList, SliceCursor};
use crate::scene::Scene;
use crate::store::SliceId;
use crate::visit::{Flow, ListedRange, SliceView, SliceVisitor, SliceVisitorMut};
use core::iter::FusedIterator;
use core::ops::ControlFlow;

impl Scene {
    /// Computes world matrices, and inherited visibility and materials, where edits affect them. Call it once a frame,
    /// after the edits and before what draws.
    ///
    /// Until then, draw lists, culling, queries and walks over slices show the last update, but without nodes removed
    /// since: see [what passes read](crate#what-passes-read). Takes O(1) if nothing was edited, else **O(slices + nodes
    /// of the slices that edits affect)**. The first update after building a scene takes O(nodes): see
    /// [costs](crate#costs).
    ///
    /// Also gives inserted and moved nodes their rows in the arrays, and merges a few small slices; [`Scene::maintain`]
    /// merges all. Reconstitutes slices that are full, are half empty, or have a node that got or lost a transform or a
    /// drawable. Does not read the arrays of unchanged slices. If the scene [tracks
    /// changes](crate::SceneConfig::changes), the first update after matrices changed copies these matrices, even
    /// without edits: about 6 ms for a million.
    pub fn update(&mut self) {
        self.store.update();
    }

    /// Lists all visible drawables with their world matrices as of the last update. Reuse the list: only what changed
    /// is then listed again.
    ///
    /// Replaces the contents of the list. If the list has an [eye](DrawList::set_eye), it also gets matrices relative
    /// to the eye.
    ///
    /// If the list was last filled from this scene, only slices that changed since then are listed again, and only
    /// recomputed matrices are copied. Runs in **O(slices + drawables)** the first time, then in O(slices + drawables
    /// of the slices that changed), or in O(1) if nothing changed. If the list's eye moved, takes at least
    /// O(drawables). If the number of drawables of a slice changes, the drawables of all later slices are moved.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let tree = Node::transform(Transform::from_xyz(0.0, 0.0, 4.0)).with_drawable(Drawable::new(9, Aabb::cube(1.0)));
    /// let node = scene.insert(scene.root(), tree)?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.commands()[0].node, node);
    /// assert_eq!(list.matrices()[0].translation().z, 4.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn draw_list(&self, list: &mut DrawList) {
        list.refresh(&self.store);
    }

    /// Returns all slices of the tree, for passes of your own. Each slice comes after the slices that it imports from.
    ///
    /// Runs in **O(slices)** and allocates nothing.
    ///
    /// ```
    /// use hedgerow::{Aabb, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// for x in 0..3 {
    ///     let place = Transform::from_xyz(x as f32, 0.0, 0.0);
    ///     scene.insert(scene.root(), Node::transform(place).with_drawable(Drawable::new(7, Aabb::cube(0.5))))?;
    /// }
    /// scene.update();
    /// let mut near = 0;
    /// for slice in scene.slices() {
    ///     let worlds = slice.transforms().worlds();
    ///     near += slice.drawables().iter().filter(|at| worlds[at.transform].translation().x < 1.5).count();
    /// }
    /// assert_eq!(near, 2);
    ///
    /// let (rows, transforms) = (scene.slices().last().unwrap().rows(), scene.slices().last().unwrap().transforms());
    /// assert_eq!((0..rows.len()).filter(|&row| rows.own_transform(row).is_some()).count(), 3);
    /// assert!(transforms.len() <= transforms.capacity(), "the columns may have room for more");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn slices(&self) -> impl FusedIterator<Item = SliceView<'_>> + Clone {
        let store = &self.store;
        store.slices.in_tree().iter().map(move |&number| store.view(number))
    }

    /// Iterates over all nodes with a [view range](crate::Node::view_range), for a renderer that tests distances itself.
    /// Together with [`ListedDrawable::ranged`](crate::visit::ListedDrawable::ranged), it says which ranges a drawable is
    /// in. Leaves out nodes that were inserted since the last update. Runs in **O(nodes with ranges)**.
    ///
    /// ```
    /// use hedgerow::{Aabb, Drawable, Node, Scene, ViewRange};
    ///
    /// let mut scene = Scene::new();
    /// let near = ViewRange::new(0.0, 50.0)?;
    /// let trees = scene.insert(scene.root(), Node::group().with_view_range(near))?;
    /// scene.insert(trees, Node::drawable(Drawable::new(1, Aabb::cube(1.0))))?;
    /// scene.update();
    /// assert_eq!(scene.view_ranges().next().map(|ranged| (ranged.node, ranged.range)), Some((trees, near)));
    /// assert!(scene.slices().flat_map(|slice| slice.drawables().iter()).all(|tree| tree.ranged == Some(trees)));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn view_ranges(&self) -> impl Iterator<Item = ListedRange> {
        self.store.ranges()
    }

    /// Returns the slice with this number, in the tree or detached; `None` if no slice has the number. Runs in **O(1)**.
    #[must_use]
    pub fn slice(&self, number: u32) -> Option<SliceView<'_>> {
        self.store.get_view(SliceId::at(number as usize))
    }

    /// Lists the slices that changed since a cursor last looked, as of the last update. Look once a frame, after
    /// [`Scene::update`].
    ///
    /// Rows and drawables of nodes that were removed since the update are gone already. If you drop the iterator before
    /// its end, the next look lists everything, as the first look does. So does a look at another scene, after it listed
    /// all slices of the former scene as gone.
    ///
    /// Runs in **O(1)** if nothing changed, else in **O(slices)**. [`SliceCursor`] has an example.
    pub fn changed_slices<'c, 's>(&'s self, cursor: &'c mut SliceCursor) -> ChangedSlices<'c, 's> {
        ChangedSlices::of(&self.store, cursor)
    }

    /// Calls a visitor for every slice in order. Returns [`Flow::Break`] if the visitor stopped, else
    /// [`Flow::Continue`].
    ///
    /// Slices do not nest: [`Flow::Prune`] is the same as [`Flow::Continue`] here. Each slice comes after the slices
    /// that it imports from, and the order is close to depth-first. Runs in **O(slices)** and allocates nothing.
    pub fn visit_slices(&self, visitor: &mut impl SliceVisitor) -> Flow {
        for slice in self.slices() {
            if visitor.slice(slice) == Flow::Break {
                return Flow::Break;
            }
        }
        Flow::Continue
    }

    /// Calls a visitor, which may set local transforms, for every slice in order. Returns [`Flow::Break`] if the
    /// visitor stopped the walk, else [`Flow::Continue`].
    ///
    /// Slices are in the state of the last update, and the next update applies what the visitor sets; a
    /// [`TransformPass`](crate::visit::TransformPass) updates the scene when the visit ends. Order and flow are as in
    /// [`Scene::visit_slices`]. Runs in **O(slices)**, plus the update.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform, visit::{Flow, SliceViewMut, SliceVisitorMut}};
    ///
    /// /// Lifts everything that has a transform.
    /// struct Lift(f32);
    ///
    /// impl SliceVisitorMut for Lift {
    ///     fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
    ///         for slot in slice.view().imports()..slice.view().transforms().len() {
    ///             let local = slice.view().transforms().local(slot).and_then(|local| local.transform());
    ///             if let Some(mut transform) = local {
    ///                 transform.translation.y += self.0;
    ///                 slice.set_local(slot, transform).expect("a finite transform");
    ///             }
    ///         }
    ///         Flow::Continue
    ///     }
    /// }
    ///
    /// let mut scene = Scene::new();
    /// let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.update();
    /// scene.visit_slices_mut(&mut Lift(2.0));
    /// scene.update();
    /// assert_eq!(scene.world(node).unwrap().translation().y, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn visit_slices_mut(&mut self, visitor: &mut impl SliceVisitorMut) -> Flow {
        let shown = self.store.show_each(|slice| match visitor.slice_mut(slice) {
            Flow::Break => ControlFlow::Break(()),
            Flow::Continue | Flow::Prune => ControlFlow::Continue(()),
        });
        if shown.is_break() { Flow::Break } else { Flow::Continue }
    }
}

//! Components of single nodes: reads, sets and inserts. [`components`](super::components) stores the rare ones.

use crate::node::LocalForm;
use crate::store::change_kinds::ChangeKinds;
use crate::store::components::Components;
use crate::store::nodes::Nodes;
use crate::store::pending::Pending;
use crate::store::record::{Has, RecordId};
use crate::store::world::WideLocal;
use crate::{Drawable, Layers, Local, Node, NodeHandle, Transform, ViewRange, Visibility};
use glam::Vec3;
use hedgerow_math::internal::PackedTransform;

/// All components.
impl Nodes {
    /// Returns the description of a node.
    pub(crate) fn node(&self, id: RecordId) -> Node<'_> {
        Node {
            local: self.local(id),
            material: self.own_material(id),
            drawable: self.drawable(id),
            visibility: self.own_visibility(id),
            layers: self.own_layers(id),
            view_range: self.range(id),
            name: self.name(id),
            user_data: self.user_data(id),
            anchored: self.is_anchored(id),
            translation_f64: if self.pages.record(id).has.has(Has::REMAINDER) {
                self.wide_translation(id)
            } else {
                None
            },
        }
    }

    /// Stores the components of a new node that are outside of its record.
    #[inline]
    pub(crate) fn insert_parts(&mut self, id: RecordId, node: &Node<'_>, has: Has) {
        if let Some(drawable) = node.drawable {
            self.components.drawable.insert(id, drawable);
        }
        // Most nodes have no others.
        if has.without(Has::DRAWABLE).has(Components::ALL | Has::ANCHORED) {
            self.insert_rare_parts(id, node);
        }
    }

    #[inline(never)]
    fn insert_rare_parts(&mut self, id: RecordId, node: &Node<'_>) {
        let Self { components, inbox, .. } = self;
        // Never taken back: to count anchored nodes would cost all edits of them, to save few checks.
        inbox.any_anchored |= node.anchored;
        if let Some(Local::Matrix(matrix)) = node.local {
            components.matrix.insert(id, matrix);
        }
        if let Some(layers) = node.layers {
            components.layers.insert(id, layers);
        }
        if let Some(range) = node.view_range {
            components.range.insert(id, range);
        }
        if let Some(name) = node.name {
            components.name.insert(id, name.into());
        }
        if node.user_data != 0 {
            components.user_data.insert(id, node.user_data);
        }
        // A checked description has a double-precision translation only if single precision would round it.
        if node.translation_f64.is_some() {
            components.remainder.insert(id, node.remainder());
        }
    }
}

impl Has {
    /// Returns the components of a checked description, without its material.
    #[inline(always)]
    pub(crate) fn of(node: &Node<'_>) -> Self {
        Self::of_visibility(node.visibility)
            .with(Self::TRANSFORM, node.local.is_some())
            .with(Self::MATRIX, matches!(node.local, Some(Local::Matrix(_))))
            .with(Self::DRAWABLE, node.drawable.is_some())
            .with(Self::LAYERS, node.layers.is_some())
            .with(Self::RANGE, node.view_range.is_some())
            .with(Self::ANCHORED, node.anchored)
            .with(Self::NAME, node.name.is_some())
            .with(Self::USER_DATA, node.user_data != 0)
            .with(Self::REMAINDER, node.translation_f64.is_some())
    }
}

/// Local transforms.
impl Nodes {
    #[inline(always)]
    pub(crate) fn has_transform(&self, id: RecordId) -> bool {
        self.pages.record(id).has.has(Has::TRANSFORM)
    }

    #[inline]
    pub(crate) fn form(&self, id: RecordId) -> Option<LocalForm> {
        let has = self.pages.record(id).has;
        let form = if has.has(Has::MATRIX) { LocalForm::Matrix } else { LocalForm::Transform };
        has.has(Has::TRANSFORM).then_some(form)
    }

    /// Sets a checked local transform if the node's present one is entirely in its record. In all other cases, and for
    /// a stale handle, changes nothing and returns `None`; use [`Self::set_local`] then.
    #[inline(always)]
    pub(crate) fn set_plain(&mut self, node: NodeHandle, local: &Transform) -> Option<()> {
        self.pages.set_plain(node, *local)
    }

    /// Sets a checked local transform, or replaces one.
    #[inline(never)]
    pub(crate) fn set_local(&mut self, id: RecordId, local: Local) {
        let record = self.pages.record(id);
        let before = record.has;
        let mut has = before.without(Has::REMAINDER | Has::MATRIX) | Has::TRANSFORM;
        let packed = match local {
            Local::Transform(transform) => transform.into(),
            Local::Matrix(matrix) => {
                has |= Has::MATRIX;
                self.components.matrix.insert(id, matrix);
                PackedTransform::IDENTITY
            }
        };
        self.components.remove_all(id, Has(before.0 & !has.0));
        self.pages.record_mut(id).local = packed;
        self.pages.set_has(id, has);
        if !before.has(Has::TRANSFORM) {
            self.mark(id, Pending::RESHAPED | Pending::of(ChangeKinds::LOCAL));
            return;
        }
        // What it was counts too: a copy of a transform cannot tell that a matrix is gone.
        self.mark_set(id, before | has);
    }

    /// Records that a local transform was set, given what the node has or had.
    pub(crate) fn mark_set(&mut self, id: RecordId, had: Has) {
        self.pages.mark_dirty(id);
        if had.has(Has::MATRIX | Has::REMAINDER) {
            self.mark(id, Pending::RECOMPUTED);
        }
    }

    /// Removes the local transform of a node and returns it.
    pub(crate) fn remove_local(&mut self, id: RecordId) -> Option<Local> {
        let local = self.local(id)?;
        let before = self.pages.record(id).has;
        let has = before.without(Has::TRANSFORM | Has::MATRIX | Has::REMAINDER);
        self.components.remove_all(id, Has(before.0 & !has.0));
        self.pages.record_mut(id).local = PackedTransform::IDENTITY;
        self.pages.set_has(id, has);
        self.mark(id, Pending::RESHAPED | Pending::of(ChangeKinds::LOCAL));
        Some(local)
    }

    /// Returns the local transform of a node, if it has one.
    #[inline]
    pub(crate) fn local(&self, id: RecordId) -> Option<Local> {
        let record = self.pages.record(id);
        if record.has.has(Has::MATRIX) {
            return self.components.matrix.get(id).copied().map(Local::Matrix);
        }
        record.has.has(Has::TRANSFORM).then(|| Local::Transform(record.local.into()))
    }

    /// Returns the local transform of a live node, if it is entirely in the record.
    #[inline(always)]
    pub(crate) fn plain_local(&self, node: NodeHandle) -> Option<Transform> {
        self.pages.plain_local(node).map(Transform::from)
    }

    /// Returns the rounding error of a node's translation in single precision.
    pub(crate) fn remainder(&self, id: RecordId) -> Vec3 {
        if self.pages.record(id).has.has(Has::REMAINDER) {
            self.components.remainder.get(id).copied().unwrap_or(Vec3::ZERO)
        } else {
            Vec3::ZERO
        }
    }

    /// Sets a checked local transform and the rounding error of its translation.
    pub(crate) fn set_wide_local(&mut self, id: RecordId, WideLocal { local, remainder }: WideLocal) {
        self.set_local(id, local);
        if remainder != Vec3::ZERO {
            self.components.remainder.insert(id, remainder);
            let has = self.pages.record(id).has | Has::REMAINDER;
            self.pages.set_has(id, has);
        }
    }

    /// Sets a checked local transform. If the translation is the same as before, its rounding error stays.
    pub(crate) fn set_local_in_place(&mut self, id: RecordId, local: Local) {
        // A turn or a scale must not take away the digits that a far node has.
        let stays = self.local(id).is_some_and(|before| before.translation() == local.translation());
        let remainder = if stays { self.remainder(id) } else { Vec3::ZERO };
        self.set_wide_local(id, WideLocal { local, remainder });
    }
}

/// Other components.
impl Nodes {
    pub(crate) fn own_material(&self, id: RecordId) -> Option<u32> {
        let record = self.pages.record(id);
        record.has.has(Has::MATERIAL).then_some(record.material)
    }

    pub(crate) fn own_layers(&self, id: RecordId) -> Option<Layers> {
        self.components.layers.get(id).copied()
    }

    pub(crate) fn own_visibility(&self, id: RecordId) -> Visibility {
        let has = self.pages.record(id).has;
        match (has.has(Has::HIDDEN), has.has(Has::SHOWN)) {
            (true, _) => Visibility::Hidden,
            (_, true) => Visibility::Shown,
            _ => Visibility::Inherited,
        }
    }

    pub(crate) fn range(&self, id: RecordId) -> Option<ViewRange> {
        self.components.range.get(id).copied()
    }

    /// Iterates over all view ranges, in the order of records.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (RecordId, ViewRange)> + '_ {
        self.components.range.iter().map(|(id, &range)| (id, range))
    }

    pub(crate) fn drawable(&self, id: RecordId) -> Option<Drawable> {
        self.components.drawable.get(id).copied()
    }

    pub(crate) fn name(&self, id: RecordId) -> Option<&str> {
        self.components.name.get(id).map(|name| &**name)
    }

    pub(crate) fn user_data(&self, id: RecordId) -> u32 {
        if self.components.user_data.is_empty() { 0 } else { self.components.user_data.get(id).copied().unwrap_or(0) }
    }

    #[inline]
    pub(crate) fn is_anchored(&self, id: RecordId) -> bool {
        self.pages.record(id).has.has(Has::ANCHORED)
    }

    /// Makes the local transform relative to the world or to the parent, without changing its values.
    pub(crate) fn set_anchored(&mut self, id: RecordId, anchored: bool) {
        if self.is_anchored(id) != anchored {
            self.set_bit(id, Has::ANCHORED, anchored);
            self.inbox.any_anchored |= anchored;
            self.mark(id, Pending::RESHAPED | Pending::of(ChangeKinds::PARENT));
        }
    }

    /// Sets or removes a node's material.
    pub(crate) fn set_material(&mut self, id: RecordId, material: Option<u32>) {
        let record = self.pages.record_mut(id);
        let before = record.has.has(Has::MATERIAL).then_some(record.material);
        // Always written, so that records of equal nodes are equal; checkpoints compare them.
        record.material = material.unwrap_or(0);
        record.has = record.has.with(Has::MATERIAL, material.is_some());
        self.mark_if(before != material, id, Pending::INHERITED, ChangeKinds::OWN_MATERIAL);
    }

    /// Sets or removes a node's own layers.
    pub(crate) fn set_layers(&mut self, id: RecordId, layers: Option<Layers>) {
        let before = self.components.layers.replace(id, layers);
        self.set_bit(id, Has::LAYERS, layers.is_some());
        self.mark_if(before != layers, id, Pending::INHERITED, ChangeKinds::OWN_VISIBILITY);
    }

    /// Sets a node's visibility.
    pub(crate) fn set_visibility(&mut self, id: RecordId, visibility: Visibility) {
        let has = &mut self.pages.record_mut(id).has;
        let now = has.without(Has::HIDDEN | Has::SHOWN) | Has::of_visibility(visibility);
        let before = core::mem::replace(has, now);
        self.mark_if(before != now, id, Pending::INHERITED, ChangeKinds::OWN_VISIBILITY);
    }

    fn set_bit(&mut self, id: RecordId, bit: Has, set: bool) {
        let record = self.pages.record_mut(id);
        record.has = record.has.with(bit, set);
    }

    /// Records an edit of this kind for readers of changes and, if the value is `changed`, bits for the update.
    fn mark_if(&mut self, changed: bool, id: RecordId, bits: Pending, kind: ChangeKinds) {
        let bits = if changed { bits } else { Pending::NONE };
        self.mark(id, bits | Pending::of(kind));
    }

    /// Sets or removes a node's drawable, whose bounds are checked.
    pub(crate) fn set_drawable(&mut self, id: RecordId, drawable: Option<Drawable>) {
        let before = self.components.drawable.replace(id, drawable);
        self.set_bit(id, Has::DRAWABLE, drawable.is_some());
        let bits = match (before.is_some(), drawable.is_some()) {
            (true, true) => Pending::REDRAWN,
            (false, false) => Pending::NONE,
            // The row gets or loses a slot among the drawables, which only a reconstitution can give.
            (true, false) | (false, true) => Pending::RESHAPED,
        };
        self.mark(id, bits | Pending::of(ChangeKinds::DRAWABLE));
    }

    /// Sets or removes a node's view range.
    pub(crate) fn set_view_range(&mut self, id: RecordId, range: Option<ViewRange>) {
        let before = self.components.range.replace(id, range);
        self.set_bit(id, Has::RANGE, range.is_some());
        self.mark_if(before != range, id, Pending::INHERITED, ChangeKinds::VIEW_RANGE);
    }

    /// Sets or removes a node's name.
    pub(crate) fn set_name(&mut self, id: RecordId, name: Option<&str>) {
        self.components.name.replace(id, name.map(Into::into));
        self.set_bit(id, Has::NAME, name.is_some());
        self.mark(id, Pending::of(ChangeKinds::NAME));
    }

    /// Sets a node's user data.
    pub(crate) fn set_user_data(&mut self, id: RecordId, user_data: u32) {
        let before = self.components.user_data.replace(id, (user_data != 0).then_some(user_data));
        self.set_bit(id, Has::USER_DATA, user_data != 0);
        self.mark_drawn(before.unwrap_or(0) != user_data, id, ChangeKinds::USER_DATA);
    }

    /// Records an edit of a component that readers of drawables see.
    fn mark_drawn(&mut self, changed: bool, id: RecordId, kind: ChangeKinds) {
        let drawn = self.pages.record(id).has.has(Has::DRAWABLE);
        self.mark_if(changed && drawn, id, Pending::REDRAWN, kind);
    }
}

//! Edits of a node's components, and the parts of a description that a scene refuses or changes.

use super::Check;
use super::op::Op;
use super::oracle::{Oracle, Refusals};
use super::world::{skew, widen, widen_matrix};
use hedgerow::glam::{DQuat, DVec3};
use hedgerow::{Aabb, Drawable, Error, Local, Mat34, Node, NodeHandle, Transform};

impl Oracle {
    pub fn component(&mut self, op: &Op) -> Check {
        match *op {
            Op::ModifyLocal(target, transform) => {
                let handle = self.tree.pick(target);
                let given = Local::Transform(transform);
                self.set_local(handle, given, true, |scene| scene.modify_local(handle, |local| *local = transform))
            }
            Op::SetLocal(target, transform) => {
                let handle = self.tree.pick(target);
                self.set_local(handle, Local::Transform(transform), false, |scene| scene.set_local(handle, transform))
            }
            Op::SetLocalMatrix(target, matrix) => {
                let handle = self.tree.pick(target);
                self.set_local(handle, Local::Matrix(matrix), false, |scene| scene.set_local(handle, matrix))
            }
            Op::SetNode(target, node) => self.set_node(self.tree.pick(target), node),
            Op::SetMesh(target, mesh) => self.reshape(self.tree.pick(target), |drawable| Drawable { mesh, ..drawable }),
            Op::SetBounds(target, bounds) => {
                self.reshape(self.tree.pick(target), |drawable| Drawable { bounds, ..drawable })
            }
            Op::SetTranslation(target, translation) => self.set_translation(self.tree.pick(target), translation),
            Op::RemoveTransform(target) => {
                let removed = self.remove_component(self.tree.pick(target), |scene, node| {
                    let before = scene.local(node);
                    scene.edit(node)?.set_local(None).map(|_| before)
                })?;
                let Some((index, removed)) = removed else { return Ok(()) };
                let had = self.tree.at(index).local.map(|kept| kept.local);
                self.tree.keep(index, None);
                ensure!(removed == had, "removed {removed:?}, not {had:?}");
                Ok(())
            }
            Op::AddMaterial(target, material) => self
                .add_component(self.tree.pick(target), None, |scene, node| {
                    scene.edit(node).map(|mut node| _ = node.set_material(material))
                })
                .map(|index| self.change(index, |entry| entry.material = Some(material))),
            Op::RemoveMaterial(target) => {
                let removed = self.remove_component(self.tree.pick(target), |scene, node| {
                    let before = scene.get(node).and_then(|node| node.own_material());
                    scene.edit(node)?.set_material(None);
                    Ok(before)
                })?;
                let Some((index, removed)) = removed else { return Ok(()) };
                let had = self.tree.at_mut(index).material.take();
                ensure!(removed == had, "removed {removed:?}, not {had:?}");
                Ok(())
            }
            Op::AddDrawable(target, drawable) => self.add_drawable(self.tree.pick(target), drawable),
            Op::RemoveDrawable(target) => {
                let removed = self.remove_component(self.tree.pick(target), |scene, node| {
                    let before = scene.get(node).and_then(|node| node.drawable());
                    scene.edit(node)?.set_drawable(None).map(|_| before)
                })?;
                let Some((index, removed)) = removed else { return Ok(()) };
                let had = self.tree.at_mut(index).drawable.take();
                ensure!(removed == had, "removed {removed:?}, not {had:?}");
                Ok(())
            }
            Op::SetLayers(target, layers) => self
                .add_component(self.tree.pick(target), None, |scene, node| {
                    scene.edit(node).map(|mut node| _ = node.set_layers(layers))
                })
                .map(|index| self.change(index, |entry| entry.layers = layers)),
            Op::SetVisibility(target, visibility) => self
                .add_component(self.tree.pick(target), None, |scene, node| {
                    scene.edit(node).map(|mut node| _ = node.set_visibility(visibility))
                })
                .map(|index| self.change(index, |entry| entry.visibility = visibility)),
            Op::SetName(target, name) => self
                .add_component(self.tree.pick(target), None, |scene, node| {
                    scene.edit(node).map(|mut node| _ = node.set_name(name))
                })
                .map(|index| self.change(index, |entry| entry.name = name)),
            ref other => unreachable!("{other:?} is no edit of a component"),
        }
    }

    /// Checks the local transform that the scene stores against the given one, and adopts it.
    pub fn adopt(&mut self, index: usize, given: &Local) -> Check {
        let handle = self.tree.handle(index);
        let Some(kept) = self.scene.local(handle) else {
            return Err(super::Mismatch(format!("{handle:?} was given {given:?} and has none")));
        };
        check_kept(given, &kept)?;
        self.tree.keep(index, Some(kept));
        Ok(())
    }

    /// Adopts the local transform and the user data that the scene stores for a description.
    pub fn adopt_node(&mut self, index: usize, node: &Node<'_>) -> Check {
        self.renderer.user_data.insert(self.tree.handle(index), node.user_data);
        let Some(given) = given_local(node) else {
            self.tree.keep(index, None);
            return Ok(());
        };
        self.adopt(index, &given)?;
        self.tree.at_mut(index).precise = node.translation_f64.map(kept_wide);
        Ok(())
    }

    pub fn described(&self, index: usize) -> Node<'static> {
        Node { user_data: self.renderer.user_data(self.tree.handle(index)), ..self.tree.node(index) }
    }

    /// Checks that an edit returned the form of the current local transform.
    pub fn check_form(&self, handle: NodeHandle, form: Option<hedgerow::edit::LocalForm>) -> Check {
        let Some(form) = form else { return Ok(()) };
        let is_transform = form == hedgerow::edit::LocalForm::Transform;
        let local = self.scene.local(handle);
        let kept = local.is_some_and(|local| local.transform().is_some());
        ensure!(local.is_some() && is_transform == kept, "the answer was {form:?}, and it keeps {local:?}");
        Ok(())
    }

    fn set_local(
        &mut self,
        handle: NodeHandle,
        given: Local,
        must_have: bool,
        edit: impl FnOnce(&mut hedgerow::Scene) -> Result<(), Error>,
    ) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        if let Some(index) = index.filter(|_| must_have) {
            match self.tree.at(index).local.map(|kept| kept.local) {
                None => refusals.errors.push(Error::NoTransform(handle)),
                Some(Local::Matrix(_)) => refusals.errors.push(Error::Sheared(handle)),
                Some(Local::Transform(_)) => {}
            }
        }
        local_faults(&given, &mut refusals.errors);
        let (Some(()), Some(index)) = (self.attempt(refusals, edit)?, index) else {
            return Ok(());
        };
        self.adopt(index, &given)
    }

    /// Gives a node exactly the components of a description.
    fn set_node(&mut self, handle: NodeHandle, node: Node<'static>) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        faults(&node, &mut refusals.errors);
        let (Some(()), Some(index)) = (
            self.attempt(refusals, |scene| scene.edit(handle).and_then(|mut at| at.set_node(node).map(|_| ())))?,
            index,
        ) else {
            return Ok(());
        };
        let kept = as_kept(node);
        let entry = self.tree.at_mut(index);
        (entry.material, entry.drawable) = (kept.material, kept.drawable);
        (entry.visibility, entry.layers, entry.name) = (kept.visibility, kept.layers, kept.name);
        entry.anchored = kept.anchored;
        entry.range = kept.view_range;
        self.adopt_node(index, &node)
    }

    /// Changes the drawable of a node, if it has one.
    fn reshape(&mut self, handle: NodeHandle, change: impl FnOnce(Drawable) -> Drawable) -> Check {
        let Some(drawable) = self.scene.get(handle).and_then(|node| node.drawable()) else { return Ok(()) };
        self.add_drawable(handle, change(drawable))
    }

    fn add_drawable(&mut self, handle: NodeHandle, drawable: Drawable) -> Check {
        let kept = Drawable::new(drawable.mesh, kept_bounds(drawable.bounds));
        self.add_component(handle, bounds_fault(&drawable.bounds), |scene, node| {
            scene.edit(node).and_then(|mut node| node.set_drawable(drawable).map(|_| ()))
        })
        .map(|index| self.change(index, |entry| entry.drawable = Some(kept)))
    }

    fn add_component(
        &mut self,
        handle: NodeHandle,
        fault: Option<Error>,
        edit: impl FnOnce(&mut hedgerow::Scene, NodeHandle) -> Result<(), Error>,
    ) -> Check<Option<usize>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        refusals.errors.extend(fault);
        let done = self.attempt(refusals, |scene| edit(scene, handle))?;
        Ok(done.and(index))
    }

    fn change(&mut self, index: Option<usize>, edit: impl FnOnce(&mut super::tree::Entry)) {
        if let Some(index) = index {
            edit(self.tree.at_mut(index));
        }
    }

    fn remove_component<T>(
        &mut self,
        handle: NodeHandle,
        edit: impl FnOnce(&mut hedgerow::Scene, NodeHandle) -> Result<T, Error>,
    ) -> Check<Option<(usize, T)>> {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        let removed = self.attempt(refusals, |scene| edit(scene, handle))?;
        Ok(index.zip(removed))
    }
}

/// Adds the faults of a description.
pub fn faults(node: &Node<'_>, errors: &mut Vec<Error>) {
    if let Some(local) = given_local(node) {
        local_faults(&local, errors);
    } else if node.translation_f64.is_some() {
        errors.push(Error::NoLocal);
    }
    if node.translation_f64.is_some_and(|translation| !translation.as_vec3().is_finite()) {
        errors.push(Error::NotFinite("a translation"));
    }
    if let Some(drawable) = &node.drawable {
        errors.extend(bounds_fault(&drawable.bounds));
    }
}

/// Returns a translation in double precision with the 48 bits that a scene keeps.
pub fn kept_wide(wide: DVec3) -> DVec3 {
    DVec3::from_array(wide.to_array().map(|number| f64::from_bits(number.to_bits().wrapping_add(16) & !31)))
}

/// Returns the local transform of a description, with its translation in double precision rounded.
fn given_local(node: &Node<'_>) -> Option<Local> {
    let Some(translation) = node.translation_f64.map(|wide| kept_wide(wide).as_vec3()) else { return node.local };
    node.local.map(|local| match local {
        Local::Transform(transform) => Local::Transform(transform.with_translation(translation)),
        Local::Matrix(mut matrix) => {
            matrix.rows.iter_mut().zip(translation.to_array()).for_each(|(row, part)| row[3] = part);
            Local::Matrix(matrix)
        }
    })
}

/// Returns the description as a scene stores it, without its local transform.
pub fn as_kept(node: Node<'static>) -> Node<'static> {
    Node { drawable: node.drawable.map(|drawable| Drawable::new(drawable.mesh, kept_bounds(drawable.bounds))), ..node }
}

/// Adds the faults of a local transform.
pub fn local_faults(local: &Local, errors: &mut Vec<Error>) {
    match local {
        Local::Matrix(matrix) => errors.extend(matrix_fault(matrix)),
        Local::Transform(Transform { translation, rotation, scale }) => {
            if !(translation.is_finite() && rotation.is_finite() && scale.is_finite()) {
                errors.push(Error::NotFinite("a transform"));
            }
            if rotation.to_array() == [0.0; 4] {
                errors.push(Error::NotRotation);
            }
        }
    }
}

/// Returns the fault of a matrix.
pub fn matrix_fault(matrix: &Mat34) -> Option<Error> {
    let finite = matrix.rows.iter().flatten().all(|x| x.is_finite());
    (!finite).then_some(Error::NotFinite("a matrix"))
}

fn bounds_fault(bounds: &Aabb) -> Option<Error> {
    let corners = [bounds.min.to_array(), bounds.max.to_array()];
    let all = |wanted: [f32; 2]| corners.iter().zip(wanted).all(|(corner, x)| *corner == [x; 3]);
    let whole = all([f32::INFINITY, f32::NEG_INFINITY]) || all([f32::NEG_INFINITY, f32::INFINITY]);
    let fine = whole || corners.iter().flatten().all(|x| x.is_finite());
    (!fine).then_some(Error::NotFinite("a box"))
}

fn kept_bounds(bounds: Aabb) -> Aabb {
    let empty = (0..3).any(|axis| bounds.min[axis] > bounds.max[axis]);
    if empty { Aabb::EMPTY } else { bounds }
}

/// Checks that a local transform is stored as given: normalised, and as a matrix only if necessary.
fn check_kept(given: &Local, kept: &Local) -> Check {
    match (given, kept) {
        (Local::Transform(given), Local::Transform(kept)) => {
            let same = given.translation == kept.translation && given.scale == kept.scale;
            ensure!(same, "{given:?} is kept as {kept:?}");
            let wide: DQuat = given.rotation.as_dquat();
            let length = wide.length();
            if (length * length - 1.0).abs() <= 1e-7 {
                ensure!(given.rotation == kept.rotation, "the unit rotation of {given:?} is kept as {kept:?}");
            }
            let off = (kept.rotation.as_dquat() - wide / length).length();
            ensure!(off <= 1e-6, "the rotation of {given:?} is kept as {kept:?}, {off} off");
        }
        (Local::Matrix(given), Local::Matrix(kept)) => {
            ensure!(given == kept, "{given:?} is kept as {kept:?}");
            let wide = widen_matrix(given).matrix3;
            let flat = (0..3).any(|c| wide.col(c).length_squared() == 0.0);
            let needed = flat || skew(&wide) > 3e-7;
            ensure!(needed, "{given:?} is kept as a matrix, though it does not shear");
        }
        (Local::Matrix(given), Local::Transform(kept)) => {
            let (wide, again) = (widen_matrix(given), widen(&Local::Transform(*kept)));
            let sheared = skew(&wide.matrix3);
            ensure!(sheared < 1e-5, "{given:?} shears by {sheared} and is kept as {kept:?}");
            for c in 0..3 {
                let (column, other) = (wide.matrix3.col(c), again.matrix3.col(c));
                let off = (column - other).length();
                ensure!(off <= 4e-6 * column.length(), "{given:?} is kept as {kept:?}, {off} off");
            }
            ensure!(kept.translation == given.translation(), "{given:?} is kept as {kept:?}, elsewhere");
        }
        (Local::Transform(_), Local::Matrix(_)) => ensure!(false, "{given:?} is kept as a matrix, {kept:?}"),
    }
    Ok(())
}

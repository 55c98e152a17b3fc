//! The checker that tests and fuzzers call after every step.

use crate::scene::Scene;
use crate::store::RecordId;
use core::fmt;

/// The first violated invariant that [`Scene::validate`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Violation {}

impl Scene {
    /// Checks every invariant of the storage and returns the first violation.
    ///
    /// A scene passes after any sequence of calls, even after a panic in a visitor or closure. Otherwise there is a bug
    /// in this crate. Runs in **O(nodes)**; meant for tests and fuzzers.
    ///
    /// # Errors
    /// A [`Violation`] that describes the first violated invariant.
    pub fn validate(&self) -> Result<(), Violation> {
        let nodes = self.store.validate().map_err(Violation)?;
        let [attached, detached] = [self.store.nodes.len(), self.store.nodes.detached_len()];
        if nodes != attached + detached {
            return Err(Violation(format!(
                "the scene counts {attached} nodes and {detached} detached ones, and has {nodes}"
            )));
        }
        if self.store.nodes.resolve(self.root) != Some(RecordId::ROOT) {
            return Err(Violation("the root's handle names another record".into()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Node, Scene};

    #[test]
    fn a_root_that_is_not_the_root_is_found() {
        let mut scene = Scene::new();
        let house = scene.insert(scene.root(), Node::group()).unwrap();
        let root = core::mem::replace(&mut scene.root, house);
        let found = scene.validate().unwrap_err().to_string();
        assert_eq!(found, "the root's handle names another record");
        scene.root = root;
        assert_eq!(scene.validate(), Ok(()));
    }
}

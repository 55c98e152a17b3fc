//! A user-defined inherited property under random edits, compared with a plain walk of the model.

use super::Check;
use super::op::Target;
use super::oracle::Oracle;
use hedgerow::{NodeHandle, data::Inherited};
use std::collections::HashMap;

/// The result above the root.
const ABOVE: u32 = 1;

/// Combines neither commutatively nor associatively, with few results, so that many changes have no effect.
fn combine(above: &u32, own: &u32) -> u32 {
    (above * 3 + own) % 7
}

/// Properties with the same locals that run at different steps, and their locals.
#[derive(Clone)]
pub struct Shades {
    kept: [Inherited<u32>; 3],
    locals: HashMap<NodeHandle, u32>,
}

impl Shades {
    pub fn new() -> Self {
        Self { kept: [(); 3].map(|()| Inherited::new(ABOVE, combine as fn(&u32, &u32) -> u32)), locals: HashMap::new() }
    }

    fn set(&mut self, node: NodeHandle, local: u32) {
        self.locals.insert(node, local);
        for property in &mut self.kept {
            property.set(node, local);
        }
    }

    fn remove(&mut self, node: NodeHandle) {
        self.locals.remove(&node);
        for property in &mut self.kept {
            property.remove(node);
        }
    }
}

impl Oracle {
    /// Changes a few locals and runs the properties whose turn it is.
    pub fn compare_inherited(&mut self, probe: u16) -> Check {
        let steps = self.counts.steps;
        let picks = [Target::Live(probe), Target::Recent(1), Target::Leaf(probe / 2)];
        let live = picks.map(|target| self.tree.pick(target));
        let gone = self.tree.removed();
        let gone = (!gone.is_empty() && !self.goes_back).then(|| gone[usize::from(probe) % gone.len()]);
        for (turn, node) in live.into_iter().chain(gone).enumerate() {
            match (usize::from(probe) / 7 + turn) % 5 {
                0 | 1 => self.shades.set(node, u32::from(probe) % 5),
                2 => self.shades.remove(node),
                _ => {}
            }
        }
        for (turn, every) in [1, 3, 11].into_iter().enumerate() {
            if steps.is_multiple_of(every) {
                self.run_inherited(turn)?;
            }
        }
        Ok(())
    }

    fn run_inherited(&mut self, turn: usize) -> Check {
        let Self { scene, tree, met, attached, shades, .. } = self;
        shades.locals.retain(|&node, _| tree.find(node).is_some());
        let property = &mut shades.kept[turn];
        property.run(scene);
        let mut results: Vec<u32> = Vec::with_capacity(met.len());
        // Detached nodes keep their results until they are attached again.
        for next in &met[..*attached] {
            let node = tree.handle(next.index);
            let above = results.get(next.parent).copied().unwrap_or(ABOVE);
            let result = shades.locals.get(&node).map_or(above, |own| combine(&above, own));
            results.push(result);
            let found = property.get(node);
            ensure!(found == Some(&result), "property {turn} is {found:?} at {node:?}, not {result}");
        }
        let (kept, expected) = (property.results().len(), results.len());
        let fits = if *attached == met.len() { kept == expected } else { kept >= expected && kept <= met.len() };
        ensure!(fits, "property {turn} has {kept} results for {expected} nodes");
        let (kept, expected) = (property.locals().len(), shades.locals.len());
        ensure!(kept == expected, "property {turn} has {kept} locals, not {expected}");
        let again = property.run(scene);
        ensure!(again == 0, "a second run found {again} changes");
        Ok(())
    }
}

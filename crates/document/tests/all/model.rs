//! The rules once more, as plainly as they can be written: a map of statements, expanded whole.

use hedgerow::{Node, Tree};
use hedgerow_document::{Field, Library, Path, Spot, Value};
use std::collections::{BTreeMap, BTreeSet};

type Table = BTreeMap<(Vec<u64>, Field), Value>;

/// The statements of all definitions.
pub(crate) struct Model(BTreeMap<String, Table>);

/// A node that some definition has, whether it is there or not.
struct Raw {
    /// Of each level, the definition and the ids before the node's; the outermost first.
    levels: Vec<(String, Vec<u64>)>,
    id: u64,
    fields: BTreeMap<Field, Value>,
}

impl Model {
    pub(crate) fn of(library: &Library) -> Self {
        let table =
            |name| library.stated(name).map(|(path, value)| ((path.ids().to_vec(), value.field()), value.clone()));
        Self(library.definitions().map(|name| (name.to_string(), table(name).collect())).collect())
    }

    fn own(&self, definition: &str) -> Vec<u64> {
        let places = self.0[definition].keys().filter(|(path, field)| path.len() == 1 && *field == Field::Place);
        places.map(|(path, _)| path[0]).collect()
    }

    fn root(&self, definition: &str) -> Option<u64> {
        let table = self.0.get(definition)?;
        self.own(definition)
            .into_iter()
            .find(|&id| matches!(&table[&(vec![id], Field::Place)], Value::Place(Some(Spot { parent: None, .. }))))
    }

    fn look(&self, levels: &[(String, Vec<u64>)], id: u64, field: Field) -> Option<Value> {
        levels
            .iter()
            .find_map(|(definition, before)| self.0[definition].get(&([&before[..], &[id]].concat(), field)).cloned())
    }

    /// Expands a use: `top` is the node that is the definition's root, if it is not the outermost definition.
    fn walk(
        &self,
        levels: &[(String, Vec<u64>)],
        global: &[u64],
        top: Option<&[u64]>,
        nodes: &mut BTreeMap<Vec<u64>, Raw>,
        roots: &mut BTreeSet<Vec<u64>>,
    ) {
        let definition = &levels[levels.len() - 1].0;
        let root = self.root(definition);
        for id in self.own(definition) {
            let path = [global, &[id]].concat();
            let is_root = Some(id) == root && top.is_some();
            let own = [(definition.clone(), Vec::new())];
            let seen = if is_root { &own[..] } else { levels };
            let key = if is_root { top.unwrap().to_vec() } else { path.clone() };
            if is_root {
                roots.insert(path.clone());
            }
            let node = nodes.entry(key.clone()).or_insert_with(|| Raw {
                levels: levels.to_vec(),
                id,
                fields: BTreeMap::new(),
            });
            for field in Field::COMPONENTS {
                if let (false, Some(value)) = (node.fields.contains_key(&field), self.look(seen, id, field)) {
                    node.fields.insert(field, value);
                }
            }
            if let Some(Value::Use(Some(uses))) = self.look(seen, id, Field::Use)
                && self.root(&uses).is_some()
            {
                let deeper = levels.iter().map(|(of, before)| (of.clone(), [&before[..], &[id]].concat()));
                let inner: Vec<_> = deeper.chain([(uses.to_string(), Vec::new())]).collect();
                self.walk(&inner, &path, Some(&key), nodes, roots);
            }
        }
    }

    /// Returns of each node of a definition, also of those that are not there, the definitions that its path leads
    /// through: each id of the path is one of the definition before it.
    pub(crate) fn definitions(&self, definition: &str) -> BTreeMap<Path, Vec<String>> {
        let (mut nodes, mut roots) = (BTreeMap::new(), BTreeSet::new());
        self.walk(&[(definition.to_string(), Vec::new())], &[], None, &mut nodes, &mut roots);
        let levels = |node: Raw| node.levels.into_iter().map(|(definition, _)| definition).collect();
        nodes.into_iter().map(|(path, node)| (Path::of(&path).unwrap(), levels(node))).collect()
    }

    /// Returns the tree of a definition, and the path of each node.
    pub(crate) fn tree(&self, definition: &str) -> (Tree, Vec<Path>) {
        let (mut nodes, mut roots) = (BTreeMap::new(), BTreeSet::new());
        self.walk(&[(definition.to_string(), Vec::new())], &[], None, &mut nodes, &mut roots);
        let canonical = |mut path: Vec<u64>| {
            while roots.contains(&path) {
                path.pop();
            }
            path
        };
        let spot = |path: &[u64]| -> Option<(Option<Vec<u64>>, Spot)> {
            let node = nodes.get(path)?;
            for (definition, before) in &node.levels {
                let key = ([&before[..], &[node.id]].concat(), Field::Place);
                match self.0[definition].get(&key) {
                    Some(Value::Place(None)) => return None,
                    Some(Value::Place(Some(spot))) => {
                        let Some(parent) = &spot.parent else { return Some((None, spot.clone())) };
                        if before.is_empty() || parent.ids().starts_with(before) {
                            let outer = &path[..path.len() - 1 - before.len()];
                            return Some((Some(canonical([outer, parent.ids()].concat())), spot.clone()));
                        }
                    }
                    _ => {}
                }
            }
            None
        };
        let mut children: BTreeMap<Option<Vec<u64>>, Vec<_>> = BTreeMap::new();
        for path in nodes.keys() {
            if let Some((parent, spot)) = spot(path) {
                let key = (spot.order, core::cmp::Reverse(path.len()), path.clone());
                children.entry(parent).or_default().push(key);
            }
        }
        children.values_mut().for_each(|list| list.sort());
        let (mut tree, mut paths) = (Tree::new(), Vec::new());
        let mut ahead = vec![(None, self.root(definition).map(|root| vec![root]).expect("the definition has a root"))];
        while let Some((above, path)) = ahead.pop() {
            let mut described = Node::group();
            nodes[&path].fields.values().for_each(|value| value.put(&mut described));
            let number = tree.push(above, described);
            let below = children.get(&Some(path.clone())).into_iter().flatten().rev();
            ahead.extend(below.map(|(_, _, child)| (Some(number), child.clone())));
            paths.push(Path::of(&path).unwrap());
        }
        (tree, paths)
    }
}

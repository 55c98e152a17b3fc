//! Random values, tables of statements, and edits of them.

use fastrand::Rng;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{Aabb, Drawable, Layers, Local, Mat34, Transform, ViewRange, Visibility};
use hedgerow_document::{Entry, Field, Key, Library, LocalValue, Order, Patch, Path, Spot, Value};

/// The definitions, each of which uses only later ones in most edits.
pub(crate) const NAMES: [&str; 4] = ["level", "red \"car\"", "Räder\n", ""];

/// Returns seeds from `HEDGEROW_SEED` on, 125 times as many as usual if it is set.
pub(crate) fn seeds(usual: u64) -> core::ops::Range<u64> {
    match std::env::var("HEDGEROW_SEED") {
        Ok(seed) => {
            let seed = seed.parse().expect("a number");
            seed..seed + 125 * usual
        }
        Err(_) => 0..usual,
    }
}

pub(crate) fn field(rng: &mut Rng) -> Field {
    let fields = [&[Field::Place, Field::Use, Field::Own(rng.u16(..3))][..], &Field::COMPONENTS[..]].concat();
    fields[rng.usize(..fields.len())]
}

/// Returns a value that is kept as it is, with any bits.
pub(crate) fn value(rng: &mut Rng, field: Field) -> Value {
    let some = rng.u8(..4) > 0;
    match field {
        Field::Place => Value::Place(some.then(|| Spot::below(path(rng), order(rng)))),
        Field::Use => Value::Use(some.then(|| NAMES[rng.usize(..4)].into())),
        Field::Local => Value::Local(some.then(|| Box::new(local(rng)))),
        Field::Anchored => Value::Anchored(some),
        Field::Name => Value::Name(some.then(|| (0..rng.usize(..4)).map(|_| rng.char(..)).collect())),
        Field::Material => Value::Material(some.then(|| rng.u32(..))),
        Field::Drawable => {
            let boxes = [Aabb::EMPTY, Aabb::INFINITE, Aabb::cube(rng.f32())];
            Value::Drawable(some.then(|| Drawable::new(rng.u32(..), boxes[rng.usize(..3)])))
        }
        Field::Visibility => {
            Value::Visibility([Visibility::Inherited, Visibility::Hidden, Visibility::Shown][rng.usize(..3)])
        }
        Field::Layers => Value::Layers(some.then(|| Layers::new(rng.u32(..)))),
        Field::ViewRange => Value::ViewRange(some.then(|| ViewRange::new(rng.f32(), 1.0 + rng.f32()).unwrap())),
        Field::UserData => Value::UserData(rng.u32(..3)),
        Field::Own(number) => Value::Own(number, some.then(|| (0..rng.usize(..4)).map(|_| rng.u8(..)).collect())),
        _ => unreachable!("a new field"),
    }
}

fn local(rng: &mut Rng) -> LocalValue {
    let zero = if rng.bool() { 0.0 } else { -0.0 };
    let translation_f64 = rng.bool().then(|| DVec3::new(6_371_000.0 + rng.f64(), f64::from(zero), 0.1));
    let translation = Vec3::new(rng.f32() - 0.5, zero, 16_777_216.0);
    let local = if rng.bool() {
        let rotation = Quat::from_rotation_y(rng.f32());
        Local::Transform(Transform { translation, rotation, scale: Vec3::new(rng.f32(), -1.0, zero) })
    } else {
        Local::Matrix(Mat34 { rows: [[1.0, rng.f32(), 0.0, zero], [0.0, 1.0, zero, 1.0], [0.0, 0.0, 1.0, rng.f32()]] })
    };
    LocalValue { local, translation_f64 }
}

/// Returns few different orders, so that siblings tie; some are far off or small.
fn order(rng: &mut Rng) -> Order {
    let few = f64::from(rng.i8(-2..5));
    Order::from(match rng.u8(..8) {
        0 => few / 1024.0 / 1024.0,
        1 => f64::from(rng.i32(..)) + rng.f64(),
        _ => few,
    })
}

/// Returns a path that may lead anywhere or nowhere.
pub(crate) fn path(rng: &mut Rng) -> Path {
    let ids: Vec<u64> = (0..1 + rng.usize(..3).min(rng.usize(..3))).map(|_| rng.u64(..6)).collect();
    Path::of(&ids).unwrap()
}

/// Returns a patch of single statements that a library accepts one after the other. Uses go forwards in [`NAMES`] if
/// `forwards`.
pub(crate) fn edits(rng: &mut Rng, library: &Library, count: usize, forwards: bool) -> Patch {
    let mut edited = library.clone();
    for _ in 0..count {
        let number = rng.usize(..4);
        let name = NAMES[number];
        let stated: Vec<(Path, Field)> = edited.stated(name).map(|(path, value)| (path, value.field())).collect();
        let mut entries = Vec::new();
        let mut state = |path: &Path, field, after| {
            let key = Key::new(name, path.clone(), field);
            let before = edited.get(&key).cloned();
            entries.push(Entry { key, before, after });
        };
        match rng.u8(..8) {
            _ if stated.is_empty() => state(&rng.u64(..3).into(), Field::Place, Some(Value::Place(Some(Spot::ROOT)))),
            // Unstates one statement, or a node with all inside it, or all.
            0 => {
                let (path, field) = &stated[rng.usize(..stated.len())];
                state(path, *field, None);
            }
            1 => {
                let (gone, all) = (&stated[rng.usize(..stated.len())].0, rng.u8(..8) == 0);
                let inside = stated.iter().filter(|(path, _)| all || path.starts_with(gone));
                inside.for_each(|(path, field)| state(path, *field, None));
            }
            2 => state(&rng.u64(..9).into(), Field::Place, Some(value(rng, Field::Place))),
            3 | 4 => {
                let later = NAMES[if forwards { number + 1 } else { 0 }..].get(rng.usize(..3)).copied();
                state(&path(rng), Field::Use, Some(Value::Use(later.map(Into::into))));
            }
            _ => {
                let field = field(rng);
                let field = if field == Field::Use { Field::Name } else { field };
                state(&path(rng), field, Some(value(rng, field)));
            }
        }
        if let Ok(patch) = Patch::from_entries(entries) {
            _ = edited.apply(&patch);
        }
    }
    Patch::between(library, &edited)
}

/// Returns a random table: overrides that lead nowhere, circles, ids without a place.
pub(crate) fn library(rng: &mut Rng) -> Library {
    let mut library = Library::new();
    let count = rng.usize(..60);
    let patch = edits(rng, &library, count, true);
    library.apply(&patch).unwrap();
    library
}

/// Runs all inputs of a fuzz target that are kept.
pub(crate) fn run_corpus(target: &str, run: fn(&[u8])) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/");
    let files: Vec<_> = std::fs::read_dir(format!("{folder}{target}")).expect("a folder").collect();
    assert!(!files.is_empty(), "the corpus is missing");
    for file in files {
        run(&std::fs::read(file.expect("a file").path()).expect("a readable file"));
    }
}

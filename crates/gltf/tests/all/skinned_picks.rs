//! Picks at skinned figures: compares them with those of another engine, in `tests/three`. `nodes.rs` gives the location
//! of the models.

use crate::nodes::walk;
use hedgerow::SceneConfig;
use hedgerow::data::NodeMap;
use hedgerow::glam::Vec3;
use hedgerow::query::{Filter, Ray};
use hedgerow_gltf::anim::{ClipBuilder, clip::Precision};
use hedgerow_gltf::{Import, ImportOptions, TriangleTrees};
use std::path::PathBuf;

const EXPECTED: &str = include_str!("../three/skinned_picks.txt");

/// The numbers from 0 to 1 of the script that wrote the expected picks.
struct Dice(u32);

impl Dice {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / 16_777_216.0
    }
}

/// Returns a ray from outside a box into it. Computes like the script, in double precision.
#[expect(clippy::cast_possible_truncation, reason = "the script rounds the origin, too")]
fn ray(dice: &mut Dice, low: [f32; 3], high: [f32; 3]) -> Ray {
    let (low, high) = (low.map(f64::from), high.map(f64::from));
    let size = (0..3).fold(0.0, |size: f64, axis| size.max(high[axis] - low[axis]));
    let away = [(); 3].map(|()| 2.0 * dice.share() - 1.0);
    let far = 2.0 * size / away.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let target = [0, 1, 2].map(|axis| (low[axis] + (high[axis] - low[axis]) * (0.2 + 0.6 * dice.share())) as f32);
    let origin = [0, 1, 2].map(|axis| ((low[axis] + high[axis]) / 2.0 + away[axis] * far) as f32);
    Ray::new(origin.into(), Vec3::from(target) - Vec3::from(origin)).unwrap()
}

#[test]
fn rays_at_skinned_models_hit_the_triangles_that_another_engine_hits() {
    let Some(folder) = std::env::var_os("HEDGEROW_GLTF_DIR").map(PathBuf::from) else {
        eprintln!("HEDGEROW_GLTF_DIR is not set: picks at the shared skinned models are NOT tested");
        return;
    };
    let mut files = Vec::new();
    walk(&folder.join("models"), &mut files);
    let options = ImportOptions::new().with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
    let (mut hits, mut worst) = (0, 0.0_f64);
    for (line, seed) in EXPECTED.lines().zip(1..) {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap();
        let (name, animation, time) = (word(), word(), word().parse().unwrap());
        let [low, high] = [(); 2].map(|()| [(); 3].map(|()| word().parse::<f32>().unwrap()));
        let file = files.iter().find(|file| file.ends_with(name)).unwrap_or_else(|| panic!("no model {name}"));
        let Import { mut scene, imported, .. } = options.load(file).unwrap();
        let mut player = match animation.parse() {
            Ok(number) => imported.play_with(&[number], ClipBuilder::new().precision(Precision::Tight)).unwrap(),
            Err(_) => imported.at_rest(),
        };
        player.seek(time);
        player.apply(&mut scene).unwrap();
        let (mut trees, mut bodies) = (TriangleTrees::new(), NodeMap::new());
        let shown = &imported.scenes[imported.default_scene.unwrap_or(0)];
        for (drawable, mut body) in imported.deformed_all(&shown.drawables).unwrap() {
            if drawable.skin.is_some() {
                body.follow(&player, &mut scene).unwrap();
                _ = bodies.insert(drawable.handle, body);
            }
        }
        scene.update();
        let mut dice = Dice(seed);
        for expected in words {
            let ray = ray(&mut dice, low, high);
            let pick = scene.pick(&ray, Filter::ALL, |drawn, ray, limit| {
                // Nodes that no skin moves are not asked.
                bodies.contains_key(drawn.node).then(|| trees.cast(&imported, &mut bodies, drawn, ray, limit))?
            });
            let found = pick.unwrap().map(|pick| {
                let mut drawables = shown.drawables.iter();
                let drawable = drawables.find(|drawable| drawable.handle == pick.drawn.node).unwrap();
                let mut parts = shown.drawables_of(drawable.node).iter();
                let primitive = parts.position(|it| it.handle == drawable.handle).unwrap();
                (format!("{}.{primitive}.{}", drawable.node, pick.hit.triangle), pick.distance)
            });
            let what = format!("{name}: animation {animation}: {ray:?} hits {found:?}, expected {expected}");
            match (expected, &found) {
                ("?", _) | ("-", None) => {}
                (_, Some((part, distance))) => {
                    let (of, at) = expected.split_once('@').unwrap_or((expected, "0"));
                    let at: f64 = at.parse().unwrap();
                    assert!(part == of && (distance - at).abs() <= 1e-4 * at, "{what}");
                    (hits, worst) = (hits + 1, worst.max((distance - at).abs() / at));
                }
                _ => panic!("{what}"),
            }
        }
    }
    eprintln!("{hits} hits, whose distances differ by up to {worst:.1e} of themselves");
    assert!(hits > 400, "{hits}");
}

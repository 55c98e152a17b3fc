//! Picks at imported nodes, static and deformed.

use crate::nodes::walk;
use hedgerow::data::NodeMap;
use hedgerow::glam::Vec3;
use hedgerow::query::{Faces, Filter, Frustum, LocalVolume, Ray, Selected, Touch};
use hedgerow::{NodeHandle, SceneConfig};
use hedgerow_gltf::{ImportOptions, TriangleTrees};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{Soup, cast_all};
use std::path::Path;

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn picks_and_selections_at_models_are_those_of_all_their_triangles() {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"), &mut files);
    let (mut dice, mut hits, mut deformed) = (Dice::with_seed(6), 0, 0);
    for file in files {
        let options = ImportOptions::new().with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
        let Ok(import) = options.load(&file) else { continue };
        let (mut scene, imported) = (import.scene, import.imported);
        scene.update();
        let (mut trees, mut bodies) = (TriangleTrees::new(), NodeMap::new());
        for (drawable, body) in
            imported.scenes.iter().flat_map(|scene| imported.deformed_all(&scene.drawables).unwrap())
        {
            _ = bodies.insert(drawable.handle, body);
        }
        let drawables = imported.scenes.iter().flat_map(|scene| &scene.drawables);
        // Hidden nodes are not hit.
        let drawables = drawables.filter(|at| scene.get(at.handle).is_some_and(|node| !node.layers().is_empty()));
        let soups: Vec<(NodeHandle, Soup, Faces)> = drawables
            .map(|drawable| {
                let mut corners = Vec::new();
                imported.triangles(&scene, drawable.handle, &mut bodies, &mut corners).unwrap();
                let positions = corners.as_flattened().iter().map(Vec3::to_array).collect();
                let indices = (0..).take(corners.len()).map(|at: u32| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
                let material = scene.get(drawable.handle).unwrap().material().and_then(|at| imported.material(at));
                let faces = if material.is_some_and(|it| it.double_sided) { Faces::Both } else { Faces::Front };
                (drawable.handle, Soup { positions, indices }, faces)
            })
            .collect();
        let world = |node| *scene.world(node).unwrap();
        for turn in 0..30 {
            let (node, soup, _) = &soups[dice.index(soups.len())];
            let (min, max) = soup.bounds();
            if min.cmpgt(max).any() {
                continue;
            }
            let target = world(*node).transform_point(min + (max - min) * (dice.vector() * 0.5 + 0.5));
            let size = world(*node).transform_vector(max - min).length();
            let ray = Ray::new(target + dice.vector() * 4.0 * size, dice.vector() * size * 0.2).unwrap();
            let ray = Ray::new(ray.origin(), target - ray.origin()).unwrap();
            let mut expected: Vec<_> = soups
                .iter()
                .filter_map(|(node, soup, faces)| {
                    let hit = cast_all(soup.mesh(), &ray.to_local(world(*node))?, f64::INFINITY, *faces)?;
                    Some((hit.t, *node, hit.triangle))
                })
                .collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let cast = |drawn: &_, ray: &_, limit| trees.cast(&imported, &mut bodies, drawn, ray, limit);
            let mut picks = Vec::new();
            scene.pick_all(&ray, Filter::ALL, cast, &mut picks).unwrap();
            let found: Vec<_> = picks.iter().map(|pick| (pick.distance, pick.drawn.node, pick.hit.triangle)).collect();
            assert_eq!(found, expected, "{}: {ray:?}", file.display());
            hits += found.len();
            deformed += picks.iter().filter(|pick| bodies.contains_key(pick.drawn.node)).count();

            if turn % 5 != 0 {
                continue;
            }
            let mut planes = [hedgerow::glam::Vec4::ZERO; 6];
            planes[0] = ray.direction().extend(-ray.direction().dot(target));
            let (half, mut selected) = (Frustum::from_planes(planes).unwrap(), Vec::new());
            let touch = |drawn: &_, volume: &LocalVolume| trees.touch(&imported, &mut bodies, drawn, volume);
            scene.select(&half, Filter::ALL, touch, &mut selected).unwrap();
            for (node, soup, _) in &soups {
                let volume = LocalVolume::of_frustum(&half, world(*node));
                let touches = (0..).map_while(|at| Some(volume.touch(soup.mesh().corners(at)?.map(Vec3::as_dvec3))));
                let touches: Vec<Touch> = touches.collect();
                let whole = touches.iter().all(|&touch| touch == Touch::Whole);
                let expected = touches.iter().any(|&touch| touch != Touch::None).then_some(whole);
                let found = selected.iter().find(|at| at.drawn.node == *node).map(|&Selected { whole, .. }| whole);
                assert_eq!(found, expected, "{}: {node:?}", file.display());
            }
        }
    }
    // Without decoders, some models are left out.
    let least = if cfg!(all(feature = "draco", feature = "meshopt")) { 50 } else { 30 };
    assert!(hits > least && deformed > 10, "{hits} hits, {deformed} of figures");
}

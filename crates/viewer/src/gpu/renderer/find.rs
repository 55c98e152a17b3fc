//! Finds what is drawn.

use super::*;

impl Renderer {
    /// Finds what the camera sees, and what casts shadows there, in one walk. With `frozen`, what is found is what
    /// that camera sees.
    pub fn cull(&mut self, stage: &Stage, camera: &Camera, frozen: Option<&Camera>, aspect: f32) -> Result<()> {
        let Self { settings, drawn, .. } = self;
        let falls = Self::cascades(stage, camera, aspect, *settings);
        let seeing = frozen.unwrap_or(camera);
        let layers = stage.layers();
        let scene = &stage.scene;
        drawn.iter_mut().for_each(|drawn| drawn.view.list.set_layers(layers));
        if !settings.culling {
            for Drawn { view, .. } in drawn.iter_mut() {
                if settings.relative {
                    scene.draw_list_relative(camera.eye, &mut view.list);
                } else {
                    scene.draw_list(&mut view.list);
                }
            }
            return Ok(());
        }
        if settings.relative {
            // The frustum is relative to the camera, wherever the frozen one is.
            let away = Mat4::from_translation((camera.eye - seeing.eye).as_vec3());
            let frustum = Frustum::from_view_projection(&(seeing.view_projection(aspect) * away))?;
            scene.cull_relative(camera.eye, &frustum, layers, &mut drawn[0].view.list);
            for (Drawn { view, .. }, cascade) in drawn[1..].iter_mut().zip(&falls) {
                scene.cull_relative(camera.eye, &cascade.relative_frustum()?, layers, &mut view.list);
            }
            return Ok(());
        }
        let mut frusta = vec![seeing.frustum(aspect)?];
        for cascade in falls.iter().take(drawn.len() - 1) {
            frusta.push(cascade.frustum()?);
        }
        let views = drawn.iter_mut().zip(frusta);
        let mut views: Vec<CullView<'_>> =
            views.map(|(Drawn { view, .. }, frustum)| CullView { frustum, layers, list: &mut view.list }).collect();
        Ok(scene.cull_views(&mut views)?)
    }

    pub(super) fn cascades(stage: &Stage, camera: &Camera, aspect: f32, settings: Settings) -> [Cascade; CASCADES] {
        let (distance, reach) = stage.shadows;
        cascades(camera, aspect, stage.sun(), distance, reach, settings.shadow_texels)
    }

    /// Groups and orders what was found.
    pub fn arrange(&mut self, stage: &Stage, camera: &Camera) {
        let eye = if self.settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        for (number, Drawn { view, .. }) in self.drawn.iter_mut().enumerate() {
            view.arrange(stage, (number == 0).then_some((eye, camera.forward)));
        }
    }
}

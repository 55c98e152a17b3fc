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
        let mut frusta = Vec::with_capacity(drawn.len());
        if settings.relative {
            // The frustum is relative to the camera, wherever the frozen one is.
            let away = Mat4::from_translation((camera.eye - seeing.eye).as_vec3());
            frusta.push(Frustum::from_view_projection(&(seeing.view_projection(aspect) * away))?);
        } else {
            frusta.push(seeing.frustum(aspect)?);
        }
        for cascade in falls.iter().take(drawn.len() - 1) {
            frusta.push(if settings.relative { cascade.relative_frustum()? } else { cascade.frustum()? });
        }
        let views = drawn.iter_mut().zip(frusta);
        let mut views: Vec<CullView<'_>> =
            views.map(|(Drawn { view, .. }, frustum)| CullView { frustum, layers, list: &mut view.list }).collect();
        if settings.relative {
            scene.cull_views_relative(camera.eye, &mut views);
        } else {
            scene.cull_views(&mut views)?;
        }
        Ok(())
    }

    pub(super) fn cascades(stage: &Stage, camera: &Camera, aspect: f32, settings: Settings) -> [Cascade; CASCADES] {
        let (distance, reach) = stage.shadows;
        cascades(camera, aspect, stage.sun(), distance, reach, settings.shadow_texels)
    }

    /// Groups and orders what was found, and notes the writes of world matrices meanwhile.
    pub fn arrange(&mut self, gpu: &Gpu, stage: &Stage, camera: &Camera) {
        let eye = if self.settings.relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let mut drawn = std::mem::take(&mut self.drawn);
        let ((), rebind) = threads::join(
            || {
                threads::each(&mut drawn, |number, Drawn { view, .. }| {
                    view.arrange(stage, (number == 0).then_some((eye, camera.forward)));
                });
            },
            // Those relative to the camera go by the lists.
            || !self.settings.relative && self.upload_world(gpu, stage),
        );
        self.drawn = drawn;
        self.rebind |= rebind;
    }
}

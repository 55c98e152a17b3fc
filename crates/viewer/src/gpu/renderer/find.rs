//! Culls, groups and orders draws.

use super::*;

impl Renderer {
    /// Culls for the camera and the cascades, and meanwhile queues writes of world matrices. If `frozen` is given,
    /// culls for that camera instead.
    pub fn cull(
        &mut self,
        gpu: &Gpu,
        stage: &Stage,
        scene: &Scene,
        camera: &Camera,
        frozen: Option<&Camera>,
        aspect: f32,
    ) -> Result<()> {
        let settings = self.settings;
        let mut drawn = std::mem::take(&mut self.drawn);
        let (found, rebind) = threads::join(
            || Self::find(settings, &mut drawn, stage, scene, camera, frozen, aspect),
            // Relative matrices are uploaded later, from the lists.
            || !settings.relative && self.upload_world(gpu, scene),
        );
        self.drawn = drawn;
        self.rebind |= rebind;
        found
    }

    /// Culls for all views in one pass.
    fn find(
        settings: Settings,
        drawn: &mut [Drawn],
        stage: &Stage,
        scene: &Scene,
        camera: &Camera,
        frozen: Option<&Camera>,
        aspect: f32,
    ) -> Result<()> {
        let falls = Self::cascades(stage, camera, aspect, settings);
        let seeing = frozen.unwrap_or(camera);
        let (layers, detail) = stage.seen_from(settings.culling.then_some(seeing.eye));
        for Drawn { view, .. } in drawn.iter_mut() {
            view.list.set_layers(layers);
            view.list.set_eye(settings.relative.then_some(camera.eye));
        }
        if !settings.culling {
            drawn.iter_mut().for_each(|drawn| scene.draw_list(&mut drawn.view.list));
            return Ok(());
        }
        let mut frusta = Vec::with_capacity(drawn.len());
        if settings.relative {
            // The frustum is relative to `camera`, even if a frozen camera culls.
            let away = Mat4::from_translation((camera.eye - seeing.eye).as_vec3());
            frusta.push(Frustum::from_view_projection(&(seeing.view_projection(aspect) * away))?);
        } else {
            frusta.push(seeing.frustum(aspect)?);
        }
        for cascade in falls.iter().take(drawn.len() - 1) {
            frusta.push(if settings.relative { cascade.relative_frustum()? } else { cascade.frustum()? });
        }
        let views = drawn.iter_mut().map(|drawn| &mut drawn.view.list).zip(frusta);
        let mut views: Vec<CullView<'_>> =
            views.map(|(list, frustum)| CullView { detail, ..CullView::new(&frustum, list) }).collect();
        Ok(scene.cull(&mut views)?)
    }

    pub(super) fn cascades(stage: &Stage, camera: &Camera, aspect: f32, settings: Settings) -> [Cascade; CASCADES] {
        let (distance, reach) = stage.shadows;
        cascades(camera, aspect, stage.sun(), distance, reach, settings.shadow_texels)
    }

    /// Groups and orders the draws, and queues writes of palettes meanwhile.
    pub fn arrange(&mut self, gpu: &Gpu, stage: &mut Stage, scene: &Scene, camera: &Camera) {
        let relative = self.settings.relative;
        let eye = if relative { Vec3::ZERO } else { camera.eye.as_vec3() };
        let palettes_changed = stage.figures.take_changed();
        let seen: &Stage = stage;
        let mut drawn = std::mem::take(&mut self.drawn);
        let mirror = std::mem::take(&mut self.mirror);
        // A free thread takes the next list, so put the longest list first.
        let mut views: Vec<(usize, &mut View)> = drawn.iter_mut().map(|drawn| &mut drawn.view).enumerate().collect();
        views.sort_by_key(|(_, view)| std::cmp::Reverse(view.list.len()));
        let ((), rebind) = threads::join(
            || {
                threads::in_order(views, |(number, view)| {
                    view.arrange(seen, scene, (number == 0).then_some((eye, camera.forward)));
                    // Relative matrices have no indices yet.
                    if !relative {
                        view.index(seen, Some(&mirror));
                    }
                });
            },
            || palettes_changed && self.upload_palettes(gpu, seen),
        );
        (self.drawn, self.mirror) = (drawn, mirror);
        self.rebind |= rebind;
    }
}

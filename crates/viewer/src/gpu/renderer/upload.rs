//! Writes changes to the device.

use super::*;

impl Renderer {
    /// Queues writes of all changes; [`Renderer::draw`] and [`Renderer::flush`] submit them.
    pub fn upload(&mut self, gpu: &Gpu, stage: &mut Stage, scene: &Scene, camera: &Camera, aspect: f32) -> Result<()> {
        let mut rebind = std::mem::take(&mut self.rebind);
        if self.settings.relative {
            rebind |= self.upload_relative(gpu);
            let seen: &Stage = stage;
            threads::each(&mut self.drawn, |_, Drawn { view, .. }| view.index(seen, None));
        }
        for Drawn { view, grouped, ordered } in &mut self.drawn {
            for (stream, buffers) in [(&view.grouped, grouped), (&view.ordered, ordered)] {
                self.uploaded.draws += upload_stream(gpu, &mut self.buffers, stream, buffers);
            }
        }
        rebind |= self.upload_figures(gpu, stage)?;
        self.upload_uniforms(stage, scene, camera, aspect);
        if rebind {
            self.bind(gpu);
        }
        self.uploaded.writes += self.buffers.writes();
        self.buffers.stage();
        Ok(())
    }

    /// Writes the world matrices that the last update computed. Returns whether the table was replaced.
    pub(super) fn upload_world(&mut self, gpu: &Gpu, scene: &Scene) -> bool {
        let Self { mirror, matrices, buffers, uploaded, settings, .. } = self;
        let transposed = settings.fault == Some(Fault::Transposed);
        let mut rebind = false;
        mirror.sync(scene, |step| match (step, step.bytes()) {
            (MirrorStep::Resize { len }, _) => rebind |= matrices.fit(gpu, 48 * len),
            (_, Some((offset, bytes))) if transposed => {
                uploaded.matrices += buffers.write_changed(matrices, offset, bytes, transpose);
            }
            (_, Some((offset, bytes))) => uploaded.matrices += buffers.write_table(matrices, offset, bytes),
            _ => {}
        });
        rebind
    }

    /// Writes the matrices of all lists, if any changed. Returns whether the table was replaced.
    fn upload_relative(&mut self, gpu: &Gpu) -> bool {
        let Self { drawn, relative, matrices, buffers, uploaded, settings, .. } = self;
        let mut all = Vec::with_capacity(relative.len());
        for Drawn { view, .. } in drawn {
            view.first = all.len() as u32;
            all.extend_from_slice(view.list.relative_matrices());
        }
        let mut rebind = false;
        if *relative != all {
            rebind = matrices.fit(gpu, 48 * all.len());
            uploaded.matrices += if settings.fault == Some(Fault::Transposed) {
                buffers.write_changed(matrices, 0, bytemuck::cast_slice(&all), transpose)
            } else {
                buffers.write_table(matrices, 0, bytemuck::cast_slice(&all))
            };
        }
        *relative = all;
        rebind
    }

    /// Writes palettes and weights of figures. Returns whether a table was replaced.
    pub(super) fn upload_palettes(&mut self, gpu: &Gpu, stage: &Stage) -> bool {
        let figures = &stage.figures;
        if figures.list.is_empty() {
            return false;
        }
        let mut rebind = false;
        let mut transposed = self.settings.fault == Some(Fault::Transposed);
        let lists: [(&mut Table, &[u8]); 2] = [
            (&mut self.palettes, bytemuck::cast_slice(&figures.palettes)),
            (&mut self.weights, bytemuck::cast_slice(&figures.weights)),
        ];
        for (table, bytes) in lists {
            rebind |= table.fit(gpu, bytes.len());
            if !self.settings.cpu_skinning {
                // The fault affects all matrices, and so palettes, but not weights.
                self.uploaded.figures += if transposed {
                    self.buffers.write_changed(table, 0, bytes, transpose)
                } else {
                    self.buffers.write_table(table, 0, bytes)
                };
                transposed = false;
            }
        }
        rebind
    }

    /// Writes records of figures, and vertices skinned by the processor. Returns whether a table was replaced.
    fn upload_figures(&mut self, gpu: &Gpu, stage: &mut Stage) -> Result<bool> {
        if stage.figures.list.is_empty() {
            return Ok(false);
        }
        let mut rebind = false;
        let mut places = vec![NONE; stage.figures.list.len()];
        if self.settings.cpu_skinning {
            let mut streams = Vec::with_capacity(self.streams.1.len());
            for number in self.seen_figures(stage) {
                places[number] = streams.len() as u32;
                stage.figures.skin(number, &mut streams)?;
            }
            if streams != self.streams.1 {
                rebind |= self.streams.0.fit(gpu, 4 * streams.len());
                let bytes = bytemuck::cast_slice(&streams);
                self.uploaded.figures += self.buffers.write_table(&self.streams.0, 0, bytes);
            }
            self.streams.1 = streams;
        }
        let record = |(number, &place)| self.record(stage, number, place);
        let records: Vec<Deform> = places.iter().enumerate().map(record).collect();
        if records != self.deforms.1 {
            rebind |= self.deforms.0.fit(gpu, size_of_val(&records[..]));
            let bytes = bytemuck::cast_slice(&records);
            self.uploaded.figures += self.buffers.write_table(&self.deforms.0, 0, bytes);
            self.deforms.1 = records;
        }
        Ok(rebind)
    }

    fn seen_figures(&self, stage: &Stage) -> Vec<usize> {
        let mut seen = vec![false; stage.figures.list.len()];
        for Drawn { view, .. } in &self.drawn {
            for group in view.groups.groups().iter().filter(|group| is_deformed(stage, group.mesh)) {
                for &draw in &view.groups.instances()[group.range()] {
                    let user_data = view.list.commands()[draw as usize].user_data as usize;
                    if let Some(seen) = user_data.checked_sub(1).and_then(|number| seen.get_mut(number)) {
                        *seen = true;
                    }
                }
            }
        }
        (0..seen.len()).filter(|&number| seen[number]).collect()
    }

    fn record(&self, stage: &Stage, number: usize, streams: u32) -> Deform {
        let figure = &stage.figures.list[number];
        let drawable = &stage.figures.drawables[figure.drawable];
        let [influences, deltas] = self.drawables[figure.drawable];
        let mut coat = [[0; 4]; 8];
        if let Some(own) = figure.coat {
            coat[..own.len()].copy_from_slice(&own);
        }
        Deform {
            palette: if figure.palette.is_empty() { NONE } else { figure.palette.start as u32 },
            influences,
            per_vertex: drawable.per_vertex as u32,
            deltas,
            targets: figure.weights.len() as u32,
            weights: figure.weights.start as u32,
            vertices: drawable.skinned.len() as u32,
            base_vertex: self.parts[drawable.mesh as usize].base_vertex,
            streams,
            has_coat: figure.coat.is_some().into(),
            unused: [0; 2],
            coat,
        }
    }

    fn upload_uniforms(&mut self, stage: &Stage, scene: &Scene, camera: &Camera, aspect: f32) {
        let settings = self.settings;
        let falls = Self::cascades(stage, camera, aspect, settings);
        let view_projection = camera.view_projection(aspect);
        let [x, y, z] = if settings.relative { [0.0; 3] } else { camera.eye.as_vec3().to_array() };
        let mut eyes = [Eye { view_projection: view_projection.to_cols_array(), eye: [x, y, z, 0.0] }; EYES];
        for (eye, cascade) in eyes[1..].iter_mut().zip(&falls) {
            eye.view_projection = cascade.matrix.to_cols_array();
        }
        for (number, (eye, before)) in (0..).zip(eyes.iter().zip(&mut self.eyes.1)) {
            if eye != before {
                *before = *eye;
                let bytes = bytemuck::bytes_of(eye);
                self.uploaded.uniforms += self.buffers.write(&self.eyes.0, STRIDE * number, bytes);
            }
        }
        let wide = |[r, g, b]: [f32; 3]| [r, g, b, 0.0];
        let light = stage.light;
        let mut lamps = [[[0.0; 4]; 4]; LAMPS];
        let mut shining = 0;
        for (lamp, record) in stage.lamps.iter().zip(&mut lamps) {
            let Some(world) = scene.get(lamp.node).map(|node| node.world_f64()) else { continue };
            let place = (world.translation - camera.eye).as_vec3();
            let direction = -world.matrix3.z_axis.as_vec3().normalize_or(Vec3::Z);
            let [inner, outer] = lamp.cone.unwrap_or([1.0, -2.0]);
            *record = [
                place.extend(lamp.range.unwrap_or(0.0)).to_array(),
                wide(lamp.colour),
                direction.extend(inner).to_array(),
                [outer, 0.0, 0.0, 0.0],
            ];
            shining += 1;
        }
        let haze = if light.haze.is_finite() { light.haze.recip() } else { 0.0 };
        let shadows = f32::from(u8::from(settings.shadows));
        let light = Light {
            cascades: falls.map(|cascade| cascade.matrix.to_cols_array()),
            ends: [falls[0].end, falls[1].end, falls[2].end, 0.0],
            texels: [falls[0].texel, falls[1].texel, falls[2].texel, (settings.shadow_texels as f32).recip()],
            sun: stage.sun().extend(0.0).to_array(),
            sun_colour: wide(light.sun_colour),
            zenith: wide(light.zenith),
            horizon: wide(light.horizon),
            ground: wide(light.ground),
            forward: camera.forward.extend(0.0).to_array(),
            numbers: [light.exposure, haze, shining as f32, shadows],
            unprojection: view_projection.inverse().to_cols_array(),
            lamps,
        };
        if light != self.light.1 {
            self.light.1 = light;
            self.uploaded.uniforms += self.buffers.write(&self.light.0, 0, bytemuck::bytes_of(&light));
        }
    }

    fn bind(&mut self, gpu: &Gpu) {
        let Self { pipelines, eyes, matrices, deforms, palettes, weights, streams, influences, deltas, .. } = self;
        let tables = [&*matrices, &deforms.0, palettes, influences, deltas, weights, &streams.0];
        self.world = world(gpu, pipelines, &eyes.0, tables);
    }

    /// Submits the writes without drawing.
    pub fn flush(&mut self, gpu: &Gpu) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.buffers.flush(&mut encoder);
        gpu.queue.submit([encoder.finish()]);
    }
}

/// Writes the changed ranges of a stream. Returns the number of bytes.
fn upload_stream(gpu: &Gpu, buffers: &mut Buffers, stream: &Stream, growing: &mut [Growing; 2]) -> usize {
    let [matrices, user_data] = growing;
    let lists = [
        (&stream.matrices, &stream.changed_matrices, matrices),
        (&stream.user_data, &stream.changed_user_data, user_data),
    ];
    let mut written = 0;
    for (values, changed, growing) in lists {
        if growing.fit(gpu, size_of_val(&values[..])) {
            written += buffers.write(&growing.buffer, 0, bytemuck::cast_slice(values));
            continue;
        }
        for range in changed {
            let bytes = bytemuck::cast_slice(&values[range.clone()]);
            written += buffers.write(&growing.buffer, 4 * range.start as u64, bytes);
        }
    }
    written
}

/// Transposes rotations, and keeps translations.
fn transpose(bytes: &mut [u8]) {
    for matrix in bytes.as_chunks_mut::<48>().0 {
        let row = |row: usize, column: usize| 16 * row + 4 * column;
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            for byte in 0..4 {
                matrix.swap(row(a, b) + byte, row(b, a) + byte);
            }
        }
    }
}

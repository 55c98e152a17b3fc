//! Tables in buffers: encodes the steps that keep and cull them.

use bytemuck::{bytes_of, cast_slice};
use core::num::NonZero;
use hedgerow_gpu::{Buffer, Pass, Step};
use std::collections::HashMap;
use wgpu::util::StagingBelt;
use wgpu::{BindGroup, BindGroupLayout, BindingResource, BufferUsages, BufferViewMut, CommandEncoder};
use wgpu::{ComputePipeline, Device, Queue, ShaderModule, TextureView, WriteOnly};

/// The alignment of the lengths of buffers.
pub(crate) const ALIGN: usize = 256;
/// The length of a chunk of mapped memory; a longer write gets one for itself.
const CHUNK: u64 = 2 << 20;
/// After a sync that wrote more, its mapped memory is given up, and long chunks after one that needs none.
const MOST: u64 = 32 << 20;

#[derive(Debug)]
pub(crate) struct Buffers {
    device: Device,
    pub(crate) tables: [wgpu::Buffer; Buffer::ALL.len()],
    /// By entry point.
    pipelines: HashMap<&'static str, ComputePipeline>,
    /// What passes bind. They stay until a table is replaced, so most frames use them again.
    groups: HashMap<Pass, BindGroup>,
    /// Mapped memory, whose chunks come back when the device has read them.
    belt: StagingBelt,
    /// The length of its chunks, and the number of bytes that this sync wrote.
    chunk: u64,
    written: u64,
}

impl Buffers {
    pub(crate) fn new(device: &Device, with_occlusion: bool) -> Self {
        let (mut modules, mut pipelines) = (HashMap::new(), HashMap::new());
        let is_of_occlusion = |pass: &Pass| pass.bindings().iter().any(|binding| binding.buffer == Buffer::Occluder);
        for pass in Pass::ALL.into_iter().filter(|pass| with_occlusion || !is_of_occlusion(pass)) {
            let module = modules.entry(pass.shader()).or_insert_with(|| module(device, pass));
            pipelines.entry(pass.entry_point()).or_insert_with(|| pipeline(device, module, pass));
        }
        Self {
            device: device.clone(),
            tables: Buffer::ALL.map(|buffer| make(device, buffer, 0)),
            pipelines,
            groups: HashMap::new(),
            belt: StagingBelt::new(device.clone(), CHUNK),
            chunk: CHUNK,
            written: 0,
        }
    }

    /// Encodes a step; uniforms are written by the queue. `depth` is for the pass that reduces it. Returns whether the
    /// step replaces a table.
    pub(crate) fn run(
        &mut self,
        (queue, encoder): (&Queue, &mut CommandEncoder),
        step: Step<'_>,
        depth: Option<&TextureView>,
    ) -> bool {
        match step {
            Step::Resize { buffer, bytes, keep } => {
                let table = &mut self.tables[buffer as usize];
                if table.size() < bytes {
                    let old = core::mem::replace(table, make(&self.device, buffer, bytes));
                    if keep {
                        encoder.copy_buffer_to_buffer(&old, 0, table, 0, Some(old.size()));
                    }
                    self.groups.clear();
                    return true;
                }
            }
            // Mapped memory of an encoder that is dropped would not come back.
            Step::Write { buffer, offset, bytes } if buffer.is_uniform() => {
                queue.write_buffer(&self.tables[buffer as usize], offset, bytes);
            }
            Step::Write { buffer, offset, bytes } => {
                if let Some(mut view) = self.map(encoder, (buffer, offset), bytes.len()) {
                    view.copy_from_slice(bytes);
                }
            }
            Step::List { buffer, indices, items } => {
                let (count, stride) = (indices.len(), items.stride());
                let head = 8 + size_of_val(indices);
                let len = head + count * stride;
                if self.chunk < len as u64 {
                    // Else each length of a long list would leave a chunk of its own.
                    let most = self.device.limits().max_buffer_size;
                    self.renew((len as u64).next_power_of_two().min(most).max(len as u64));
                }
                if let Some(mut view) = self.map(encoder, (buffer, 0), len) {
                    view.slice(..8).copy_from_slice(bytes_of(&[count, stride / 4].map(short)));
                    view.slice(8..head).copy_from_slice(cast_slice(indices));
                    let to = view.slice(head..);
                    match stride {
                        48 => fill::<48>(to, items.iter()),
                        36 => fill::<36>(to, items.iter()),
                        32 => fill::<32>(to, items.iter()),
                        16 => fill::<16>(to, items.iter()),
                        stride => debug_assert_eq!(stride, 0, "a stride that no buffer has"),
                    }
                }
            }
            Step::Copy { from, to, ranges } => {
                let [source, target] = [from, to].map(|buffer| &self.tables[buffer as usize]);
                for range in ranges {
                    let [at, end] = [range.start, range.end].map(|index| u64::from(index) * from.stride() as u64);
                    encoder.copy_buffer_to_buffer(source, at, target, at, Some(end - at));
                }
            }
            Step::Dispatch { pass, workgroups: [x, y] } => self.dispatch(encoder, pass, [x, y], depth),
        }
        false
    }

    fn dispatch(&mut self, encoder: &mut CommandEncoder, pass: Pass, [x, y]: [u32; 2], depth: Option<&TextureView>) {
        let Self { device, tables, pipelines, groups, .. } = self;
        let make = || pipeline(device, &module(device, pass), pass);
        let pipeline = &*pipelines.entry(pass.entry_point()).or_insert_with(make);
        let group = groups.entry(pass).or_insert_with(|| {
            let bindings = pass.bindings().into_iter();
            let resource = |buffer| tables[buffer as usize].as_entire_binding();
            let resources = bindings.map(|binding| (binding.number, resource(binding.buffer)));
            bind(device, &pipeline.get_bind_group_layout(0), resources)
        });
        let mut run = encoder.begin_compute_pass(&Default::default());
        run.set_pipeline(pipeline);
        run.set_bind_group(0, &*group, &[]);
        if let Some(depth) = depth.filter(|_| pass == Pass::ReduceDepth) {
            let resources = [(0, BindingResource::TextureView(depth))];
            run.set_bind_group(1, &bind(device, &pipeline.get_bind_group_layout(1), resources), &[]);
        }
        run.dispatch_workgroups(x, y, 1);
    }

    /// Returns mapped memory that is copied to a table; `None` for no bytes.
    fn map(
        &mut self,
        encoder: &mut CommandEncoder,
        (buffer, offset): (Buffer, u64),
        len: usize,
    ) -> Option<BufferViewMut> {
        let size = NonZero::new(len as u64)?;
        self.written += size.get();
        Some(self.belt.write_buffer(encoder, &self.tables[buffer as usize], offset, size))
    }

    /// Gives up mapped memory for chunks of another length.
    fn renew(&mut self, chunk: u64) {
        self.belt.finish();
        self.belt = StagingBelt::new(self.device.clone(), chunk);
        self.chunk = chunk;
    }

    /// Submits what a sync encoded.
    pub(crate) fn submit(&mut self, queue: &Queue, encoder: CommandEncoder) {
        self.belt.finish_and_recall_on_submit(&encoder);
        queue.submit([encoder.finish()]);
        let written = core::mem::take(&mut self.written);
        if written > MOST || (written < CHUNK && self.chunk > CHUNK) {
            self.renew(CHUNK);
        }
    }
}

/// Writes items of a constant length, which takes a few instructions each.
fn fill<'i, const N: usize>(to: WriteOnly<'_, [u8]>, items: impl Iterator<Item = &'i [u8]>) {
    to.into_chunks::<N>().0.write_iter(items.filter_map(|item| item.first_chunk().copied()));
}

fn make(device: &Device, buffer: Buffer, bytes: u64) -> wgpu::Buffer {
    let size = bytes.max(buffer.stride() as u64).next_multiple_of(ALIGN as u64);
    let usage = BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let usage = usage
        | match buffer {
            buffer if buffer.is_uniform() => BufferUsages::UNIFORM,
            Buffer::Commands => BufferUsages::STORAGE | BufferUsages::INDIRECT,
            Buffer::Visible => BufferUsages::STORAGE | BufferUsages::VERTEX,
            _ => BufferUsages::STORAGE,
        };
    let label = Some(&*format!("hedgerow {buffer:?}"));
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

fn module(device: &Device, pass: Pass) -> ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(pass.shader().into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("hedgerow"), source })
}

fn pipeline(device: &Device, module: &ShaderModule, pass: Pass) -> ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(pass.entry_point()),
        layout: None,
        module,
        entry_point: Some(pass.entry_point()),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Binds resources to numbers.
pub(crate) fn bind<'r>(
    device: &Device,
    layout: &BindGroupLayout,
    resources: impl IntoIterator<Item = (u32, BindingResource<'r>)>,
) -> BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<_> = resources.into_iter().map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Narrows a number: no list has 2³² items.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

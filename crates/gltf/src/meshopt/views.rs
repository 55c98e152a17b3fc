//! Compressed buffer views and their contents.

use super::{Filter, Mode};
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::extras::natural;
use crate::file::{Budget, Buffers};
use gltf::json::Root;
use gltf::json::buffer::View;
use hedgerow_math::internal::fallible;
use serde_json::{Map, Value};
use std::cell::OnceCell;

/// The extensions, newer first.
const EXTENSIONS: [&str; 2] = ["KHR_meshopt_compression", "EXT_meshopt_compression"];

/// The location and format of a view's stream.
pub(crate) struct Description {
    extension: &'static str,
    buffer: usize,
    offset: usize,
    length: usize,
    count: u64,
    stride: usize,
    mode: Mode,
}

/// Returns the name and JSON of the extension that compresses a view.
fn extension(view: &View) -> Option<(&'static str, &Map<String, Value>)> {
    let others = &view.extensions.as_ref()?.others;
    EXTENSIONS.into_iter().find_map(|name| Some((name, others.get(name)?.as_object()?)))
}

impl Description {
    /// Returns the checked description of a compressed view; `None` if the view is not compressed.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid, or if a range exceeds its buffer.
    pub(crate) fn of(root: &Root, index: usize) -> Result<Option<Self>, ImportError> {
        let view = &root.buffer_views[index];
        let Some((extension, json)) = extension(view) else { return Ok(None) };
        let item = || Item::of(root, ItemKind::BufferView, index);
        let field = |name: &str| format!("extensions.{extension}.{name}");
        let refuse = |name, problem| ImportErrorKind::Invalid { item: item(), field: field(name), problem }.into();
        let natural = |name, default: Option<u64>| {
            let number = json.get(name).map_or(default, natural);
            number.ok_or_else(|| refuse(name, "it must be present, and a whole number from 0 on"))
        };
        let text = |name, default| json.get(name).map_or(default, Value::as_str);
        let filter = match text("filter", Some("NONE")) {
            Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            _ => return Err(refuse("filter", "it must be NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR")),
        };
        let mode = match text("mode", None) {
            Some("ATTRIBUTES") => Mode::Attributes(filter),
            Some("TRIANGLES" | "INDICES") if filter != Filter::None => {
                return Err(refuse("filter", "only attributes have filters; drop it"));
            }
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => return Err(refuse("mode", "it must be ATTRIBUTES, TRIANGLES or INDICES")),
        };
        let (buffer, count, stride) = (natural("buffer", None)?, natural("count", None)?, natural("byteStride", None)?);
        let stride = usize::try_from(stride).unwrap_or(usize::MAX);
        if let Some((name, problem)) = mode.refuses(count, stride) {
            return Err(refuse(name, problem));
        }
        if count.checked_mul(stride as u64) != Some(view.byte_length.0) {
            return Err(refuse("count", "count times byteStride must be the byteLength of the view"));
        }
        let Some(source) = usize::try_from(buffer).ok().and_then(|index| root.buffers.get(index)) else {
            let (index, count) = (usize::try_from(buffer).unwrap_or(usize::MAX), root.buffers.len());
            return Err(ImportErrorKind::IndexOutOfRange { item: item(), field: field("buffer"), index, count }.into());
        };
        let (offset, length) = (natural("byteOffset", Some(0))?, natural("byteLength", None)?);
        let (expected, found) = (u128::from(offset) + u128::from(length), source.byte_length.0);
        match [buffer, offset, length].map(usize::try_from) {
            [Ok(buffer), Ok(offset), Ok(length)] if expected <= u128::from(found) => {
                Ok(Some(Self { extension, buffer, offset, length, count, stride, mode }))
            }
            _ => Err(ImportErrorKind::OutOfBounds { item: item(), expected, found }.into()),
        }
    }
}

/// For each buffer, returns whether the buffer contains no stream and only compressed views refer to it. Such a buffer
/// is never read, so its data may be missing.
pub(crate) fn fallbacks(root: &Root) -> Vec<bool> {
    let mut is_fallback = vec![false; root.buffers.len()];
    let mut set = |index: usize, to| {
        if let Some(it) = is_fallback.get_mut(index) {
            *it = to;
        }
    };
    for view in root.buffer_views.iter().filter(|view| extension(view).is_some()) {
        set(view.buffer.value(), true);
    }
    for view in &root.buffer_views {
        match extension(view) {
            None => set(view.buffer.value(), false),
            Some((_, json)) => {
                let buffer = json.get("buffer").and_then(natural);
                set(buffer.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX), false);
            }
        }
    }
    is_fallback
}

/// The contents of compressed buffer views, each decoded at its first read.
#[derive(Default)]
pub(crate) struct Views<'a> {
    /// One entry for each view; empty if no view is compressed.
    contents: Vec<OnceCell<Vec<u8>>>,
    budget: Option<&'a Budget>,
}

impl<'a> Views<'a> {
    /// Returns the views of a file; no view is decoded yet.
    pub(crate) fn of(root: &Root) -> Self {
        let any = root.buffer_views.iter().any(|view| extension(view).is_some());
        let count = if any { root.buffer_views.len() } else { 0 };
        Self { contents: vec![OnceCell::new(); count], budget: None }
    }

    /// From now on, charges decoding to this budget.
    pub(crate) fn set_budget(&mut self, budget: &'a Budget) {
        self.budget = Some(budget);
    }

    /// Returns the contents of a compressed view; `None` if the view is not compressed.
    ///
    /// # Errors
    /// Returns an error if the stream is invalid, or if the budget or memory is exceeded.
    pub(crate) fn get(&self, root: &Root, buffers: &Buffers<'_>, index: usize) -> Result<Option<&[u8]>, ImportError> {
        let Some(content) = self.contents.get(index) else { return Ok(None) };
        if let Some(bytes) = content.get() {
            return Ok(Some(bytes));
        }
        let Some(of) = Description::of(root, index)? else { return Ok(None) };
        let item = || Item::of(root, ItemKind::BufferView, index);
        let (bytes, end) = (buffers.bytes(root, of.buffer)?, of.offset + of.length);
        let stream = bytes.get(of.offset..end).ok_or_else(|| buffers.cut_off(root, of.buffer))?;
        let bytes = self.decode(stream, &of, item)?;
        Ok(Some(content.get_or_init(|| bytes)))
    }

    fn decode(&self, stream: &[u8], of: &Description, item: impl Fn() -> Item) -> Result<Vec<u8>, ImportError> {
        let refuse = |problem: &str| {
            let field = format!("extensions.{}", of.extension);
            ImportErrorKind::Compressed { item: item(), field, problem: problem.to_owned() }
        };
        // Check before allocating, so that a short stream cannot claim many elements.
        if of.mode.least(stream, of.count, of.stride) > stream.len() as u64 {
            return Err(refuse(super::Fault::SHORT.0).into());
        }
        let bytes = of.count.saturating_mul(of.stride as u64);
        let bytes = usize::try_from(bytes).map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
        self.budget.map_or(Ok(()), |budget| budget.take::<u8>(bytes, &item))?;
        let mut elements = fallible::filled(bytes, 0).map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
        of.mode.decode(stream, of.stride, &mut elements).map_err(|fault| refuse(fault.0))?;
        Ok(elements)
    }
}

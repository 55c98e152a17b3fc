//! Images, as they are stored.

use crate::error::{BufferProblem, ImportError, ImportErrorKind, Item, ItemKind, check_index, is_lfs_pointer};
use crate::extras::others;
use crate::file::{Files, Reader, Source, find, read_whole};
use crate::{Extensions, Extras, Parts, Skipped};
use hedgerow_math::internal::fallible;
use std::borrow::Cow;
use std::collections::HashMap;

/// An image of a glTF file, as it is stored: PNG, JPEG, or what an extension allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The name, if any.
    pub name: Option<String>,
    /// The media type, such as `image/png`, from the file or from the `data:` URI. `None` only for a separate file.
    pub mime_type: Option<String>,
    /// The URI of a separate file, relative to the glTF file.
    pub uri: Option<String>,
    /// The undecoded bytes; empty if [`Parts::images`] is not set or the bytes are missing: see [`Skipped::Image`].
    pub bytes: Vec<u8>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name.
    pub extensions: Extensions,
}

/// Returns the images of a file. Lists images whose bytes are missing as skipped.
pub(super) fn read(
    reader: Reader<'_>,
    files: Files<'_>,
    parts: &Parts,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Image>, ImportError> {
    let root = reader.root;
    let mut images: Vec<Image> = Vec::with_capacity(root.images.len());
    // The first image of each file that was read. Other images of the file copy its bytes; copies are charged.
    let mut first: HashMap<String, usize> = HashMap::new();
    for (index, json) in root.images.iter().enumerate() {
        let item = || Item::of(root, ItemKind::Image, index);
        check_index(json.buffer_view, root.buffer_views.len(), item, || "bufferView".to_owned())?;
        // Charges and copies bytes that are already in memory.
        let copied = |bytes: &[u8]| {
            reader.budget.take::<u8>(bytes.len(), item)?;
            fallible::copied(bytes).map_err(|_| ImportError::from(ImportErrorKind::AllocationFailed(item())))
        };
        let uri = json.uri.as_deref();
        let data_type = uri.and_then(data_type);
        let mut image = Image {
            name: json.name.clone(),
            mime_type: json.mime_type.as_ref().map(|of| of.0.clone()).or_else(|| data_type.map(str::to_owned)),
            uri: uri.filter(|_| data_type.is_none()).map(str::to_owned),
            bytes: Vec::new(),
            extras: Extras::read(&json.extras, parts.extras),
            extensions: others!(json, parts.extras),
        };
        if parts.images {
            // The address of the file to read, or the image that has its bytes.
            let (mut address, mut before) = (None, None);
            let found = match (json.buffer_view, uri) {
                (Some(view), _) => {
                    reader.buffers.present(root, view.value()).1.map_or(Ok(()), Err)?;
                    Ok(copied(reader.buffers.view(root, view.value())?)?)
                }
                (None, Some(uri)) => {
                    let found = find(uri, &mut |of| {
                        before = first.get(of.text).copied();
                        if before.is_some() {
                            return Ok(Source::Memory(Cow::Borrowed(&[])));
                        }
                        address = Some(of.text.to_owned());
                        files(of)
                    });
                    match found {
                        Ok((source, fault)) => {
                            if let Some(kind) = fault {
                                reader.warnings.fault(item, || "uri".to_owned(), kind)?;
                            }
                            match (before, source) {
                                (Some(before), _) => Ok(copied(&images[before].bytes)?),
                                (None, Source::Memory(bytes)) => Ok(bytes.into_owned()),
                                (None, Source::File { path, .. }) => read_whole(&path),
                            }
                        }
                        Err(problem) => Err(problem),
                    }
                }
                (None, None) => Err(BufferProblem::NoData),
            };
            match found {
                Ok(bytes) if is_lfs_pointer(&bytes) => {
                    skipped.push(Skipped::Image { image: index, problem: BufferProblem::GitLfsPointer });
                }
                Ok(bytes) => {
                    first.extend(address.map(|address| (address, index)));
                    image.bytes = bytes;
                }
                Err(BufferProblem::AllocationFailed) => return Err(ImportErrorKind::AllocationFailed(item()).into()),
                Err(problem) => skipped.push(Skipped::Image { image: index, problem }),
            }
        }
        images.push(image);
    }
    Ok(images)
}

/// Returns the media type of a `data:` URI, without its parameters; empty if the URI has none. `None` for other URIs.
fn data_type(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    let (head, _) = rest.split_once(',').unwrap_or((rest, ""));
    scheme.eq_ignore_ascii_case("data").then(|| head.split(';').next().unwrap_or_default())
}

//! Why a library, a patch or a document is refused.

use crate::patch::Key;
use core::fmt;
use std::sync::Arc;

/// Why a call is refused. It has changed nothing, unless its page says otherwise.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A statement is not as the patch's `before` says: the patch is for another state, or was applied already.
    State(Key),
    /// A definition would contain itself.
    Use {
        /// The use that closes the circle.
        key: Key,
        /// The definition that it names.
        uses: Arc<str>,
    },
    /// A value or a definition that no library can have.
    Invalid {
        /// The statement.
        key: Key,
        /// The violated condition, and what to do.
        why: &'static str,
    },
    /// A scene would refuse the value.
    Value {
        /// The statement.
        key: Key,
        /// The scene's error.
        error: hedgerow::Error,
    },
    /// The library has no such definition.
    NoDefinition(Arc<str>),
    /// A message acknowledges more messages than its [`Link`](crate::Link) sent.
    Messages {
        /// The number that it acknowledges.
        received: usize,
        /// The number that were sent.
        sent: usize,
    },
    /// The document's root was removed or detached.
    NoRoot,
    /// The node has children; open a document below a node without any.
    NotEmpty,
    /// The nodes of the scene are not those of the definition, at this node in depth-first order.
    Differs {
        /// The number of the first node that differs.
        number: usize,
    },
    /// Another document was opened in the scene, or it is another scene: a scene holds one document.
    Taken,
    /// The scene refuses the nodes.
    Scene(hedgerow::Error),
    /// The writer has no ids left for new nodes; give the document another writer.
    NoIds,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(key) => write!(
                f,
                "{key} is not stated as the patch expects; apply the patch to the state it was made for, or merge it"
            ),
            Self::Use { key, uses } => {
                write!(f, "{key}: the use of {uses:?} would make the definition contain itself; use another")
            }
            Self::Invalid { key, why } => write!(f, "{key}: {why}"),
            Self::Value { key, error } => write!(f, "{key}: {error}"),
            Self::NoDefinition(name) => write!(f, "the library has no definition {name:?}; define it first"),
            Self::Messages { received, sent } => write!(
                f,
                "the message acknowledges {received} messages, but {sent} were sent; begin with a copy of the library"
            ),
            Self::NoRoot => f.write_str("the document's root is not in the tree; attach it, or open the document anew"),
            Self::NotEmpty => f.write_str("the node has children; open a document at a node without any"),
            Self::Differs { number } => {
                write!(f, "node {number} of the tree is not as the definition says; open the document in its place")
            }
            Self::Taken => {
                f.write_str("a scene holds one document, and another one was opened in this scene; open this one anew")
            }
            Self::Scene(error) => error.fmt(f),
            Self::NoIds => f.write_str("the writer has no ids left for new nodes; give the document another writer"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        if let Self::Value { error, .. } | Self::Scene(error) = self { Some(error) } else { None }
    }
}

impl From<hedgerow::Error> for Error {
    fn from(error: hedgerow::Error) -> Self {
        Self::Scene(error)
    }
}

//! Two writers whose patches cross on their way.

use crate::error::Error;
use crate::library::Library;
use crate::merge::{Conflict, Crossed};
use crate::patch::Patch;
use std::collections::VecDeque;

/// One end of a connection over which two writers send each other the patches of a library that both change.
///
/// Patches that cross on their way are [merged](Patch::merge) at both ends, so both come to the same library, and
/// nobody waits for anybody. Messages must arrive in order, each once, as over TCP. A server has one link for each
/// client, and sends what it receives over one link on over all others.
///
/// Commit and send edits before you receive. Others may be refused, or become a step whose patch
/// [`follow`](crate::Document::follow) returns: send it, too.
///
/// Takes a second library, which shares nothing with the document's.
///
/// ```
/// use hedgerow::{Node, Tree};
/// use hedgerow_document::{Library, Link, Error, Spot};
///
/// let (mut server, mut node) = (Library::new(), Tree::new());
/// node.push(None, Node::group());
/// server.apply(&server.define("lamp", &node)?)?;
/// server.apply(&server.define("street", &node)?)?;
/// let mut client = server.clone();
/// (server.set_writer(1), client.set_writer(2));
/// let (mut to_client, mut to_server) = (Link::new(server.clone(), true), Link::new(client.clone(), false));
///
/// // Both place a lamp at the same time.
/// let place = |library: &Library| library.place("street", Spot::below(0, 1.0), "lamp", Node::group());
/// let (ours, theirs) = (place(&server)?, place(&client)?);
/// server.apply(&ours)?;
/// client.apply(&theirs)?;
/// let (down, up) = (to_client.send(ours), to_server.send(theirs));
///
/// server.apply(&to_client.receive(up)?.0)?;
/// client.apply(&to_server.receive(down)?.0)?;
/// assert_eq!(server, client);
/// assert_eq!(server.tree("street")?.len(), 3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    /// What both ends have made, as far as this one knows.
    agreed: Library,
    /// Our patches that the other end may not have made yet, as they are after all that was received.
    sent: VecDeque<Patch>,
    /// The number of patches that were received since our last message.
    received: usize,
    wins: bool,
}

/// A patch on its way over a [`Link`].
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The number of messages that its sender had received since the message before.
    pub received: usize,
    /// What the sender changed.
    pub patch: Patch,
}

impl Link {
    /// Creates an end of a connection. Both ends begin with the same library. Where patches disagree, those of the end
    /// that `wins` are kept: true at one end, false at the other.
    #[must_use]
    pub const fn new(library: Library, wins: bool) -> Self {
        Self { agreed: library, sent: VecDeque::new(), received: 0, wins }
    }

    /// Returns the number of our patches that the other end may not have made yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.sent.len()
    }

    /// Returns the message that tells the other end a patch, which was made here after all that was received.
    pub fn send(&mut self, patch: Patch) -> Message {
        self.sent.push_back(patch.clone());
        Message { received: core::mem::take(&mut self.received), patch }
    }

    /// Returns what a message of the other end changes here, and what it and pending patches of ours disagree about;
    /// [follow](crate::Document::follow) it.
    ///
    /// Runs in **O(entries)** if nothing is pending; otherwise copies the library, and merges the patch with each of
    /// ours that is.
    ///
    /// # Errors
    /// [`Error::Messages`], and those of [`Library::apply`], if a message was lost or belongs to another link.
    /// Then close the connection, and begin with a copy of the library: this end is of no use any more.
    pub fn receive(&mut self, message: Message) -> Result<(Patch, Vec<Conflict>), Error> {
        let Message { received, patch: mut theirs } = message;
        if received > self.sent.len() {
            return Err(Error::Messages { received, sent: self.sent.len() });
        }
        self.sent.drain(..received).try_for_each(|ours| self.agreed.apply(&ours))?;
        self.received += 1;
        let mut base = if self.sent.is_empty() { Library::new() } else { self.agreed.clone() };
        self.agreed.apply(&theirs)?;
        let mut conflicts = Vec::new();
        for ours in &mut self.sent {
            let [first, last] = if self.wins { [&*ours, &theirs] } else { [&theirs, &*ours] };
            let Crossed { mut first, mut last, conflicts: found } = Crossed::new(&base, first, last)?;
            base.apply(ours)?;
            if self.wins {
                core::mem::swap(&mut first, &mut last);
            }
            (theirs, *ours) = (first, last);
            conflicts.extend(found);
        }
        Ok((theirs, conflicts))
    }
}

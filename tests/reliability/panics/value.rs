//! A user value that counts its calls and panics at one of them.

use core::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};
use hedgerow::{IntoLocal, Local, Place, Transform};
use std::io::{Read, Write};
use std::sync::Arc;

/// The message of a countdown panic.
pub(crate) const COUNTED: &str = "the countdown is over";

/// The number of calls left, including the one that panics; 0 panics at none. Threads share the count.
static LEFT: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicIsize = AtomicIsize::new(0);

/// Makes the call with this number panic.
pub(crate) fn arm(call: usize) {
    LEFT.store(call, Relaxed);
}

/// Lets all calls pass again. Returns whether the call that panics was reached.
pub(crate) fn disarm() -> bool {
    LEFT.swap(0, Relaxed) == 0
}

/// Returns the number of live values.
pub(crate) fn live() -> isize {
    LIVE.load(Relaxed)
}

/// Restarts the count of values.
pub(crate) fn forget() {
    disarm();
    LIVE.store(0, Relaxed);
}

/// Counts a call of user code.
pub(crate) fn tick() {
    let before = LEFT.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
    if before == Ok(1) {
        std::panic::panic_any(COUNTED);
    }
}

/// A number whose `Clone`, `PartialEq` and `Drop` are counted calls.
#[derive(Debug, PartialOrd)]
pub(crate) struct Value(pub(crate) u32);

impl Value {
    pub(crate) fn new(number: u32) -> Self {
        LIVE.fetch_add(1, Relaxed);
        Self(number)
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        tick();
        Self::new(self.0)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        tick();
        self.0 == other.0
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Relaxed);
        if !std::thread::panicking() {
            tick();
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        tick();
        serializer.serialize_u32(self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Value {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tick();
        u32::deserialize(deserializer).map(Self::new)
    }
}

/// A place whose conversion is a counted call.
#[derive(Clone, Copy)]
pub(crate) struct Somewhere(pub(crate) f32);

impl From<Somewhere> for Local {
    fn from(place: Somewhere) -> Self {
        tick();
        Self::Transform(Transform::from_xyz(place.0, 1.0, 0.0))
    }
}

impl IntoLocal for Somewhere {
    fn into_local(self) -> Option<Local> {
        Some(self.into())
    }
}

impl From<Somewhere> for Option<u32> {
    fn from(_: Somewhere) -> Self {
        tick();
        Some(7)
    }
}

impl From<Somewhere> for Place {
    fn from(_: Somewhere) -> Self {
        tick();
        Self::Detached
    }
}

impl From<Somewhere> for Arc<Value> {
    fn from(place: Somewhere) -> Self {
        tick();
        Self::new(Value::new(if place.0 > 1.0 { 2 } else { 1 }))
    }
}

/// Returns an iterator whose steps are counted calls.
pub(crate) fn counted<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().inspect(|_| tick())
}

/// A reader that returns a few bytes in each counted call.
#[derive(Clone)]
pub(crate) struct Slowly<'b>(pub(crate) &'b [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        tick();
        let some = buffer.len().min(97);
        self.0.read(&mut buffer[..some])
    }
}

/// A writer that takes a few bytes in each counted call.
#[derive(Default)]
pub(crate) struct Sink(pub(crate) Vec<u8>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        tick();
        let some = bytes.len().min(997);
        self.0.extend_from_slice(&bytes[..some]);
        Ok(some)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        tick();
        Ok(())
    }
}

//! Fallible allocation: lists, texts and boxes that return an error if the allocator refuses.
//!
//! Used by everything that returns [`Error::AllocationFailed`](crate::Error::AllocationFailed). All other code grows
//! its lists in the usual way, which aborts the process.

use core::ops::{Deref, DerefMut};
use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;

/// Adds a value to a list.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), TryReserveError> {
    list.try_reserve(1)?;
    list.push(value);
    Ok(())
}

/// A list with room for exactly this many values.
#[inline]
pub(crate) fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity)?;
    Ok(list)
}

/// Makes room in a list for so many values, those included that are there.
pub(crate) fn reserve_for<T>(list: &mut Vec<T>, capacity: usize) -> Result<(), TryReserveError> {
    list.try_reserve_exact(capacity.saturating_sub(list.len()))
}

/// A list of so many copies of a value.
pub(crate) fn filled<T: Copy>(len: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut list = with_capacity(len)?;
    list.resize(len, value);
    Ok(list)
}

/// A copy of a list.
pub(crate) fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>, TryReserveError> {
    let mut list = with_capacity(values.len())?;
    list.extend_from_slice(values);
    Ok(list)
}

/// A copy of a text.
pub(crate) fn text(text: &str) -> Result<Box<str>, TryReserveError> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy.into_boxed_str())
}

/// Unwraps an allocation for callers that do not return an error: aborts the process if the allocator refused, as a
/// plain list does.
#[inline]
pub(crate) fn or_abort<T>(made: Result<T, TryReserveError>) -> T {
    made.unwrap_or_else(|_| handle_alloc_error(Layout::new::<T>()))
}

/// A value in an allocation of its own: a [`Box`] that can be allocated fallibly, which the standard library's cannot
/// yet.
#[derive(Clone, Debug)]
pub(crate) struct Boxed<T>(Box<[T; 1]>);

impl<T> Boxed<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Box::new([value]))
    }

    pub(crate) fn try_new(value: T) -> Result<Self, TryReserveError> {
        let mut one = with_capacity(1)?;
        one.push(value);
        let one: Result<Box<[T; 1]>, _> = one.into_boxed_slice().try_into();
        Ok(Self(one.ok().expect("the list has one value")))
    }
}

impl<T: Default> Default for Boxed<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for Boxed<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        let [value] = &*self.0;
        value
    }
}

impl<T> DerefMut for Boxed<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        let [value] = &mut *self.0;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert!(with_capacity::<u64>(usize::MAX / 8).is_err());
        assert!(filled(usize::MAX / 2, 0_u32).is_err());
    }

    #[test]
    fn a_boxed_value_is_its_value_and_one_pointer() {
        let mut boxed = Boxed::try_new(5).unwrap();
        *boxed += 1;
        assert_eq!((*boxed, *Boxed::<u32>::default()), (6, 0));
        assert_eq!(size_of::<Option<Boxed<[u64; 9]>>>(), size_of::<usize>());
        assert_eq!(&*text("hedge").unwrap(), "hedge");
    }
}

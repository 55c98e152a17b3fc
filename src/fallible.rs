//! Fallible allocation: lists, texts and boxes that return an error if the allocator refuses.
//!
//! `try_reserve` and all code that reads bytes use it. Other code aborts the process if the allocator refuses.

pub(crate) use hedgerow_math::internal::fallible::*;

use core::ops::{Deref, DerefMut};
use std::collections::TryReserveError;

/// A [`Box`] that can be allocated fallibly, which the standard library does not offer yet.
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

impl<T: Copy> Boxed<T> {
    /// Copies a value to the heap, without a copy on the stack.
    pub(crate) fn try_copied(value: &[T; 1]) -> Result<Self, TryReserveError> {
        let mut one = with_capacity(1)?;
        one.extend_from_slice(value);
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
    fn a_boxed_value_is_its_value_and_one_pointer() {
        let mut boxed = Boxed::try_new(5).unwrap();
        *boxed += 1;
        assert_eq!((*boxed, *Boxed::<u32>::default()), (6, 0));
        assert_eq!(size_of::<Option<Boxed<[u64; 9]>>>(), size_of::<usize>());
    }
}

//! Positions among siblings.

use core::fmt;

/// A position among siblings: a multiple of 2⁻²⁰, so that a node can go between any two without touching them.
///
/// Siblings are sorted by order. Equal orders are decided by the path: the longer one first, so the definition's nodes
/// come before those of the level that uses it; then by ids.
///
/// ```
/// use hedgerow_document::Order;
///
/// let (first, second) = (Order::from(1.0), Order::from(2.0));
/// assert_eq!(Order::between(Some(first), Some(second)), Some(Order::from(1.5)));
/// assert_eq!(Order::between(Some(second), None), Some(Order::from(3.0)));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(i64);

/// The steps of an order in a whole number.
const STEPS: i64 = 1 << 20;
/// Orders stay within this many steps. Double precision holds them exactly; so does text that a parser reads with an error
/// of two units in the last place.
const MOST: i64 = 1 << 50;

impl Order {
    /// The order of a single node.
    pub const ZERO: Self = Self(0);

    /// Returns an order between two others, or one more or less than the only one; `None` if there is no room.
    #[must_use]
    pub fn between(low: Option<Self>, high: Option<Self>) -> Option<Self> {
        let [order] = Self::spread(low, high, 1)?[..] else { return None };
        Some(order)
    }

    /// Returns this many ascending orders between two others; `None` if there is no room.
    pub(crate) fn spread(low: Option<Self>, high: Option<Self>, count: usize) -> Option<Vec<Self>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let count = i64::try_from(count).ok()?;
        let (start, step) = match (low, high) {
            (None, None) => (0, STEPS),
            (Some(low), None) => (low.0.checked_add(STEPS)?, STEPS),
            (None, Some(high)) => (high.0.checked_sub(STEPS.checked_mul(count)?)?, STEPS),
            (Some(low), Some(high)) => {
                let step = (high.0 - low.0) / (count + 1);
                if step < 1 {
                    return None;
                }
                (low.0 + step, step)
            }
        };
        let last = start.checked_add(step.checked_mul(count - 1)?)?;
        (-MOST <= start && last <= MOST).then(|| (0..count).map(|number| Self(start + number * step)).collect())
    }

    /// The order of the sibling that comes next in a list.
    #[cfg(feature = "serde")]
    pub(crate) fn next(self) -> Self {
        Self((self.0 + STEPS).min(MOST))
    }

    pub(crate) const fn steps(self) -> i64 {
        self.0
    }

    pub(crate) fn of_steps(steps: i64) -> Option<Self> {
        (-MOST..=MOST).contains(&steps).then_some(Self(steps))
    }
}

/// Rounds to the nearest multiple of 2⁻²⁰, within ±2³⁰.
impl From<f64> for Order {
    #[expect(clippy::cast_possible_truncation, reason = "the number is within the range")]
    fn from(number: f64) -> Self {
        let most = MOST as f64;
        Self((number * STEPS as f64).round().clamp(-most, most) as i64)
    }
}

impl From<Order> for f64 {
    fn from(order: Order) -> Self {
        order.0 as Self / STEPS as Self
    }
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Order({})", f64::from(*self))
    }
}

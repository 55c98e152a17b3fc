//! Positions among siblings.

use core::cmp::Reverse;
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
/// let between = (f64::from(first) + f64::from(second)) / 2.0;
/// assert!(first < Order::from(between) && Order::from(between) < second);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(i64);

/// A node among its siblings: they are sorted by order, then deeper ones first, then by id. Those of one depth are of
/// one instance, since each of their instances contains their parent.
pub(crate) type Rank = (Order, Reverse<u32>, u64);

/// The steps of an order in a whole number.
const STEPS: i64 = 1 << 20;
/// Orders stay within this many steps. Double precision holds them exactly; so does text that a parser reads with an
/// error of two units in the last place.
const MOST: i64 = 1 << 50;

impl Order {
    /// The order of a single node.
    pub const ZERO: Self = Self(0);

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

/// Returns new orders for siblings in a list, by index, so that all ascend between two others.
///
/// As few as possible get one: of those with a key that is between the others, a longest ascending run keeps its
/// orders, but for ends of gaps without room. `None` if there is no room at all.
pub(crate) fn arranged(keys: &[Option<Rank>], [mut low, high]: [Option<Order>; 2]) -> Option<Vec<(usize, Order)>> {
    let (mut orders, mut start) = (Vec::new(), 0);
    for end in ascending(keys) {
        let after = keys[end].map(|(order, ..)| order);
        // Without room, the sibling at the end gets a new order, too.
        if let Some(spread) = Order::spread(low, after, end - start) {
            orders.extend((start..end).zip(spread));
            (start, low) = (end + 1, after);
        }
    }
    orders.extend((start..keys.len()).zip(Order::spread(low, high, keys.len() - start)?));
    Some(orders)
}

/// Returns the indices of a longest run of ascending keys.
fn ascending(keys: &[Option<Rank>]) -> Vec<usize> {
    // Of the runs of each length, the one with the least last key: its index, and the index before each.
    let (mut ends, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), vec![None; keys.len()]);
    for (index, key) in keys.iter().enumerate() {
        if key.is_none() {
            continue;
        }
        let length = ends.partition_point(|&end: &usize| keys[end] < *key);
        previous[index] = length.checked_sub(1).map(|before| ends[before]);
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut run: Vec<usize> = core::iter::successors(ends.last().copied(), |&index| previous[index]).collect();
    run.reverse();
    run
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

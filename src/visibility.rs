//! Where nodes are shown: visibility, layers, and ranges of distances.

use crate::Error;
use core::num::NonZeroU32;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// Whether a node and the nodes below it are shown. A node is visible if it is [`Shown`](Self::Shown), or if it
/// inherits and its parent is visible. [`Layers`] also restrict where a node is visible.
///
/// ```
/// use hedgerow::{Node, Scene, Visibility};
///
/// let mut scene = Scene::new();
/// let house = scene.insert(scene.root(), Node::group().with_visibility(Visibility::Hidden))?;
/// let outline = scene.insert(house, Node::group().with_visibility(Visibility::Shown))?;
/// let line = scene.insert(outline, Node::group())?;
/// assert_eq!([house, outline, line].map(|node| scene.get(node).unwrap().is_visible()), [false, true, true]);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Visibility {
    /// Visible if the parent is visible. The root is visible.
    #[default]
    Inherited = 0,
    /// Hidden.
    Hidden = 1,
    /// Shown, even below a hidden parent.
    Shown = 2,
}

/// The layers on which a node and everything below it are visible: a 32-bit mask, inherited by intersection.
///
/// The effective layers of a node are the intersection of its own layers and the layers of all its ancestors; a
/// [hidden](Visibility) node has none. A node without layers of its own has the layers of its parent.
///
/// Masks are joined with `|`, intersected with `&`, and inverted with `!`.
///
/// ```
/// use hedgerow::Layers;
///
/// const WORLD: Layers = Layers::new(1);
/// const MAP: Layers = Layers::new(2);
/// let both = WORLD | MAP;
/// assert_eq!(both.mask(), 3);
/// assert_eq!(both & !MAP, WORLD);
/// let mut all = WORLD;
/// all |= MAP;
/// assert_eq!(all, both);
/// assert!(both.intersects(MAP) && !WORLD.intersects(MAP) && (WORLD & MAP).is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Layers(u32);

impl Layers {
    /// All layers.
    pub const ALL: Self = Self(u32::MAX);
    /// No layer.
    pub const NONE: Self = Self(0);

    /// Creates the layers whose bits are set in `mask`.
    #[inline]
    #[must_use]
    pub const fn new(mask: u32) -> Self {
        Self(mask)
    }

    /// Returns the mask of layers.
    #[inline]
    #[must_use]
    pub const fn mask(self) -> u32 {
        self.0
    }

    /// Returns whether there is no layer.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the masks have a layer in common.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Layers {
    type Output = Self;

    /// Returns the layers of either mask.
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Layers {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Layers {
    type Output = Self;

    /// Returns the layers that both masks have.
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Layers {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl Not for Layers {
    type Output = Self;

    /// Returns all other layers.
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The distances from which a node and everything below it are listed: see
/// [`Node::view_range`](crate::Node::view_range).
///
/// ```
/// let range = hedgerow::ViewRange::new(10.0, 50.0)?;
/// assert_eq!((range.near(), range.far()), (10.0, 50.0));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(f32, Option<f32>)", into = "(f32, Option<f32>)"))]
pub struct ViewRange {
    near: f32,
    /// The far end as bits, so that an `Option` takes no more bytes.
    far: NonZeroU32,
}

impl ViewRange {
    /// The value of free entries in side data.
    pub(crate) const UNSET: Self = Self { near: 0.0, far: NonZeroU32::MAX };

    /// Creates the range of distances from `near` to less than `far`, which may be infinite.
    ///
    /// # Errors
    /// [`Error::InvalidDistances`] unless `near` is finite, at least 0 and less than `far`.
    pub fn new(near: f32, far: f32) -> Result<Self, Error> {
        let bits = NonZeroU32::new(far.to_bits()).filter(|_| near >= 0.0 && near.is_finite() && near < far);
        let refused =
            Error::InvalidDistances("the near end of a range must be finite and at least 0, the far end greater");
        // Adding 0.0 turns −0.0 into 0.0.
        bits.map(|far| Self { near: near + 0.0, far }).ok_or(refused)
    }

    /// Returns the range with these ends, if [`Self::ends`] can return them.
    pub(crate) fn of_ends([near, far]: [f32; 2]) -> Option<Self> {
        Self::new(near, far).ok().filter(|_| near.is_sign_positive())
    }

    pub(crate) const fn ends(self) -> [f32; 2] {
        [self.near(), self.far()]
    }

    /// Returns the least distance.
    #[must_use]
    pub const fn near(self) -> f32 {
        self.near
    }

    /// Returns the distance at which the range ends.
    #[must_use]
    pub const fn far(self) -> f32 {
        f32::from_bits(self.far.get())
    }
}

impl TryFrom<(f32, Option<f32>)> for ViewRange {
    type Error = Error;

    fn try_from((near, far): (f32, Option<f32>)) -> Result<Self, Error> {
        Self::new(near, far.unwrap_or(f32::INFINITY))
    }
}

impl From<ViewRange> for (f32, Option<f32>) {
    fn from(range: ViewRange) -> Self {
        (range.near(), Some(range.far()).filter(|far| far.is_finite()))
    }
}

//! Arithmetic in either precision.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// f32, in which the engine computes, or f64.
pub(crate) trait Real:
    Copy
    + Sync
    + PartialOrd
    + Debug
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The largest number below 1.
    const BELOW_ONE: Self;

    /// The nearest number.
    fn of(value: f64) -> Self;

    /// The same number.
    fn wide(self) -> f64;

    /// The square root, correctly rounded.
    fn root(self) -> Self;

    /// Towards zero; what an i32 cannot hold becomes its nearest end.
    fn truncated(self) -> i32;

    /// This, or `least` where it is less.
    fn at_least(self, least: Self) -> Self {
        if self < least { least } else { self }
    }

    /// This, or `most` where it is more.
    fn at_most(self, most: Self) -> Self {
        if self > most { most } else { self }
    }

    /// 0.
    fn zero() -> Self {
        Self::of(0.0)
    }

    /// 1.
    fn one() -> Self {
        Self::of(1.0)
    }

    /// To the nearest whole number, halves away from zero.
    fn rounded(self) -> i32 {
        let half = Self::of(if self < Self::zero() { -0.5 } else { 0.5 });
        (self + half).truncated()
    }
}

macro_rules! real {
    ($type:ty) => {
        impl Real for $type {
            const BELOW_ONE: Self = 1.0 - <$type>::EPSILON / 2.0;

            fn of(value: f64) -> Self {
                value as Self
            }

            fn wide(self) -> f64 {
                f64::from(self)
            }

            fn root(self) -> Self {
                self.sqrt()
            }

            fn truncated(self) -> i32 {
                self as i32
            }
        }
    };
}

real!(f32);
real!(f64);

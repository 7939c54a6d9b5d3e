//! Numbers compared and cut without questions about NaN, as vectors do it.

/// Unlike `f32::max` and `min`, these ask nothing about NaN and are one instruction each.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

#[inline(always)]
pub(crate) fn between(value: f32, least: f32, most: f32) -> f32 {
    larger(smaller(value, most), least)
}

/// Truncates to whole numbers, like `as`, but two instructions instead of many.
#[inline(always)]
pub(crate) fn whole(value: f32) -> i32 {
    /// The largest f32 below 2³¹.
    const MOST: f32 = 2_147_483_520.0;
    let value = larger(-MOST, smaller(MOST, value));
    #[expect(unsafe_code, reason = "`as` looks for values that are not there")]
    // SAFETY: both return their first value where the second is NaN, and neither lets what is out of bounds through.
    unsafe {
        value.to_int_unchecked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_those_of_the_language() {
        for value in [0.0, -0.9, 1.5, -2.5, 8e8, -8e8, 2_147_483_520.0] {
            assert_eq!(whole(value), value as i32);
        }
        // Beyond the range they end at the last f32 in it; what is not a number is as good as any.
        assert_eq!(whole(f32::INFINITY), 2_147_483_520);
        assert_eq!(whole(-3e9), -2_147_483_520);
        let _ = whole(f32::NAN);
    }
}

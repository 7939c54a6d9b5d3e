//! Quantities as 16-bit integers.

use crate::{GeotiffError, Statistics};
use std::path::Path;

/// The largest integer that stands for a value; the one above it marks nodata.
const TOP: f64 = 65_534.0;

/// How integers stand for quantities: `value = offset + step × integer`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// What 1 is worth.
    pub step: f64,
    /// What 0 stands for: a multiple of the step, so that maps of the same step share their values.
    pub offset: f64,
}

impl Steps {
    /// The integer that marks nodata.
    pub const NODATA: u16 = u16::MAX;

    /// Steps that take in all values of a layer.
    ///
    /// # Errors
    /// When their range has more than 65,534 steps.
    pub(crate) fn of(
        path: &Path,
        step: f64,
        statistics: Option<&Statistics>,
    ) -> Result<Self, GeotiffError> {
        let (minimum, maximum) = statistics.map_or((0.0, 0.0), |s| (s.minimum, s.maximum));
        let offset = (minimum / step).floor() * step;
        let levels = ((maximum - offset) / step).round();
        if (0.0..=TOP).contains(&levels) {
            return Ok(Self { step, offset });
        }
        // One level is lost where the range does not begin at a multiple.
        let least = (maximum - minimum) / (TOP - 1.0);
        let digit = 10_f64.powi(least.log10().floor() as i32 - 1);
        Err(GeotiffError::Step {
            path: path.to_owned(),
            step,
            minimum,
            maximum,
            least: (least / digit).ceil() * digit,
        })
    }

    /// The integer next to a value.
    #[must_use]
    pub fn stored(&self, value: f32) -> u16 {
        ((f64::from(value) - self.offset) / self.step).round() as u16
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn over(minimum: f64, maximum: f64) -> Statistics {
        Statistics {
            minimum,
            maximum,
            mean: 0.0,
            standard_deviation: 0.0,
            valid_cells: 2,
        }
    }

    #[test]
    fn values_come_back_to_within_half_a_step() {
        let steps = Steps::of(Path::new("a.tif"), 0.25, Some(&over(-3.1, 16_000.0))).unwrap();
        assert_eq!(steps.offset, -3.25);
        for value in [-3.1_f32, 0.0, 7.13, 15_999.9, 16_000.0] {
            let back = steps.offset + steps.step * f64::from(steps.stored(value));
            assert!((back - f64::from(value)).abs() <= 0.125, "{value} {back}");
        }
    }

    #[test]
    fn a_range_beyond_16_bits_is_refused_with_a_step_that_does() {
        let wide = over(-500.3, 8800.0);
        let error = Steps::of(Path::new("a.tif"), 0.01, Some(&wide)).unwrap_err();
        let GeotiffError::Step { least, .. } = error else {
            panic!("{error}");
        };
        assert!((0.1..0.2).contains(&least), "{least}");
        Steps::of(Path::new("a.tif"), least, Some(&wide)).unwrap();
    }
}

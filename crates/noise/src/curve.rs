//! Monotone cubic interpolation.

/// A curve through points that never overshoots them: Fritsch & Carlson (1980, doi:10.1137/0717021), with the harmonic
/// means of neighbouring slopes as tangents (Brodlie), level at both ends and outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    points: Vec<[f32; 2]>,
    tangents: Vec<f32>,
}

impl Curve {
    /// Through at least one point, ascending in the first number.
    pub(crate) fn new(points: &[[f64; 2]]) -> Self {
        let slopes: Vec<f64> = points
            .windows(2)
            .map(|pair| (pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0]))
            .collect();
        let inner = slopes.windows(2).map(|pair| harmonic(pair[0], pair[1]));
        let mut tangents = vec![0.0];
        tangents.extend(inner.map(|t| t as f32));
        tangents.push(0.0);
        Self {
            points: points.iter().map(|point| point.map(|v| v as f32)).collect(),
            tangents,
        }
    }

    pub(crate) fn at(&self, v: f32) -> f32 {
        let above = self.points.iter().position(|point| v < point[0]);
        let Some(above) = above else {
            return self.points.last().map_or(v, |point| point[1]);
        };
        let Some(below) = above.checked_sub(1) else {
            return self.points[0][1];
        };
        let ([x0, y0], [x1, y1]) = (self.points[below], self.points[above]);
        let width = x1 - x0;
        let t = (v - x0) / width;
        let (rise, [m0, m1]) = (
            y1 - y0,
            [self.tangents[below], self.tangents[above]].map(|m| m * width),
        );
        // Hermite's cubic from (0, 0) to (1, rise).
        let bend = t * ((m0 + m1 - 2.0 * rise) * t + (3.0 * rise - 2.0 * m0 - m1)) + m0;
        let (low, high) = if y0 < y1 { (y0, y1) } else { (y1, y0) };
        (y0 + t * bend).clamp(low, high)
    }

    /// The least and the largest value for arguments within an interval.
    pub(crate) fn range(&self, of: [f64; 2]) -> [f64; 2] {
        let inside = self
            .points
            .iter()
            .filter(|point| (of[0]..=of[1]).contains(&f64::from(point[0])));
        let ends = of.map(|v| self.at(v as f32));
        inside
            .map(|point| point[1])
            .chain(ends)
            .map(f64::from)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |r, v| {
                [r[0].min(v), r[1].max(v)]
            })
    }
}

fn harmonic(a: f64, b: f64) -> f64 {
    if a * b > 0.0 {
        2.0 * a * b / (a + b)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::Curve;

    /// Hermite's cubic by hand: from (0, 0) with slope 0 to (1, 1) with slope 2·1·3 ÷ 4 = 1.5, at ½: ½ − 1.5 ÷ 8.
    #[test]
    fn a_curve_goes_through_its_points_and_is_level_outside() {
        let curve = Curve::new(&[[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]]);
        for (v, expected) in [
            (-1.0, 0.0),
            (0.0, 0.0),
            (0.5, 0.3125),
            (1.0, 1.0),
            (2.0, 4.0),
            (9.0, 4.0),
        ] {
            assert!(
                (curve.at(v) - expected).abs() < 1e-6,
                "{v}: {}",
                curve.at(v)
            );
        }
        let [low, high] = curve.range([-5.0, 1.0]);
        assert!(low.abs() < 1e-6 && (high - 1.0).abs() < 1e-6);
    }

    #[test]
    fn it_rises_where_its_points_rise_and_stays_between_them() {
        let points = [
            [-1.0, -3.0],
            [-0.9, 0.0],
            [0.3, 0.01],
            [0.31, 5.0],
            [1.0, 4.0],
        ];
        let curve = Curve::new(&points);
        let mut last = f32::NEG_INFINITY;
        for i in 0..=2000 {
            let v = -1.0 + i as f32 * 1e-3;
            let value = curve.at(v);
            assert!(v > 0.31 || value >= last - 1e-6, "{v}");
            assert!((-3.0..=5.0).contains(&value));
            last = value;
        }
    }
}

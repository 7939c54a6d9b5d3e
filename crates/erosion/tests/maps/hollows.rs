//! Ground for lakes.

/// Hills with hollows of many sizes: heights, m, by row and column.
pub(crate) fn hollows(row: f64, col: f64) -> f64 {
    let wave = |a: f64, b: f64, length: f64| libm::sin((a * row + b * col) / length);
    200.0
        + 40.0 * wave(1.0, 0.3, 17.0) * wave(-0.4, 1.0, 23.0)
        + 12.0 * wave(0.7, -0.9, 5.3)
        + 4.0 * wave(0.2, 1.0, 1.9)
}

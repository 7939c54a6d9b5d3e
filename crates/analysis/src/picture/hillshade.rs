use crate::AnalysisError;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, Axis};

/// Where the light of a hillshade comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hillshade {
    /// Direction of the light, degrees clockwise from north.
    pub azimuth_deg: f64,
    /// Height of the light over the horizon, degrees, 0 to 90.
    pub altitude_deg: f64,
    /// Vertical exaggeration.
    pub z_factor: f64,
}

impl Default for Hillshade {
    fn default() -> Self {
        Self {
            azimuth_deg: 315.0,
            altitude_deg: 45.0,
            z_factor: 1.0,
        }
    }
}

impl Hillshade {
    /// Whether every parameter is in its range.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`] names the first that is not.
    pub fn check(&self) -> Result<(), AnalysisError> {
        let require = |name, expected, found: f64, fits| match fits {
            true => Ok(()),
            false => Err(AnalysisError::Parameter {
                name,
                expected,
                found,
            }),
        };
        let azimuth = (0.0..=360.0).contains(&self.azimuth_deg);
        require("azimuth_deg", "0 to 360", self.azimuth_deg, azimuth)?;
        let altitude = (0.0..=90.0).contains(&self.altitude_deg);
        require("altitude_deg", "0 to 90", self.altitude_deg, altitude)?;
        let z_factor = self.z_factor.is_finite() && self.z_factor > 0.0;
        require("z_factor", "a positive number", self.z_factor, z_factor)
    }
}

/// Shaded relief of `elevation`, m, on cells of `cell_size_m`, as `gdaldem hillshade` makes it: 1 in shadow to
/// 255 in full light, 0 where there is no data (`valid` is false, or the elevation is not finite).
///
/// The light falls on the gradient of Horn (1981, doi:10.1109/PROC.1981.11918). Where a neighbour is missing, at
/// the map's edge or beside cells without data, the ground goes on as on the opposite side (level, where that is
/// missing too), so that the rim is shaded and a plane is shaded evenly; `gdaldem` leaves such cells blank unless
/// told to compute edges. Sine and cosine are the `libm` crate's: the same bytes on every platform.
///
/// # Errors
/// When a parameter is out of range.
///
/// # Panics
/// When the mask's shape is not the elevation's.
pub fn hillshade(
    elevation: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
    cell_size_m: f64,
    light: &Hillshade,
) -> Result<Array2<u8>, AnalysisError> {
    let shading = Shading::new(elevation, valid, cell_size_m, light)?;
    let mut shades = Array2::zeros(elevation.dim());
    let rows = shades.axis_iter_mut(Axis(0)).into_par_iter().enumerate();
    rows.for_each(|(row, mut shades)| {
        for (col, shade) in shades.iter_mut().enumerate() {
            *shade = shading.shade(row, col);
        }
    });
    Ok(shades)
}

/// Ground under a light.
pub(crate) struct Shading<'a> {
    ground: Ground<'a>,
    shader: Shader,
}

/// The light on one cell.
pub(crate) struct Lit {
    /// Times as much as on level ground.
    pub(crate) over_level: f64,
    /// How much of it is mirrored straight up, 0 to 1.
    pub(crate) mirrored: f64,
}

impl<'a> Shading<'a> {
    /// Checks the light, and works out of it what cells have in common.
    ///
    /// # Errors
    /// When a parameter is out of range.
    ///
    /// # Panics
    /// When the mask's shape is not the elevation's.
    pub(crate) fn new(
        elevation: ArrayView2<'a, f32>,
        valid: Option<ArrayView2<'a, bool>>,
        cell_size_m: f64,
        light: &Hillshade,
    ) -> Result<Self, AnalysisError> {
        light.check()?;
        if let Some(mask) = &valid {
            assert_eq!(mask.dim(), elevation.dim(), "mask and elevation");
        }
        Ok(Self {
            ground: Ground { elevation, valid },
            shader: Shader::new(light, cell_size_m),
        })
    }

    /// 1 to 255, or 0 without data.
    fn shade(&self, row: usize, col: usize) -> u8 {
        self.ground.gradient(row, col).map_or(0, |sum| {
            let cosine = self.shader.cosine(self.shader.light, sum);
            // 1 ≤ value ≤ 255.5: the cast cuts off, so this rounds.
            (1.0 + 254.0 * cosine + 0.5) as u8
        })
    }

    /// The light on a cell; none without data.
    pub(crate) fn lit(&self, row: usize, col: usize) -> Option<Lit> {
        let sum = self.ground.gradient(row, col)?;
        // Under a light at the horizon everything would be light years brighter than level ground.
        let level = self.shader.light[2].max(0.05);
        let mirrored = self.shader.cosine(self.shader.half_way, sum);
        Some(Lit {
            over_level: self.shader.cosine(self.shader.light, sum) / level,
            // To the power of 32.
            mirrored: (0..5).fold(mirrored, |power, _| power * power),
        })
    }
}

struct Ground<'a> {
    elevation: ArrayView2<'a, f32>,
    valid: Option<ArrayView2<'a, bool>>,
}

impl Ground<'_> {
    /// The elevation of the cell `(down, right)` of `(row, col)`, if it holds data.
    fn at(&self, row: usize, col: usize, down: isize, right: isize) -> Option<f64> {
        let cell = (
            row.checked_add_signed(down)?,
            col.checked_add_signed(right)?,
        );
        let elevation_m = *self.elevation.get(cell)?;
        let valid = self.valid.as_ref().is_none_or(|mask| mask[cell]);
        (valid && elevation_m.is_finite()).then(|| f64::from(elevation_m))
    }

    /// Horn's weighted sums of differences, m: 8 cell sizes times the rise to the east and to the south.
    fn gradient(&self, row: usize, col: usize) -> Option<[f64; 2]> {
        let centre = self.at(row, col, 0, 0)?;
        let along = |down: isize, right: isize| {
            let opposite = || self.at(row, col, -down, -right).map(|e| 2.0 * centre - e);
            self.at(row, col, down, right)
                .or_else(opposite)
                .unwrap_or(centre)
        };
        let [north, south, west, east] = [along(-1, 0), along(1, 0), along(0, -1), along(0, 1)];
        // A missing corner lies in the plane of its two sides and the centre.
        let corner =
            |down, right, a: f64, b: f64| self.at(row, col, down, right).unwrap_or(a + b - centre);
        let nw = corner(-1, -1, north, west);
        let ne = corner(-1, 1, north, east);
        let sw = corner(1, -1, south, west);
        let se = corner(1, 1, south, east);
        let eastward = (ne + 2.0 * east + se) - (nw + 2.0 * west + sw);
        let southward = (sw + 2.0 * south + se) - (nw + 2.0 * north + ne);
        Some([eastward, southward])
    }
}

/// The light, worked out once.
struct Shader {
    /// Unit vector towards the light: east, south, up.
    light: [f64; 3],
    /// Half-way between that and straight up, likewise.
    half_way: [f64; 3],
    /// From Horn's sums to slopes, exaggeration included.
    per_sum: f64,
}

impl Shader {
    fn new(light: &Hillshade, cell_size_m: f64) -> Self {
        let (azimuth, altitude) = (
            light.azimuth_deg.to_radians(),
            light.altitude_deg.to_radians(),
        );
        let level = libm::cos(altitude);
        let per_sum = light.z_factor / (8.0 * cell_size_m);
        let light = [
            libm::sin(azimuth) * level,
            -libm::cos(azimuth) * level,
            libm::sin(altitude),
        ];
        let [east, south, up] = [light[0], light[1], light[2] + 1.0];
        let length = (east * east + south * south + up * up).sqrt();
        Self {
            light,
            half_way: [east, south, up].map(|part| part / length),
            per_sum,
        }
    }

    /// Cosine of the angle between a direction and the ground's normal, 0 to 1.
    fn cosine(&self, direction: [f64; 3], sum: [f64; 2]) -> f64 {
        let [east, south] = sum.map(|s| s * self.per_sum);
        let towards = direction[2] - direction[0] * east - direction[1] * south;
        (towards / (1.0 + east * east + south * south).sqrt()).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests;

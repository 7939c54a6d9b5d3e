//! How a run deals with what is there already, and what it keeps on its way.

use crate::plan::Plan;
use std::time::Duration;

/// How a run deals with what is there already, and what it keeps on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mode {
    /// Whether existing results and checkpoints may be replaced.
    pub overwrite: bool,
    /// Whether to go on from the folder's checkpoint.
    pub resume: bool,
    /// When checkpoints are written.
    pub checkpoints: Every,
}

/// When checkpoints are written, besides after each stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Every {
    /// Every five minutes in runs that go on from one, and in those that will take more than ten.
    #[default]
    Auto,
    /// None at all.
    Never,
    /// After the first cycle that ends when so much time has gone since the one before.
    Time(Duration),
}

/// The time between two checkpoints, where nobody says otherwise.
const FIVE_MINUTES: Duration = Duration::from_secs(300);
/// A run that takes longer, s, is worth checkpoints.
const LONG_S: f64 = 600.0;

impl Mode {
    /// The time between two checkpoints; none: they are off.
    #[must_use]
    pub fn interval(&self, plan: &Plan) -> Option<Duration> {
        match self.checkpoints {
            Every::Never => None,
            Every::Time(time) => Some(time),
            Every::Auto => (self.resume || plan.estimate.time_s > LONG_S).then_some(FIVE_MINUTES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Options;
    use std::path::Path;

    #[test]
    fn checkpoints_are_on_in_long_runs_and_where_one_goes_on() {
        let plan = |cells| {
            let text = format!(
                "{{ thalweg: 1, name: a, grid: {{ rows: {cells}, cols: {cells}, cell_size_m: 10 }}, stages: [
                 {{ synthesize: {{ id: base, elevation_m: [0, 9], noise: {{ constant: 0 }} }} }}, {{ erode: {{ id: b }} }} ],
                 outputs: [ {{ layer: elevation, path: a.tif }} ] }}"
            );
            let pipeline = crate::parse(&text, Path::new("a.yaml"), &[]).unwrap();
            Plan::new(pipeline, &Options::default()).unwrap()
        };
        let (short, long) = (plan(100), plan(20_000));
        let plain = Mode::default();
        assert_eq!(plain.interval(&short), None);
        assert_eq!(plain.interval(&long), Some(FIVE_MINUTES));
        let resume = Mode {
            resume: true,
            ..plain
        };
        assert_eq!(resume.interval(&short), Some(FIVE_MINUTES));
        let never = Mode {
            checkpoints: Every::Never,
            ..resume
        };
        assert_eq!(never.interval(&long), None);
    }
}

//! The ground of a `synthesize` stage at several moments. Only one frame is in memory at a time.

use super::Writer;
use super::picture::{is_png, refused};
use crate::error::PipelineError;
use crate::hash;
use crate::plan::{Step, Target, Work};
use crate::record::OutputRecord;
use crate::run::{RunObserver, noise_error};
use crate::spec;
use ndarray::{Array2, Array3};
use std::io;
use thalweg_analysis::{Look, colour, png};
use thalweg_grid::{Grid, Observer, StageKey};
use thalweg_noise as noise;

impl Writer<'_> {
    pub(super) fn film(
        &self,
        target: &Target,
        film: &spec::Film,
    ) -> Result<OutputRecord, PipelineError> {
        let Some(step) = self.plan.steps.first() else {
            return Err(super::missing(film.layer, &target.path));
        };
        let Work::Synthesize {
            noise,
            elevation_m,
            range,
        } = &step.work
        else {
            return Err(super::missing(film.layer, &target.path));
        };
        let grid = &self.plan.grid;
        let key = StageKey::new(self.plan.seed, &step.id);
        let observer = &Quiet(self.observer);
        let made = noise::Film::new(noise, grid, *elevation_m, *range, key, observer)
            .map_err(|error| noise_error(step, error))?;
        let look = film
            .look(*elevation_m)
            .map_err(|error| refused("film", &target.path, &error))?;
        let frames = Frames {
            step,
            film,
            made,
            look,
            grid,
            observer,
            hash: hash::Frames::default(),
            failure: None,
        };
        self.frames(target, film, frames)
    }

    fn frames(
        &self,
        target: &Target,
        film: &spec::Film,
        mut frames: Frames<'_>,
    ) -> Result<OutputRecord, PipelineError> {
        let written = match (spec::digits(&target.path) > 0, is_png(&target.path)) {
            (true, _) => self.numbered_files(target, film, &mut frames),
            (false, true) => self.animated(target, film, &mut frames),
            (false, false) => self.bands(target, film, &mut frames),
        };
        // What stopped the writer says more than that it was stopped.
        let bytes = match frames.failure {
            Some(failure) => return Err(failure),
            None => written?,
        };
        let content = serde_json::json!({ "film": film });
        Ok(self.record(target, content, &frames.hash, bytes))
    }

    fn numbered_files(
        &self,
        target: &Target,
        film: &spec::Film,
        frames: &mut Frames<'_>,
    ) -> Result<u64, PipelineError> {
        let mut bytes = 0;
        for frame in 0..film.frames {
            let path = spec::numbered(&target.path, frame);
            let Some(pixels) = frames.picture(frame) else {
                break;
            };
            bytes += self.colour_file(&path, target, &pixels)?;
        }
        Ok(bytes)
    }

    fn animated(
        &self,
        target: &Target,
        film: &spec::Film,
        frames: &mut Frames<'_>,
    ) -> Result<u64, PipelineError> {
        let file = self.folder.path.join(&target.path);
        let shape = self.plan.grid.shape;
        self.world_file(&file)?;
        self.atomic(&file, |out| {
            // Noise is everywhere: there is no opacity.
            let dim = (shape.rows, shape.cols, 3);
            let mut writer =
                png::Film::new(out, dim, film.frames, film.shown_s()).map_err(io::Error::other)?;
            for frame in 0..film.frames {
                let pixels = frames
                    .picture(frame)
                    .ok_or_else(|| io::Error::other("stopped"))?;
                writer.add(pixels.view()).map_err(io::Error::other)?;
            }
            writer.finish().map_err(io::Error::other)
        })?;
        Ok(super::size(&file))
    }

    /// Elevations, not colours, as bands of one file.
    fn bands(
        &self,
        target: &Target,
        film: &spec::Film,
        frames: &mut Frames<'_>,
    ) -> Result<u64, PipelineError> {
        let times_s: Vec<f64> = (0..film.frames).map(|frame| film.time_s(frame)).collect();
        let bytes = thalweg_geotiff::write_film(
            &self.folder.path.join(&target.path),
            &self.plan.grid,
            &thalweg_geotiff::Film {
                layer: film.layer,
                times_s: &times_s,
                format: target.format.as_ref().unwrap_or(&thalweg_geotiff::GTIFF),
            },
            &mut |frame| frames.ground(u32::try_from(frame).ok()?),
            self.provenance,
            self.folder.replace,
        )
        .map_err(PipelineError::Write)?;
        self.folder.published();
        Ok(bytes)
    }
}

/// Frames as they are made, and what became of them.
struct Frames<'a> {
    step: &'a Step,
    film: &'a spec::Film,
    made: noise::Film<'a>,
    look: Look,
    grid: &'a Grid,
    observer: &'a dyn Observer,
    hash: hash::Frames,
    /// Why there are no more.
    failure: Option<PipelineError>,
}

impl Frames<'_> {
    /// The elevation of a frame as it is stored in a band.
    fn ground(&mut self, frame: u32) -> Option<Array2<f32>> {
        let ground = self.elevation(frame)?;
        self.hash.add(ground.iter().copied(), f32::to_le_bytes);
        Some(ground)
    }

    fn picture(&mut self, frame: u32) -> Option<Array3<u8>> {
        let ground = self.elevation(frame)?;
        let light = (ground.view(), self.grid.cell_size_m);
        match colour(ground.view(), None, light, &self.look) {
            Ok(pixels) => {
                self.hash.add(pixels.iter().copied(), |level| [level]);
                Some(pixels)
            }
            Err(error) => self.failed(refused("film", self.step.id.as_ref(), &error)),
        }
    }

    fn elevation(&mut self, frame: u32) -> Option<Array2<f32>> {
        match self.made.frame(self.film.time_s(frame), self.observer) {
            Ok(ground) => Some(ground),
            Err(error) => self.failed(noise_error(self.step, error)),
        }
    }

    fn failed<T>(&mut self, failure: PipelineError) -> Option<T> {
        self.failure = Some(failure);
        None
    }
}

/// A run's observer that is asked whether to stop, and told nothing: a frame is no stage.
struct Quiet<'a>(&'a dyn RunObserver);

impl Observer for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

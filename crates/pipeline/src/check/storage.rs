//! Whether outputs can be stored in the formats that they name.

use super::{Checker, output_path};
use crate::lower;
use crate::problem::Problem;
use crate::spec::{Compress, Content, Output};
use std::path::Path;
use thalweg_geotiff::GeotiffError;
use thalweg_grid::Layer;

impl Checker<'_> {
    pub(super) fn storage(&mut self, index: usize, output: &Output, content: &Content) {
        let Some(format) = lower::format(output, 1) else {
            for key in output.storage_keys() {
                let problem = Problem::new(format!("`{key}` is for rasters that GDAL stores"))
                    .help("leave it out, or let the path of a picture or film end in .tif");
                self.at(&output_path(index, &[key]), problem);
            }
            return;
        };
        if let Some((key, problem)) = unfit(output, content) {
            return self.at(&output_path(index, &[key]), problem);
        }
        if let Err(GeotiffError::Format { key, message }) = format.check(cells(output, content)) {
            // Where the user chose nothing, the path is to blame least of all.
            let key = if output.storage_keys().contains(&key) {
                key
            } else {
                "path"
            };
            self.at(&output_path(index, &[key]), Problem::new(message));
        }
    }
}

/// What type of numbers the output's cells are, in GDAL's words.
fn cells(output: &Output, content: &Content) -> &'static str {
    match content {
        Content::Layer(Layer::LakeId) => "UInt32",
        Content::Layer(_) if output.step_m.is_some() => "UInt16",
        Content::Layer(_) => "Float32",
        // Elevations, or colours where frames have files of their own.
        Content::Film(_) if crate::spec::digits(Path::new(&output.path)) == 0 => "Float32",
        _ => "Byte",
    }
}

/// Keys that do not go together.
fn unfit(output: &Output, content: &Content) -> Option<(&'static str, Problem)> {
    let lerc = output.compress == Some(Compress::Lerc);
    let problem = |key, message: &str, help: &str| Some((key, Problem::new(message).help(help)));
    if !output.is_tiff() {
        let key = ["compress", "max_error"]
            .into_iter()
            .find(|key| output.storage_keys().contains(key));
        if let Some(key) = key {
            let message = format!("`{key}` is for the formats cog and gtiff");
            return problem(key, &message, "give the driver its own in `options`");
        }
    }
    match (lerc, output.max_error) {
        (true, None) => {
            return problem(
                "compress",
                "lerc needs `max_error`",
                "add `max_error: 0.01`, in the layer's unit",
            );
        }
        (false, Some(_)) => {
            return problem(
                "max_error",
                "only lerc has an error",
                "add `compress: lerc`, or leave `max_error` out",
            );
        }
        _ => {}
    }
    if lerc && matches!(content, Content::Picture(_)) {
        return problem(
            "compress",
            "colours have no error in a layer's unit",
            "use deflate, zstd or none",
        );
    }
    if let Some(key) = ["step_m", "max_error"]
        .into_iter()
        .find(|key| output.storage_keys().contains(key))
    {
        let layer = match content {
            Content::Layer(layer) => Some(*layer),
            _ => None,
        };
        if let Some(layer) = layer.filter(|layer| *layer == Layer::LakeId) {
            let message = format!("`{key}` would change the numbers of `{layer}`");
            return problem(key, &message, "leave it out");
        }
        if key == "step_m" && layer.is_none_or(|layer| layer.unit() != "m") {
            return problem(
                key,
                "only layers in metres have a step in metres",
                "leave it out, or use `compress: lerc` and `max_error`",
            );
        }
        if key == "step_m" && lerc {
            return problem(key, "`step_m` and lerc both round", "leave one of them out");
        }
    }
    None
}

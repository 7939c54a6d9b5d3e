//! Writes a raster as a cloud-optimised GeoTIFF and tells how long the writing took: `cog IN OUT.tif [THREADS]`.

use std::path::Path;
use std::time::Instant;
use thalweg_geotiff::{Band, Format, Provenance, Request, read, write};
use thalweg_grid::Layer;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (from, to, threads) = match arguments.as_slice() {
        [from, to] => (from, to, 1),
        [from, to, threads] => (from, to, threads.parse()?),
        _ => return Err("usage: cog IN OUT.tif [THREADS]".into()),
    };
    let reading = read(Path::new(from), &Request::default())?;
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION"),
        pipeline: "copy",
        seed: 0,
    };
    let format = Format {
        threads,
        ..Format::cog()
    };
    let band = Band::float(Layer::Elevation, &reading.elevation).with_format(&format);
    let valid = reading.valid.as_ref().map(|mask| mask.view());
    let started = Instant::now();
    let written = write(
        Path::new(to),
        &reading.grid,
        &band,
        valid,
        &provenance,
        true,
    )?;
    let mut out = std::io::stdout();
    let seconds = started.elapsed().as_secs_f64();
    std::io::Write::write_fmt(
        &mut out,
        format_args!("{seconds:.2} s, {} bytes\n", written.bytes),
    )?;
    Ok(())
}

use super::*;
use crate::plan::Options;
use std::sync::atomic::{AtomicU32, Ordering};

const TEXT: &str = "\
thalweg: 1
name: hills
seed: 9
grid: { rows: 20, cols: 33, cell_size_m: 10 }
stages:
  - synthesize:
      id: base
      elevation_m: [-50, 1500]
      noise: { fbm: { wavelength_m: 300, octaves: 3 } }
outputs:
  - { layer: elevation, path: dem.tif }
  - { hillshade: {}, path: shade.png }
";

fn plan(out: &Path) -> Plan {
    let pipeline = crate::parse(TEXT, Path::new("hills.yaml"), &[]).unwrap();
    Plan::new(
        pipeline,
        &Options {
            out: Some(out.to_owned()),
            threads: 1,
        },
    )
    .unwrap()
}

struct Silent;
impl RunObserver for Silent {}

/// Stops at the n-th question.
struct StopAt(AtomicU32);
impl RunObserver for StopAt {
    fn cancelled(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) <= 1
    }
}

#[test]
fn the_recorded_hash_is_that_of_the_pixels_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(plan(&folder.path().join("a")), &Mode::default(), &Silent).unwrap();
    assert_eq!(outcome.violations, Vec::<String>::new());
    let record: serde_json::Value = serde_json::from_str(&outcome.record).unwrap();
    let pixels = thalweg_geotiff::read(&outcome.files[0], &thalweg_geotiff::Request::of_band(1))
        .unwrap()
        .elevation;
    let bytes: Vec<u8> = pixels
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    assert_eq!(bytes.len(), 20 * 33 * 4);
    assert_eq!(
        record["outputs"][0]["pixels_blake3"],
        blake3::hash(&bytes).to_hex().as_str()
    );
}

#[test]
fn a_run_that_is_cancelled_is_never_taken_for_complete() {
    for question in 1..5 {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a");
        let error = run(
            plan(&out),
            &Mode::default(),
            &StopAt(AtomicU32::new(question)),
        )
        .unwrap_err();
        assert!(matches!(error, PipelineError::Interrupted), "{error}");
        assert!(!record_path(&out).exists());
        // The next run is not in its own way.
        let outcome = run(plan(&out), &Mode::default(), &Silent).unwrap();
        assert!(record_path(&outcome.folder).exists());
    }
}

const FILM: &str = "\
thalweg: 1
name: flames
seed: 9
grid: { rows: 20, cols: 33, cell_size_m: 10, crs: EPSG:32633, origin_m: [500000, 5200000] }
stages:
  - synthesize:
      id: base
      elevation_m: [0, 100]
      range: theoretical
      noise: { simplex: { wavelength_m: 150, evolution: { change_s: 2, loop_s: 2 } } }
outputs:
  - { picture: { ramp: grey, range: [0, 100] }, path: map.png }
  - { picture: { ramp: fire, shade: {} }, path: map.tif }
  - { film: { ramp: grey, frames: 4, every_s: 0.5 }, path: film.png }
  - { film: { frames: 4, every_s: 0.5 }, path: film.tif }
  - { film: { ramp: grey, frames: 4, every_s: 0.5 }, path: frames/a-##.png }
";

fn film(out: &Path, text: &str) -> Plan {
    let pipeline = crate::parse(text, Path::new("film.yaml"), &[]).unwrap();
    let options = Options {
        out: Some(out.to_owned()),
        threads: 1,
    };
    Plan::new(pipeline, &options).unwrap()
}

/// Frames and their pixels, one after another, by the format's own reader.
fn decoded(path: &Path) -> (u32, Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let frames = reader
        .info()
        .animation_control()
        .map_or(1, |film| film.num_frames);
    let mut pixels = Vec::new();
    for _ in 0..frames {
        let mut frame = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut frame).unwrap();
        pixels.extend(frame);
    }
    (frames, pixels)
}

/// Animation, numbered files, bands and maps at a later moment all show the same, and the record tells their hashes.
#[test]
fn a_film_is_the_map_at_one_moment_after_another() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a");
    let outcome = run(film(&out, FILM), &Mode::default(), &Silent).unwrap();
    let record: serde_json::Value = serde_json::from_str(&outcome.record).unwrap();
    let hash = |index: usize| {
        record["outputs"][index]["pixels_blake3"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let hashed = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();

    let (one, map) = decoded(&out.join("map.png"));
    assert_eq!((one, map.len(), hash(0)), (1, 20 * 33 * 3, hashed(&map)));
    let (frames, pixels) = decoded(&out.join("film.png"));
    assert_eq!((frames, hash(2)), (4, hashed(&pixels)));
    assert_eq!(map, pixels[..map.len()], "it begins with the map");
    let numbered: Vec<u8> = (0..4)
        .flat_map(|frame| decoded(&out.join(format!("frames/a-{frame:02}.png"))).1)
        .collect();
    assert_eq!((&numbered, hash(4)), (&pixels, hash(2)));

    let mut bands = Vec::new();
    for band in 1..=4_u8 {
        let frame = thalweg_geotiff::read(
            &out.join("film.tif"),
            &thalweg_geotiff::Request::of_band(band.into()),
        )
        .unwrap();
        let time_s = f64::from(band - 1) * 0.5;
        let later = FILM
            .replace(
                "noise: {",
                &format!("noise: {{ at: {{ time_s: {time_s}, of: {{"),
            )
            .replace("loop_s: 2 } } }", "loop_s: 2 } } } } }")
            .replace("  - { film", "#");
        let there = folder.path().join(format!("at{band}"));
        let text = format!("{later}  - {{ layer: elevation, path: dem.tif }}\n");
        run(film(&there, &text), &Mode::default(), &Silent).unwrap();
        let dem = thalweg_geotiff::read(
            &there.join("dem.tif"),
            &thalweg_geotiff::Request::of_band(1),
        )
        .unwrap();
        assert_eq!(frame.elevation, dem.elevation, "{time_s} s");
        bands.extend(frame.elevation.iter().flat_map(|value| value.to_le_bytes()));
    }
    assert_eq!(hash(3), hashed(&bands));

    // Every file is told, and there.
    let companions: Vec<&str> = record["outputs"][4]["companions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(companions.len(), 8);
    assert!(companions.iter().all(|name| out.join(name).is_file()));
    assert!(
        outcome.files.iter().all(|file| file.is_file()),
        "{:?}",
        outcome.files
    );
    let world = std::fs::read_to_string(out.join("frames/a-03.pgw")).unwrap();
    assert_eq!(world, "10\n0\n0\n-10\n500005\n5199995\n");
}

#[test]
fn pictures_and_films_have_the_same_bytes_at_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let made = |threads: usize| {
        let out = folder.path().join(threads.to_string());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let outcome = pool
            .install(|| run(film(&out, FILM), &Mode::default(), &Silent))
            .unwrap();
        let files = outcome
            .files
            .iter()
            .map(|file| std::fs::read(file).unwrap());
        files.collect::<Vec<_>>()
    };
    let one = made(1);
    assert_eq!(one.len(), 2 + 1 + 2 + 1 + 8);
    assert!(one == made(3));
}

/// Also between frames; what was written before is whole, and what was not is not there.
#[test]
fn a_film_that_is_stopped_leaves_no_part_of_itself() {
    let count = |question| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a");
        let stop = StopAt(AtomicU32::new(question));
        match run(film(&out, FILM), &Mode::default(), &stop) {
            Ok(_) => return None,
            Err(error) => assert!(matches!(error, PipelineError::Interrupted), "{error}"),
        }
        let names = std::fs::read_dir(&out).into_iter().flatten().flatten();
        let names: Vec<_> = names
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        assert!(
            !names
                .iter()
                .any(|name| name.ends_with(".tmp") || name == "run.json"),
            "{names:?}"
        );
        if names.contains(&"film.png".to_owned()) {
            assert_eq!(decoded(&out.join("film.png")).0, 4);
        }
        Some(names.contains(&"film.png".to_owned()))
    };
    let found: Vec<bool> = (1..60).map_while(count).collect();
    // Asked before each frame of three films and before each output.
    assert!(
        found.len() > 15 && found.contains(&true) && found.contains(&false),
        "{found:?}"
    );
}

#[test]
fn a_film_that_does_not_come_round_says_so() {
    let notes = |text: &str| film(Path::new("nowhere"), text).notes;
    assert_eq!(notes(FILM), Vec::<String>::new());
    let short = FILM.replace(
        "frames: 4, every_s: 0.5 }, path: film.png",
        "frames: 3, every_s: 0.5 }, path: film.png",
    );
    let [note] = &notes(&short)[..] else {
        panic!("{:?}", notes(&short))
    };
    assert!(
        note.contains("film.png: 3 frames every 0.5 s are 1.5 s") && note.contains("2 s"),
        "{note}"
    );
    assert_eq!(
        notes(&FILM.replace(", loop_s: 2", "")),
        Vec::<String>::new(),
        "it never does"
    );
}

fn record(report: thalweg_erosion::Report, sanity: Sanity) -> StageRecord {
    StageRecord {
        kind: "erode",
        id: "rivers".to_owned(),
        wall_s: 1.0,
        peak_rss_bytes: None,
        report: Report::Erode(Box::new(report)),
        sanity,
    }
}

const SANE: Sanity = Sanity {
    non_finite: 0,
    spikes: 12,
    new_spikes: 0,
};

#[test]
fn open_ledgers_and_insane_ground_are_violations() {
    let report = |sediment: f64, water: f64| {
        let mut report = thalweg_erosion::Report::default();
        report.ledger.sediment.relative_error = sediment;
        report.ledger.water.relative_error = water;
        report
    };
    let count = |stage: StageRecord| violations(&[stage]).len();
    assert_eq!(count(record(report(1e-6, 1e-9), SANE)), 0);
    assert_eq!(count(record(report(1.1e-6, 0.0), SANE)), 1);
    assert_eq!(count(record(report(1e-3, f64::NAN), SANE)), 2);
    assert_eq!(
        count(record(
            report(0.0, 0.0),
            Sanity {
                non_finite: 1,
                ..SANE
            }
        )),
        1
    );
    assert_eq!(
        count(record(
            report(0.0, 0.0),
            Sanity {
                new_spikes: 3,
                ..SANE
            }
        )),
        1
    );
}

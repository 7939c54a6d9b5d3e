//! In what format a raster is stored, and with which of GDAL's creation options.

use crate::{GeotiffError, ffi};
use gdal::raster::RasterCreationOptions;
use gdal::{DriverManager, Metadata};

/// How pixels are compressed in a GeoTIFF or a cloud-optimised one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Compress {
    /// Without loss, read by everything.
    #[default]
    Deflate,
    /// Without loss, faster to read and write; GDAL and libtiff must have it.
    Zstd,
    /// Floats to within an error; cells without data become NaN, since any other mark would be blurred.
    Lerc {
        /// Largest error, in the layer's unit; 0: none.
        max_error: f64,
    },
    /// Not at all.
    None,
}

/// In what format a raster is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Format {
    /// GDAL's short name: `COG`, `GTiff`, `HFA`, ….
    pub driver: String,
    /// Compression, for `COG` and `GTiff`; other drivers have options of their own.
    pub compress: Compress,
    /// Quantities become 16-bit integers in steps of so much, with the scale and offset that give them back to
    /// within half a step; none: 32-bit floats.
    pub step: Option<f64>,
    /// Creation options of the driver, which have the last word.
    pub options: Vec<(String, String)>,
    /// Threads that compress; the bytes do not depend on them.
    pub threads: usize,
}

/// A plain GeoTIFF: tiled, deflated, without overviews.
pub static GTIFF: Format = Format::plain(String::new());

impl Format {
    const fn plain(driver: String) -> Self {
        Self {
            driver,
            compress: Compress::Deflate,
            step: None,
            options: Vec::new(),
            threads: 1,
        }
    }

    /// The format that GDAL knows under `driver`, in any case, without options.
    #[must_use]
    pub fn new(driver: &str) -> Self {
        Self::plain(driver.to_owned())
    }

    /// Cloud-optimised GeoTIFF: tiles, overviews, and all of the directory at the front.
    #[must_use]
    pub fn cog() -> Self {
        Self::new("COG")
    }

    /// GDAL's name for it.
    #[must_use]
    pub fn driver(&self) -> &str {
        if self.driver.is_empty() {
            "GTiff"
        } else {
            &self.driver
        }
    }

    /// Whether it is the cloud-optimised one.
    #[must_use]
    pub fn is_cog(&self) -> bool {
        self.driver.eq_ignore_ascii_case("COG")
    }

    /// Whether it is a plain GeoTIFF.
    #[must_use]
    pub fn is_gtiff(&self) -> bool {
        self.driver().eq_ignore_ascii_case("GTiff")
    }

    /// Whether it is one of the two kinds of TIFF.
    #[must_use]
    pub fn is_tiff(&self) -> bool {
        self.is_cog() || self.is_gtiff()
    }

    /// Whether rasters are written as they come, without a copy.
    pub(crate) fn is_direct(&self) -> bool {
        self.is_gtiff() && self.options.is_empty()
    }

    /// Whether cells without data must be marked with NaN.
    pub(crate) fn needs_nan(&self) -> bool {
        self.is_tiff() && matches!(self.compress, Compress::Lerc { .. })
    }

    /// Whether GDAL here can write it with these options, for cells of a type in GDAL's words (`Float32`).
    ///
    /// # Errors
    /// When it knows no such driver, the driver cannot write, not such cells, or it knows no such option or value. The
    /// error's `key` says which of `format`, `compress` and `options` is to blame.
    pub fn check(&self, cells: &str) -> Result<(), GeotiffError> {
        prepare();
        let refused = |key, message| GeotiffError::Format { key, message };
        let name = self.driver();
        let driver = DriverManager::get_driver_by_name(name)
            .map_err(|_| refused("format", unknown(name)))?;
        let can = |what: &str| driver.metadata_item(what, "").as_deref() == Some("YES");
        if !can("DCAP_RASTER") || !(can("DCAP_CREATECOPY") || can("DCAP_CREATE")) {
            let message = format!("GDAL cannot write rasters in the format {name}");
            return Err(refused("format", message));
        }
        let types = driver.metadata_item("DMD_CREATIONDATATYPES", "");
        if let Some(types) = types.filter(|types| !types.split_whitespace().any(|one| one == cells))
        {
            let message = format!(
                "the format {name} holds {types}, and not the {cells} that this output has"
            );
            return Err(refused("format", message));
        }
        let list = driver.metadata_item("DMD_CREATIONOPTIONLIST", "");
        let list = list.unwrap_or_default();
        let method = self.method();
        if self.is_tiff() && !list.contains(&format!("<Value>{method}</Value>")) {
            let message = format!("this build of GDAL cannot compress with {method}");
            return Err(refused("compress", message));
        }
        let options = self
            .options
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        let options: Vec<String> = options.collect();
        let options: RasterCreationOptions = options.iter().map(String::as_str).collect();
        ffi::check_options(&driver, &options).map_err(|message| {
            let message = format!("{message}; `gdalinfo --format {name}` lists what there is");
            refused("options", message)
        })
    }

    /// GDAL's name of the compression.
    fn method(&self) -> &'static str {
        match self.compress {
            Compress::Deflate => "DEFLATE",
            Compress::Zstd => "ZSTD",
            Compress::Lerc { .. } => "LERC",
            Compress::None => "NONE",
        }
    }

    /// What a TIFF that is written as it comes is created with; `float` and `identifiers` say what its cells are.
    pub(crate) fn gtiff_options(&self, float: bool) -> Vec<String> {
        let mut options = vec![format!("COMPRESS={}", self.method())];
        match self.compress {
            Compress::Deflate => options.push("ZLEVEL=6".to_owned()),
            Compress::Zstd => options.push("ZSTD_LEVEL=9".to_owned()),
            Compress::Lerc { max_error } => options.push(format!("MAX_Z_ERROR={max_error}")),
            Compress::None => {}
        }
        if matches!(self.compress, Compress::Deflate | Compress::Zstd) {
            options.push(format!("PREDICTOR={}", if float { 3 } else { 2 }));
        }
        options.push(format!("NUM_THREADS={}", self.threads.max(1)));
        options
    }

    /// What a copy in this format is created with: our choices, then the user's over them.
    pub(crate) fn copy_options(&self, cells: Cells, bigtiff: bool, block: usize) -> Vec<String> {
        let mut options = Vec::new();
        let bigtiff = if bigtiff { "YES" } else { "NO" };
        if self.is_cog() {
            options = self.cog_options(cells, block);
        } else if self.is_gtiff() {
            options = self.gtiff_options(cells.float);
            options.extend(["TILED=YES", "BLOCKXSIZE=512", "BLOCKYSIZE=512"].map(str::to_owned));
        }
        if self.is_tiff() {
            options.push(format!("BIGTIFF={bigtiff}"));
        }
        let given = |option: &String| {
            let key = option.split('=').next().unwrap_or_default();
            let equal = |(own, _): &(String, String)| own.eq_ignore_ascii_case(key);
            self.options.iter().any(equal)
        };
        options.retain(|option| !given(option));
        let own = self.options.iter();
        options.extend(own.map(|(key, value)| format!("{key}={value}")));
        options
    }

    fn cog_options(&self, cells: Cells, block: usize) -> Vec<String> {
        let mut options = vec![
            format!("COMPRESS={}", self.method()),
            format!("BLOCKSIZE={block}"),
            format!("NUM_THREADS={}", self.threads.max(1)),
        ];
        // The mean of two lakes' numbers is no lake.
        let resampling = if cells.identifiers {
            "NEAREST"
        } else {
            "AVERAGE"
        };
        options.push(format!("OVERVIEW_RESAMPLING={resampling}"));
        match self.compress {
            Compress::Deflate => options.push("LEVEL=6".to_owned()),
            Compress::Zstd => options.push("LEVEL=9".to_owned()),
            Compress::Lerc { max_error } => options.push(format!("MAX_Z_ERROR={max_error}")),
            Compress::None => {}
        }
        if matches!(self.compress, Compress::Deflate | Compress::Zstd) {
            let predictor = if cells.float {
                "FLOATING_POINT"
            } else {
                "STANDARD"
            };
            options.push(format!("PREDICTOR={predictor}"));
        }
        options
    }
}

/// Memory that GDAL takes for blocks of rasters that it copies. By itself it takes a share of the machine's, on which
/// then the order of tiles in a file could depend.
pub const CACHE_BYTES: u64 = 128 << 20;

/// Bounds GDAL's memory, and lets it make the lists of options that it makes when they are first asked for: GDAL 3.6
/// does so without a lock, and another thread would see half of a list.
pub(crate) fn prepare() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        ffi::limit_cache(CACHE_BYTES);
        for name in ["COG", "GTiff"] {
            if let Ok(driver) = DriverManager::get_driver_by_name(name) {
                let _ = driver.metadata_item("DMD_CREATIONOPTIONLIST", "");
            }
        }
    });
}

/// What options depend on of a raster's cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells {
    /// Floats rather than integers.
    pub(crate) float: bool,
    /// Numbers that stand for something, between which there is no mean.
    pub(crate) identifiers: bool,
}

/// That there is no such driver, with those of a similar name.
fn unknown(name: &str) -> String {
    let start: String = name.to_lowercase().chars().take(3).collect();
    let writes = |driver: &gdal::Driver| {
        let can = |what: &str| driver.metadata_item(what, "").as_deref() == Some("YES");
        can("DCAP_RASTER") && (can("DCAP_CREATECOPY") || can("DCAP_CREATE"))
    };
    let near: Vec<String> = gdal::DriverManager::all()
        .filter(writes)
        .map(|driver| driver.short_name())
        .filter(|known| known.to_lowercase().starts_with(&start))
        .collect();
    let meant = match near.is_empty() {
        true => String::new(),
        false => format!(" (did you mean {}?)", near.join(" or ")),
    };
    format!("GDAL here has no raster format `{name}`{meant}; `gdalinfo --formats` lists them")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(format: &Format) -> (&'static str, String) {
        match format.check("Float32") {
            Err(GeotiffError::Format { key, message }) => (key, message),
            other => panic!("{other:?}"),
        }
    }

    fn with(driver: &str, key: &str, value: &str) -> Format {
        Format {
            options: vec![(key.to_owned(), value.to_owned())],
            ..Format::new(driver)
        }
    }

    #[test]
    fn drivers_and_options_are_those_that_gdal_knows() {
        for format in [
            Format::cog(),
            Format::new("gtiff"),
            Format::new("AAIGrid"),
            with("COG", "OVERVIEW_COUNT", "2"),
        ] {
            format.check("Float32").unwrap();
        }
        GTIFF.check("UInt32").unwrap();
        let (key, message) = refused(&Format::new("gtif"));
        assert_eq!(key, "format");
        assert!(message.contains("did you mean GTiff?"), "{message}");
        // Vectors alone; and read alone.
        assert_eq!(refused(&Format::new("GeoJSON")).0, "format");
        let (key, message) = refused(&Format::new("JPEG"));
        assert_eq!(key, "format");
        assert!(
            message.contains("Byte") && message.contains("Float32"),
            "{message}"
        );
        let (key, message) = refused(&with("COG", "BLOKSIZE", "512"));
        assert_eq!(key, "options");
        assert!(message.contains("BLOKSIZE"), "{message}");
        assert_eq!(refused(&with("COG", "LEVEL", "high")).0, "options");
    }

    /// GDAL's lists are made when they are first asked for: all threads must see whole ones.
    #[test]
    fn any_thread_may_be_the_first_to_ask() {
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Format::cog().check("Float32")))
                .collect();
            for thread in asked {
                thread.join().unwrap().unwrap();
            }
        });
    }

    #[test]
    fn the_users_options_have_the_last_word() {
        let cells = Cells {
            float: true,
            identifiers: false,
        };
        let options = with("COG", "blocksize", "256").copy_options(cells, false, 512);
        assert!(options.contains(&"blocksize=256".to_owned()), "{options:?}");
        assert!(
            !options.contains(&"BLOCKSIZE=512".to_owned()),
            "{options:?}"
        );
        assert!(options.contains(&"PREDICTOR=FLOATING_POINT".to_owned()));
        let other = Format::new("AAIGrid").copy_options(cells, true, 512);
        assert!(
            other.is_empty(),
            "what is TIFF's is not for others: {other:?}"
        );
    }
}

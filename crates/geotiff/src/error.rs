use crate::affine::Problem;
use std::path::{Path, PathBuf};
use thalweg_grid::Shape;

/// What sort of failure an error is: it decides how a program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input or what was to be written is not what it must be.
    Data,
    /// A disk or quota is full.
    Space,
    /// The system failed to read or write.
    Io,
}

/// Why a raster was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum GeotiffError {
    /// Nothing under this name.
    #[error("{}: no such file; check the path, which starts at the working folder unless it is absolute", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A folder that is no raster.
    #[error("{}: is a folder; name the raster file in it", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// A pipe, a socket or a device.
    #[error("{}: is a pipe or a device; name a raster file", path.display())]
    NotFile {
        /// What it is called.
        path: PathBuf,
    },
    /// No bytes.
    #[error("{}: is empty (0 bytes); fetch or make it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// GDAL knows no such format.
    #[error("{}: is not a raster that GDAL can open, or its header is damaged ({message}); try `gdalinfo` on it", path.display())]
    NotRaster {
        /// The file.
        path: PathBuf,
        /// GDAL's words.
        message: String,
    },
    /// A name that GDAL cannot be given.
    #[error("{}: the name is not UTF-8, which GDAL needs; rename the file", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// No such band.
    #[error("{}: has {found} bands, so there is no band {wanted}; bands count from 1", path.display())]
    NoBand {
        /// The file.
        path: PathBuf,
        /// The band asked for.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// Complex or unknown numbers.
    #[error("{}: holds numbers of type {found}; expected integers or floats of 8 to 64 bits", path.display())]
    NumberType {
        /// The file.
        path: PathBuf,
        /// Its type of number.
        found: String,
    },
    /// Pixels could not be read.
    #[error("{}: cannot read row {row}: the file is truncated or damaged ({message}); fetch or make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// First row of those that failed, as stored.
        row: usize,
        /// GDAL's words.
        message: String,
    },
    /// No place in the world.
    #[error("{}: has no geotransform, so its place and cell size are unknown; give it some with `gdal_translate -a_srs EPSG:n -a_ullr WEST NORTH EAST SOUTH IN OUT`", path.display())]
    NoGeotransform {
        /// The file.
        path: PathBuf,
    },
    /// Cells that are not squares of metres with north up.
    #[error("{}: {problem}; convert it with\n    {command}", path.display())]
    NeedsWarp {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: Problem,
        /// The shell command that makes a raster that is accepted.
        command: String,
    },
    /// Heights in an unknown unit.
    #[error("{}: its values are in `{unit}`; expected metres or feet. If they are metres, say so with `gdal_edit.py -units m FILE`", path.display())]
    Unit {
        /// The file.
        path: PathBuf,
        /// The unit it declares.
        unit: String,
    },
    /// Infinite or too large for the cells' type.
    #[error("{}: row {row}, col {col} holds {value}; expected a finite 32-bit float (mark cells without data as nodata)", path.display())]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// Row of the first such cell, as stored.
        row: usize,
        /// Its column.
        col: usize,
        /// What it holds.
        value: f64,
    },
    /// Not one cell with data.
    #[error("{}: every cell is nodata; expected at least one with data", path.display())]
    AllNodata {
        /// The file.
        path: PathBuf,
    },
    /// Array and grid differ.
    #[error("{}: the {what} has {found}, the grid {expected}", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// The array that differs.
        what: &'static str,
        /// Its size.
        found: Shape,
        /// The grid's size.
        expected: Shape,
    },
    /// More rows or columns than a TIFF holds.
    #[error("{}: {found} is more than the {limit} rows or columns that GDAL counts to", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size asked for.
        found: Shape,
        /// The limit.
        limit: usize,
    },
    /// All values that could mark nodata occur in the data.
    #[error("{}: no value is left to mark nodata: all of {tried:?} occur in the data; give another", path.display())]
    NoNodataLeft {
        /// The file.
        path: PathBuf,
        /// What was tried.
        tried: Vec<f64>,
    },
    /// A number of bands that there cannot be.
    #[error("{}: {found} bands; expected {expected}", path.display())]
    Bands {
        /// The file.
        path: PathBuf,
        /// How many there may be.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A coordinate reference system that is unknown or not in metres.
    #[error("CRS `{crs}`: {message}; expected a projected one in metres, as `EPSG:n` or WKT")]
    Crs {
        /// The text given.
        crs: String,
        /// What is wrong with it.
        message: String,
    },
    /// A format, compression or option that GDAL does not have.
    #[error("{message}")]
    Format {
        /// What is to blame: `format`, `compress` or `options`.
        key: &'static str,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// Steps too fine for 16 bits.
    #[error("{}: values from {minimum} to {maximum} in steps of {step} do not fit into 16 bits; use a step of at least {least}, or leave it out", path.display())]
    Step {
        /// The file.
        path: PathBuf,
        /// The step asked for.
        step: f64,
        /// Smallest value.
        minimum: f64,
        /// Largest value.
        maximum: f64,
        /// The smallest step, rounded up, that would do.
        least: f64,
    },
    /// Several bands, and none is named.
    #[error("{}: has {found} bands; say which one holds the elevation with `band: n` (they count from 1; `gdalinfo` describes them). A picture in colours is no elevation model", path.display())]
    WhichBand {
        /// The file.
        path: PathBuf,
        /// How many there are.
        found: usize,
    },
    /// Degrees without a CRS.
    #[error("{}: has no CRS, and its cells of {cell_size} look like degrees; say so with `gdal_edit.py -a_srs EPSG:4326 FILE`, or give the CRS that it has", path.display())]
    NeedsCrs {
        /// The file.
        path: PathBuf,
        /// Edge of a cell, in whatever unit.
        cell_size: f64,
    },
    /// The wanted grid and the raster's own do not go together.
    #[error("{}: {message}", path.display())]
    Fit {
        /// The file.
        path: PathBuf,
        /// What differs, and what to do.
        message: String,
    },
    /// No format for features has this ending.
    #[error("{}: names no format for features; expected an ending of .gpkg, .geojson or .fgb", path.display())]
    VectorFormat {
        /// The file.
        path: PathBuf,
    },
    /// Formats that hold one layer get another number of them.
    #[error("{}: holds one layer, found {found}; name one, or write a GeoPackage (.gpkg)", path.display())]
    OneLayer {
        /// The file.
        path: PathBuf,
        /// How many layers there are.
        found: usize,
    },
    /// A file is in the way.
    #[error("{}: exists already; allow overwriting or choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The disk, the quota or the limit on a file's size is reached.
    #[error("{}: no room to write it: it needs up to {needed_bytes} bytes{}; make room or write elsewhere (nothing was left behind; GDAL or the system said: {message})", path.display(), free(*free_bytes))]
    NoSpace {
        /// The file.
        path: PathBuf,
        /// Its largest possible size.
        needed_bytes: u64,
        /// What is free in its folder, where that is known.
        free_bytes: Option<u64>,
        /// GDAL's or the system's words.
        message: String,
    },
    /// GDAL could not write.
    #[error("{}: cannot be written ({message}); nothing was left behind", path.display())]
    WriteFailed {
        /// The file.
        path: PathBuf,
        /// GDAL's words.
        message: String,
    },
    /// The system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why not.
        source: std::io::Error,
    },
}

fn free(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| format!(", {bytes} are free"))
}

impl GeotiffError {
    /// What sort of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSpace { .. } => ErrorKind::Space,
            Self::WriteFailed { .. } | Self::Io { .. } | Self::Exists { .. } => ErrorKind::Io,
            _ => ErrorKind::Data,
        }
    }

    /// An error of the system, of its own variant where the disk is full.
    pub(crate) fn io(
        path: &Path,
        doing: &'static str,
        needed_bytes: u64,
        source: std::io::Error,
    ) -> Self {
        use std::io::ErrorKind as Kind;
        match source.kind() {
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => Self::NoSpace {
                path: path.to_owned(),
                needed_bytes,
                free_bytes: crate::ffi::free_space(crate::atomic::folder_of(path)),
                message: source.to_string(),
            },
            _ => Self::Io {
                path: path.to_owned(),
                doing,
                source,
            },
        }
    }

    /// A failed write in GDAL's words.
    pub(crate) fn failed_write(path: &Path, needed_bytes: u64, message: String) -> Self {
        // strerror's words for ENOSPC, EDQUOT and EFBIG: GDAL hands on nothing else.
        let full = ["No space left", "quota exceeded", "File too large"];
        if full.iter().any(|words| message.contains(words)) {
            return Self::NoSpace {
                path: path.to_owned(),
                needed_bytes,
                free_bytes: crate::ffi::free_space(crate::atomic::folder_of(path)),
                message,
            };
        }
        Self::WriteFailed {
            path: path.to_owned(),
            message,
        }
    }
}

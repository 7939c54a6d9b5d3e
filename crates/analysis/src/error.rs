/// Why an analysis has no result.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// A parameter is outside of its range.
    #[error("{name} must be {expected}, found {found}")]
    Parameter {
        /// The parameter's key.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// The picture's size does not fit its format.
    #[error("a PNG holds 1 to 2147483647 rows and columns, found {rows} rows × {cols} cols")]
    PictureSize {
        /// Rows of the picture.
        rows: usize,
        /// Columns of the picture.
        cols: usize,
    },
    /// The picture could not be written.
    #[error("cannot write the PNG")]
    Write(#[from] std::io::Error),
}

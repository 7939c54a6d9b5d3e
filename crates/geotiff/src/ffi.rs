//! The few calls that the `gdal` crate lacks, each behind a safe function.

use gdal::errors::GdalError;
use gdal::raster::{RasterBand, RasterCreationOptions};
use gdal::{Dataset, Driver};
use gdal_sys::{CPLErr, CPLErrorNum};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

/// What GDAL complained of, in order.
#[derive(Debug, Default)]
pub(crate) struct Failures(Vec<String>);

impl Failures {
    /// The first complaint, which later ones follow from; empty where there is none.
    pub(crate) fn text(&self) -> String {
        self.0.first().cloned().unwrap_or_default()
    }

    /// The first complaint, or the words of an error that came without one.
    pub(crate) fn or(&self, error: &gdal::errors::GdalError) -> String {
        match (self.0.first(), error) {
            (Some(text), _) => text.clone(),
            // Its own words leave the argument out.
            (None, gdal::errors::GdalError::BadArgument(text)) => text.clone(),
            (None, error) => error.to_string(),
        }
    }

    /// Whether there was no complaint.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Does `work` and collects the failures that GDAL reports on this thread meanwhile, instead of letting it print
/// them. Warnings are dropped.
///
/// GDAL before 3.7 reports errors at flush and close in this way alone: their functions return nothing. Datasets
/// must be closed inside of `work`.
pub(crate) fn listen<T>(work: impl FnOnce() -> T) -> (T, Failures) {
    let (result, heard) = hear(work);
    let failures = heard
        .into_iter()
        .filter(|(class, _)| *class >= CPLErr::CE_Failure);
    (result, Failures(failures.map(|(_, text)| text).collect()))
}

/// What GDAL said: how bad it is, and the words.
type Heard = Vec<(CPLErr::Type, String)>;

/// Does `work` and collects GDAL's warnings and failures meanwhile.
fn hear<T>(work: impl FnOnce() -> T) -> (T, Heard) {
    let collected = RefCell::new(Vec::new());
    let result = {
        let _installed = Installed::new(&collected);
        work()
    };
    (result, collected.into_inner())
}

/// A handler on this thread's stack of them; popped when dropped, also while unwinding.
struct Installed<'a>(std::marker::PhantomData<&'a RefCell<Heard>>);

impl<'a> Installed<'a> {
    #[expect(
        unsafe_code,
        reason = "the gdal crate sets handlers for the whole process only"
    )]
    fn new(target: &'a RefCell<Heard>) -> Self {
        let data = std::ptr::from_ref(target).cast_mut().cast();
        // SAFETY: GDAL keeps the stack of handlers per thread, so `collect` runs on this thread only, and only
        // until the guard pops it; the borrow of `target` outlives the guard, and `collect` reads it as what it is.
        unsafe { gdal_sys::CPLPushErrorHandlerEx(Some(collect), data) };
        Self(std::marker::PhantomData)
    }
}

impl Drop for Installed<'_> {
    #[expect(unsafe_code, reason = "undoes what `new` did")]
    fn drop(&mut self) {
        // SAFETY: guards nest by scope, so the top of this thread's stack is the handler that `new` pushed.
        unsafe { gdal_sys::CPLPopErrorHandler() };
    }
}

/// Adds a warning or failure to the list that the handler was installed with. Never unwinds.
#[expect(unsafe_code, reason = "GDAL calls it with raw pointers")]
unsafe extern "C" fn collect(class: CPLErr::Type, _number: CPLErrorNum, text: *const c_char) {
    if class < CPLErr::CE_Warning || text.is_null() {
        return;
    }
    // SAFETY: inside of a handler this returns the pointer given when it was installed: a live
    // `RefCell<Heard>` (see `Installed::new`). GDAL passes a terminated string that lives for the call.
    let (target, text) = unsafe {
        let data = gdal_sys::CPLGetErrorHandlerUserData();
        (&*data.cast::<RefCell<Heard>>(), CStr::from_ptr(text))
    };
    if let Ok(mut list) = target.try_borrow_mut() {
        list.push((class, text.to_string_lossy().trim().to_owned()));
    }
}

/// Sets the unit of a band's values.
///
/// # Errors
/// When GDAL refuses.
#[expect(unsafe_code, reason = "the gdal crate only reads units")]
pub(crate) fn set_unit(band: &mut RasterBand<'_>, unit: &str) -> gdal::errors::Result<()> {
    let unit_c = CString::new(unit)?;
    // SAFETY: the band's handle is live while `band` is, and GDAL copies the string.
    let result = unsafe { gdal_sys::GDALSetRasterUnitType(band.c_rasterband(), unit_c.as_ptr()) };
    if result == CPLErr::CE_None {
        Ok(())
    } else {
        Err(gdal::errors::GdalError::BadArgument(format!(
            "unit `{unit}`"
        )))
    }
}

/// Whether a driver knows the creation options and their values; if not, what GDAL says of the first.
#[expect(unsafe_code, reason = "the gdal crate does not ask")]
pub(crate) fn check_options(
    driver: &Driver,
    options: &RasterCreationOptions,
) -> Result<(), String> {
    // SAFETY: drivers live as long as the process, and the list outlives the call, which only reads it.
    let (known, heard) = hear(|| unsafe {
        gdal_sys::GDALValidateCreationOptions(driver.c_driver(), options.as_ptr())
    });
    if known != 0 {
        return Ok(());
    }
    let first = heard.into_iter().next().map(|(_, text)| text);
    Err(first.unwrap_or_else(|| "an option is unknown".to_owned()))
}

/// Bounds the blocks that GDAL keeps in memory, in all threads together.
#[expect(unsafe_code, reason = "the gdal crate does not offer it")]
pub(crate) fn limit_cache(bytes: u64) {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    // SAFETY: takes a number, and locks what it changes.
    unsafe { gdal_sys::GDALSetCacheMax64(bytes) };
}

/// A copy of a dataset by a driver, refused where the format cannot hold what the dataset does.
///
/// # Errors
/// When GDAL refuses or fails.
#[expect(
    unsafe_code,
    reason = "the gdal crate lets drivers drop what they cannot hold"
)]
pub(crate) fn copy(
    source: &Dataset,
    driver: &Driver,
    file: &Path,
    options: &RasterCreationOptions,
) -> Result<Dataset, GdalError> {
    let name = file.to_str().unwrap_or_default();
    let name = CString::new(name)?;
    // SAFETY: source and driver are live, the name is terminated, and name and list outlive the call. A dataset that
    // is handed back is ours to close.
    unsafe {
        let made = gdal_sys::GDALCreateCopy(
            driver.c_driver(),
            name.as_ptr(),
            source.c_dataset(),
            1,
            options.as_ptr(),
            None,
            std::ptr::null_mut(),
        );
        if made.is_null() {
            return Err(GdalError::BadArgument("it cannot be copied".to_owned()));
        }
        Ok(Dataset::from_c_dataset(made))
    }
}

/// A view of a raster as `gdalwarp` with these arguments would make it, computed as it is read. The view must be
/// dropped before `source`.
///
/// # Errors
/// When GDAL cannot warp so.
#[expect(unsafe_code, reason = "the gdal crate has no gdalwarp")]
pub(crate) fn warped(source: &Dataset, arguments: &[String]) -> Result<Dataset, GdalError> {
    let mut words: gdal::cpl::CslStringList = gdal::cpl::CslStringList::new();
    for word in ["-of", "VRT"] {
        words.add_string(word)?;
    }
    for word in arguments {
        words.add_string(word)?;
    }
    // SAFETY: the list outlives the call, which copies what it keeps; GDAL makes an object of its own.
    let options = unsafe { gdal_sys::GDALWarpAppOptionsNew(words.as_ptr(), std::ptr::null_mut()) };
    if options.is_null() {
        return Err(GdalError::BadArgument(format!("gdalwarp {arguments:?}")));
    }
    let mut sources = [source.c_dataset()];
    // SAFETY: the source is open, the list has the one entry that is told, the options were made above, and an empty
    // name makes a dataset in memory. Options are freed once. A dataset that is handed back is ours to close.
    unsafe {
        let made = gdal_sys::GDALWarp(
            c"".as_ptr(),
            std::ptr::null_mut(),
            1,
            sources.as_mut_ptr(),
            options,
            std::ptr::null_mut(),
        );
        gdal_sys::GDALWarpAppOptionsFree(options);
        if made.is_null() {
            return Err(GdalError::BadArgument("it cannot be warped".to_owned()));
        }
        Ok(Dataset::from_c_dataset(made))
    }
}

/// Bytes that a user may still write in a folder; none where the system does not say.
#[must_use]
#[expect(unsafe_code, reason = "the standard library does not say")]
pub fn free_space(folder: &Path) -> Option<u64> {
    let name = CString::new(folder.to_str()?).ok()?;
    // SAFETY: GDAL reads a terminated string for the length of the call.
    let bytes = unsafe { gdal_sys::VSIGetDiskFreeSpace(name.as_ptr()) };
    u64::try_from(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_collected_in_nested_scopes_and_warnings_dropped() {
        let open = |name: &str| drop(gdal::Dataset::open_ex(name, verbose()));
        let (inner, outer) = listen(|| {
            open("/nowhere/outer.tif");
            listen(|| open("/nowhere/inner.tif")).1
        });
        assert!(inner.text().contains("/nowhere/inner.tif"), "{inner:?}");
        assert!(outer.text().contains("/nowhere/outer.tif"), "{outer:?}");
        assert_eq!(outer.0.len(), 1, "{outer:?}");
    }

    fn verbose() -> gdal::DatasetOptions<'static> {
        gdal::DatasetOptions {
            open_flags: gdal::GdalOpenFlags::GDAL_OF_RASTER
                | gdal::GdalOpenFlags::GDAL_OF_VERBOSE_ERROR,
            ..Default::default()
        }
    }

    #[test]
    fn free_space_is_known_here_and_unknown_nowhere() {
        assert!(free_space(&std::env::temp_dir()).is_some());
        assert_eq!(free_space(Path::new("/nowhere/at/all")), None);
    }
}

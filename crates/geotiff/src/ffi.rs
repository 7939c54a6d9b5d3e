//! The few calls that the `gdal` crate lacks, each behind a safe function.

use gdal::raster::RasterBand;
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
    let collected = RefCell::new(Vec::new());
    let result = {
        let _installed = Installed::new(&collected);
        work()
    };
    (result, Failures(collected.into_inner()))
}

/// A handler on this thread's stack of them; popped when dropped, also while unwinding.
struct Installed<'a>(std::marker::PhantomData<&'a RefCell<Vec<String>>>);

impl<'a> Installed<'a> {
    #[expect(
        unsafe_code,
        reason = "the gdal crate sets handlers for the whole process only"
    )]
    fn new(target: &'a RefCell<Vec<String>>) -> Self {
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

/// Adds a failure's text to the list that the handler was installed with. Never unwinds.
#[expect(unsafe_code, reason = "GDAL calls it with raw pointers")]
unsafe extern "C" fn collect(class: CPLErr::Type, _number: CPLErrorNum, text: *const c_char) {
    if class < CPLErr::CE_Failure || text.is_null() {
        return;
    }
    // SAFETY: inside of a handler this returns the pointer given when it was installed: a live
    // `RefCell<Vec<String>>` (see `Installed::new`). GDAL passes a terminated string that lives for the call.
    let (target, text) = unsafe {
        let data = gdal_sys::CPLGetErrorHandlerUserData();
        (&*data.cast::<RefCell<Vec<String>>>(), CStr::from_ptr(text))
    };
    if let Ok(mut list) = target.try_borrow_mut() {
        list.push(text.to_string_lossy().trim().to_owned());
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

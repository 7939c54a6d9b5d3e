//! Files that are complete under their final name, or not there.

use crate::GeotiffError;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempDir, TempPath};

/// Writes a file through `fill` to a temporary name beside it, syncs it, renames it and syncs the folder. When
/// anything fails, nothing is left behind, and a file that was there before is still there.
///
/// The folder must exist. Without `overwrite` an existing file is never replaced, not even one that appears
/// meanwhile.
///
/// # Errors
/// When the file exists and may not be overwritten, or the system fails; a full disk is its own variant.
pub fn write_atomically(
    path: &Path,
    overwrite: bool,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), GeotiffError> {
    refuse_existing(path, overwrite)?;
    let temporary = temporary_beside(path)?;
    let mut counted = Counted {
        file: File::options()
            .write(true)
            .open(&temporary)
            .map_err(failed(path, "open"))?,
        bytes: 0,
    };
    let filled = {
        let mut buffered = BufWriter::new(&mut counted);
        fill(&mut buffered).and_then(|()| buffered.flush())
    };
    filled.map_err(|source| GeotiffError::io(path, "write it", counted.bytes, source))?;
    publish(temporary, path, overwrite, counted.bytes)
}

/// A file that counts the bytes it was asked to take.
struct Counted {
    file: File,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Before the write: a full disk is told how much it lacks at least.
        self.bytes += bytes.len() as u64;
        let taken = self.file.write(bytes)?;
        self.bytes -= (bytes.len() - taken) as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

fn failed(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> GeotiffError {
    move |source| GeotiffError::io(path, doing, 0, source)
}

/// The folder that holds a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// An early refusal, before any work; [`publish`] has the last word.
pub(crate) fn refuse_existing(path: &Path, overwrite: bool) -> Result<(), GeotiffError> {
    // A link that leads nowhere is in the way too.
    let taken = path.symlink_metadata().is_ok();
    if taken && path.is_dir() {
        return Err(GeotiffError::Folder {
            path: path.to_owned(),
        });
    }
    if taken && !overwrite {
        return Err(GeotiffError::Exists {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// An empty file beside `path`, removed when dropped.
pub(crate) fn temporary_beside(path: &Path) -> Result<TempPath, GeotiffError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // The results of a run are no secrets: let the user's umask decide, as for any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder
        .tempfile_in(folder_of(path))
        .map_err(failed(path, "make a temporary file beside it"))?;
    Ok(file.into_temp_path())
}

/// An empty folder beside `path`, removed with all in it when dropped.
pub(crate) fn folder_beside(path: &Path) -> Result<TempDir, GeotiffError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".tmp")
        .tempdir_in(folder_of(path))
        .map_err(failed(path, "make a temporary folder beside it"))
}

/// Gives all files of a temporary folder their places beside `path`, of which the folder holds one; that comes last.
/// Gives back the others.
pub(crate) fn publish_all(
    folder: &Path,
    path: &Path,
    overwrite: bool,
    bytes: u64,
) -> Result<Vec<PathBuf>, GeotiffError> {
    let read = |source| GeotiffError::io(path, "list what was made", 0, source);
    let main = path.file_name().unwrap_or_default();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        names.push(entry.map_err(read)?.file_name());
    }
    names.retain(|name| name != main);
    names.sort();
    let companions: Vec<PathBuf> = names.iter().map(|name| path.with_file_name(name)).collect();
    for companion in &companions {
        refuse_existing(companion, overwrite)?;
    }
    let main = path.to_owned();
    for target in companions.iter().chain([&main]) {
        let made = folder.join(target.file_name().unwrap_or_default());
        let made = TempPath::try_from_path(made).map_err(read)?;
        publish(made, target, overwrite, bytes)?;
    }
    Ok(companions)
}

/// Syncs a finished temporary file, gives it its final name and syncs the folder.
pub(crate) fn publish(
    temporary: TempPath,
    path: &Path,
    overwrite: bool,
    bytes: u64,
) -> Result<(), GeotiffError> {
    // Opened anew: the handle that made the file may belong to one that GDAL has since replaced.
    File::options()
        .write(true)
        .open(&temporary)
        .and_then(|file| file.sync_all())
        .map_err(|source| GeotiffError::io(path, "sync it", bytes, source))?;
    let renamed = if overwrite {
        temporary.persist(path)
    } else {
        temporary.persist_noclobber(path)
    };
    renamed.map_err(|failure| match failure.error.kind() {
        std::io::ErrorKind::AlreadyExists => GeotiffError::Exists {
            path: path.to_owned(),
        },
        _ => GeotiffError::io(path, "rename it", bytes, failure.error),
    })?;
    sync_folder(path)
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), GeotiffError> {
    File::open(folder_of(path))
        .and_then(|folder| folder.sync_all())
        .map_err(failed(path, "sync its folder"))
}

/// Other systems cannot open a folder as a file; their renames are journalled.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), GeotiffError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_appears_whole_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        write_atomically(&path, false, |out| {
            // While it is written, nothing bears the final name.
            assert!(!path.exists());
            out.write_all(b"{}")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"{}");
        assert_eq!(names(folder.path()), ["run.json"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        fs::write(&path, b"old").unwrap();
        let error = write_atomically(&path, true, |out| {
            out.write_all(b"new")?;
            Err(std::io::Error::other("the encoder gave up"))
        })
        .unwrap_err();
        assert!(
            error.to_string().contains("the encoder gave up")
                && error.to_string().contains("a.png")
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn only_overwriting_replaces_also_a_file_that_appears_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let late = write_atomically(&path, false, |_| fs::write(&path, b"theirs"));
        assert!(matches!(late, Err(GeotiffError::Exists { .. })), "{late:?}");
        let early = write_atomically(&path, false, |_| panic!("not called"));
        assert!(matches!(early, Err(GeotiffError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        write_atomically(&path, true, |out| out.write_all(b"ours")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ours");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("a"), folder.path().join("b"));
        write_atomically(&ours, false, |_| Ok(())).unwrap();
        fs::write(&plain, b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn a_missing_folder_and_a_folder_in_the_way_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("no/such/a.json");
        let error = write_atomically(&inside, false, |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("no/such/a.json"), "{error}");
        let error = write_atomically(folder.path(), true, |_| Ok(())).unwrap_err();
        assert!(matches!(error, GeotiffError::Folder { .. }), "{error}");
    }
}

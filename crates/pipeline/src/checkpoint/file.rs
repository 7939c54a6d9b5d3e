//! A checkpoint's file: a mark, a header for people and programs, a body, and a checksum over all of it.
//!
//! ```text
//! "thalweg\x1a"   8 bytes
//! format          u32, little-endian
//! "header  "      a section that holds JSON
//! sections        what the run needs to go on
//! BLAKE3          32 bytes, over everything before
//! ```
//!
//! There are two, written in turn, so that one is whole whatever happens to the other.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thalweg_geotiff::{GeotiffError, write_atomically};
use thalweg_grid::{SectionReader, SectionWriter};

/// Both files' names in the output folder.
pub(crate) const NAMES: [&str; 2] = [".thalweg.checkpoint-0", ".thalweg.checkpoint-1"];

const MARK: &[u8; 8] = b"thalweg\x1a";
/// Changes with anything in the body that an older program would misread.
const FORMAT: u32 = 1;
const CHECKSUM: u64 = blake3::OUT_LEN as u64;

/// Which run a checkpoint is of, and how far it had come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Version of the program.
    pub(crate) version: String,
    /// Checkpoints of the run before this one.
    pub(crate) number: u64,
    /// Seed of every random choice.
    pub(crate) seed: u64,
    /// Hash of the resolved pipeline, in which an input stands for its content.
    pub(crate) pipeline_blake3: String,
    /// Hash of that input.
    pub(crate) input_blake3: Option<String>,
    /// How far the run had come, in words.
    pub(crate) at: String,
    /// Whether a stage is under way.
    pub(crate) under_way: bool,
    /// Wall time so far, s, of the run and of the stage that is under way.
    pub(crate) wall_s: [f64; 2],
}

/// The two files of a folder.
pub(crate) fn paths(folder: &Path) -> [PathBuf; 2] {
    NAMES.map(|name| folder.join(name))
}

/// Writes a checkpoint in place of the one under this name, which stands until the new one is whole.
///
/// `body` is asked for the same bytes once more when they do not fit, to tell how many there are.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    body: &dyn Fn(&mut dyn Write) -> Result<()>,
) -> std::result::Result<(), GeotiffError> {
    let fill = |out: &mut dyn Write| {
        let mut out = Hashing {
            out,
            hash: blake3::Hasher::new(),
        };
        out.write_all(MARK)?;
        out.write_all(&FORMAT.to_le_bytes())?;
        let text = serde_json::to_string(header)?;
        SectionWriter::new(&mut out).value(*b"header  ", &text)?;
        body(&mut out)?;
        out.out.write_all(out.hash.finalize().as_bytes())
    };
    write_atomically(path, true, fill).map_err(|error| match error {
        GeotiffError::NoSpace {
            path,
            free_bytes,
            message,
            ..
        } => {
            let mut size = Counting(0);
            // Nothing that only counts can fail; what was written once can be written again.
            let _ = fill(&mut size);
            GeotiffError::NoSpace {
                path,
                needed_bytes: size.0,
                free_bytes,
                message,
            }
        }
        other => other,
    })
}

/// Opens what is a file: a pipe in its place would be waited for.
fn open(path: &Path) -> Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(damaged("is no file"));
    }
    File::open(path)
}

/// The header of a checkpoint, whose body is not looked at, and the file at the body's start.
pub(crate) fn header(path: &Path) -> Result<(Header, File)> {
    let mut file = open(path)?;
    let (mut mark, mut format) = ([0; 8], [0; 4]);
    file.read_exact(&mut mark)?;
    file.read_exact(&mut format)?;
    if mark != *MARK || u32::from_le_bytes(format) != FORMAT {
        return Err(damaged("is no checkpoint of this format"));
    }
    let text: String = SectionReader::new(&mut file).value(*b"header  ")?;
    Ok((serde_json::from_str(&text)?, file))
}

/// Fails unless every byte of a checkpoint is as it was written.
pub(crate) fn verify(path: &Path) -> Result<()> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let Some(content) = length.checked_sub(CHECKSUM) else {
        return Err(damaged("is cut short"));
    };
    let mut hash = blake3::Hasher::new();
    hash.update_reader(Read::by_ref(&mut file).take(content))?;
    file.seek(SeekFrom::Start(content))?;
    let mut expected = [0; CHECKSUM as usize];
    file.read_exact(&mut expected)?;
    if hash.finalize() != blake3::Hash::from_bytes(expected) {
        return Err(damaged("is damaged: its checksum is another"));
    }
    Ok(())
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// Passes bytes on and hashes them.
struct Hashing<'a> {
    out: &'a mut dyn Write,
    hash: blake3::Hasher,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = self.out.write(bytes)?;
        self.hash.update(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

/// Counts bytes.
struct Counting(u64);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn sample() -> Header {
        Header {
            version: "1.2.3".to_owned(),
            number: 7,
            seed: 42,
            pipeline_blake3: "abc".to_owned(),
            input_blake3: None,
            at: "erode rivers".to_owned(),
            under_way: true,
            wall_s: [1.5, 0.5],
        }
    }

    #[test]
    fn every_flipped_bit_and_every_missing_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [path, _] = paths(folder.path());
        write(&path, &sample(), &|out| out.write_all(b"the body")).unwrap();
        verify(&path).unwrap();
        let (header, mut rest) = header(&path).unwrap();
        assert_eq!(header, sample());
        let mut body = Vec::new();
        rest.read_to_end(&mut body).unwrap();
        assert_eq!(&body[..8], b"the body");
        assert_eq!(body.len(), 8 + 32);
        let whole = fs::read(&path).unwrap();
        for byte in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1 << (byte % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(verify(&path).is_err(), "byte {byte}");
            fs::write(&path, &whole[..byte]).unwrap();
            assert!(verify(&path).is_err(), "cut at {byte}");
        }
    }
}

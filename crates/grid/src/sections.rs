//! State that is written down piece by piece, to be read back in the same order.
//!
//! A section is a name of eight bytes, its length in bytes (`u64`, little-endian) and its content: cells as they
//! lie, little-endian, or a small value in the format of the crate `postcard`. Nothing is held twice but small values.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// A section's name.
pub type SectionName = [u8; 8];

/// Bytes that are gathered before they are written, or read at once.
const CHUNK: usize = 1 << 16;

/// Writes sections one after another.
pub struct SectionWriter<'a> {
    out: &'a mut dyn Write,
}

impl<'a> SectionWriter<'a> {
    /// Writes to `out`, which needs no buffer of its own for cells.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }

    fn begin(&mut self, name: SectionName, bytes: u64) -> Result<()> {
        self.out.write_all(&name)?;
        self.out.write_all(&bytes.to_le_bytes())
    }

    /// Writes a small value.
    ///
    /// # Errors
    /// When the system fails, or the value has no size that is known beforehand.
    pub fn value<T: Serialize + ?Sized>(&mut self, name: SectionName, value: &T) -> Result<()> {
        let bytes = postcard::to_stdvec(value).map_err(Error::other)?;
        self.begin(name, bytes.len() as u64)?;
        self.out.write_all(&bytes)
    }

    /// Writes cells of `N` bytes each.
    ///
    /// # Errors
    /// When the system fails.
    pub fn cells<const N: usize>(
        &mut self,
        name: SectionName,
        cells: impl ExactSizeIterator<Item = [u8; N]>,
    ) -> Result<()> {
        self.begin(name, cells.len() as u64 * N as u64)?;
        let mut chunk = Vec::with_capacity(CHUNK);
        for cell in cells {
            chunk.extend_from_slice(&cell);
            if chunk.len() + N > CHUNK {
                self.out.write_all(&chunk)?;
                chunk.clear();
            }
        }
        self.out.write_all(&chunk)
    }
}

/// Reads sections in the order in which they were written.
pub struct SectionReader<'a> {
    from: &'a mut dyn Read,
}

impl<'a> SectionReader<'a> {
    /// Reads from `from`, which needs no buffer of its own for cells.
    pub fn new(from: &'a mut dyn Read) -> Self {
        Self { from }
    }

    /// The length of the next section, bytes, which must have this name.
    fn begin(&mut self, name: SectionName) -> Result<u64> {
        let (mut found, mut bytes) = ([0; 8], [0; 8]);
        self.from.read_exact(&mut found)?;
        self.from.read_exact(&mut bytes)?;
        if found != name {
            return Err(wrong(name, "is not the next section"));
        }
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a small value.
    ///
    /// # Errors
    /// When the system fails, or the next section is another or holds something else.
    pub fn value<T: DeserializeOwned>(&mut self, name: SectionName) -> Result<T> {
        let length = self.begin(name)?;
        let mut bytes = Vec::new();
        self.from.take(length).read_to_end(&mut bytes)?;
        match postcard::take_from_bytes(&bytes) {
            Ok((value, [])) => Ok(value),
            _ => Err(wrong(name, "does not hold what it should")),
        }
    }

    /// Reads `count` cells of `N` bytes, and hands on each with its index.
    ///
    /// # Errors
    /// When the system fails, or the next section is another or has another size.
    pub fn each_cell<const N: usize>(
        &mut self,
        name: SectionName,
        count: usize,
        mut take: impl FnMut(usize, [u8; N]),
    ) -> Result<()> {
        if self.begin(name)? != count as u64 * N as u64 {
            return Err(wrong(name, "has the size of another map"));
        }
        let per_chunk = CHUNK / N;
        let mut chunk = vec![0; per_chunk * N];
        for first in (0..count).step_by(per_chunk) {
            let bytes = &mut chunk[..per_chunk.min(count - first) * N];
            self.from.read_exact(bytes)?;
            let (cells, _) = bytes.as_chunks::<N>();
            for (index, &cell) in (first..).zip(cells) {
                take(index, cell);
            }
        }
        Ok(())
    }

    /// Reads `count` cells of `N` bytes.
    ///
    /// # Errors
    /// As [`each_cell`](Self::each_cell).
    pub fn cells<const N: usize, T>(
        &mut self,
        name: SectionName,
        count: usize,
        of: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>> {
        let mut cells = Vec::with_capacity(count);
        self.each_cell(name, count, |_, cell| cells.push(of(cell)))?;
        Ok(cells)
    }
}

fn wrong(name: SectionName, what: &str) -> Error {
    let name = String::from_utf8_lossy(&name);
    Error::new(ErrorKind::InvalidData, format!("`{}` {what}", name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_bit_by_bit() {
        // More than a chunk, and no whole number of chunks; a quiet NaN with a payload, −0, ∞.
        let odd = [0x7fc0_1234, 0x8000_0000, 0x7f80_0000, 1];
        let cells: Vec<f32> = (0..50_001_u32)
            .map(|n| f32::from_bits(odd[n as usize % 4] ^ (n >> 2)))
            .collect();
        let value = (
            f64::NEG_INFINITY,
            Some(vec![1_u64, u64::MAX]),
            "text".to_owned(),
        );
        let mut file = Vec::new();
        let mut out = SectionWriter::new(&mut file);
        out.cells(*b"heights ", cells.iter().map(|cell| cell.to_le_bytes()))
            .unwrap();
        out.value(*b"value   ", &value).unwrap();
        out.cells(
            *b"mask    ",
            [true, false].iter().map(|&cell| [u8::from(cell)]),
        )
        .unwrap();
        assert_eq!(&file[..16], b"heights \x44\x0d\x03\0\0\0\0\0");
        let mut from = &file[..];
        let mut from = SectionReader::new(&mut from);
        let back = from
            .cells(*b"heights ", 50_001, f32::from_le_bytes)
            .unwrap();
        let bits = |cells: &[f32]| cells.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
        assert!(bits(&back) == bits(&cells));
        let back: (f64, Option<Vec<u64>>, String) = from.value(*b"value   ").unwrap();
        assert_eq!(back, value);
        let mask = from.cells(*b"mask    ", 2, |[cell]| cell != 0).unwrap();
        assert_eq!(mask, [true, false]);
    }

    #[test]
    fn another_section_size_or_end_is_told() {
        let mut file = Vec::new();
        let mut out = SectionWriter::new(&mut file);
        out.cells(
            *b"a       ",
            [1_u32, 2].iter().map(|cell| cell.to_le_bytes()),
        )
        .unwrap();
        let read = |bytes: &[u8], name, count| {
            let mut from = bytes;
            let cells = SectionReader::new(&mut from).cells(name, count, u32::from_le_bytes);
            cells.map_err(|error| error.to_string())
        };
        assert_eq!(read(&file, *b"a       ", 2), Ok(vec![1, 2]));
        let error = read(&file, *b"b       ", 2).unwrap_err();
        assert!(error.contains("`b` is not the next section"), "{error}");
        let error = read(&file, *b"a       ", 3).unwrap_err();
        assert!(error.contains("another map"), "{error}");
        assert!(read(&file[..file.len() - 1], *b"a       ", 2).is_err());
    }
}

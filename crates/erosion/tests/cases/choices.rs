//! Choices read off bytes.

/// Bytes as a source of choices; zeros once they have run out.
pub(crate) struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes: bytes.iter(),
        }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    /// 0 to 1, ends included.
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(u16::from_le_bytes([self.byte(), self.byte()])) / f64::from(u16::MAX)
    }

    /// One time in `of`, and never for a byte 0.
    pub(crate) fn seldom(&mut self, of: u8) -> bool {
        self.byte() % of == of - 1
    }

    /// A whole number, ends included.
    pub(crate) fn whole(&mut self, least: usize, most: usize) -> usize {
        least + (self.unit() * (most - least) as f64 + 0.5) as usize
    }

    /// Half of the time the default, else an end of the range or, as likely in each decade, a value within. A range
    /// that starts at 0 has ten decades.
    pub(crate) fn parameter(&mut self, default: f64, [least, most]: [f64; 2]) -> f64 {
        match self.byte() {
            0..128 => default,
            128..140 => least,
            140..152 => most,
            _ => {
                let lowest = if least > 0.0 { least } else { most * 1e-10 };
                let drawn = lowest * libm::pow(most / lowest, self.unit());
                drawn.clamp(least, most)
            }
        }
    }

    /// The same of whole numbers.
    pub(crate) fn count(&mut self, default: usize, [least, most]: [usize; 2]) -> usize {
        let range = [least as f64, most as f64];
        (self.parameter(default as f64, range) + 0.5) as usize
    }

    /// The same of a share, 0 to 1 and evenly.
    pub(crate) fn share(&mut self, default: f64) -> f64 {
        match self.byte() {
            0..128 => default,
            128..140 => 0.0,
            140..152 => 1.0,
            _ => self.unit(),
        }
    }
}

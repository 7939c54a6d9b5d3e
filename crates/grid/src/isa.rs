//! The instruction sets that kernels are compiled for.
//!
//! Each kernel is one piece of plain Rust, compiled twice: for the baseline of the target and, on x86-64, for AVX2.
//! Both give the same bits: the same operations in the same order, and no fused multiply–add, which rounds
//! once where two operations round twice.

/// Which instructions of the processor are used. It does not matter for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instructions {
    /// Those that every processor of the target has.
    Baseline,
    /// AVX2 where there is such.
    #[default]
    Detected,
}

/// A set of instructions that this processor has. Only [`Isa::detect`] makes one with AVX2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa {
    avx2: bool,
}

impl Isa {
    /// What every processor of the target has.
    pub const BASELINE: Self = Self { avx2: false };

    /// The best that there is here.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Self { avx2 }
    }

    /// The set for a choice.
    #[must_use]
    pub fn of(instructions: Instructions) -> Self {
        match instructions {
            Instructions::Baseline => Self::BASELINE,
            Instructions::Detected => Self::detect(),
        }
    }

    /// Whether kernels may use AVX2.
    #[inline]
    #[must_use]
    pub const fn avx2(self) -> bool {
        self.avx2
    }
}

/// Declares kernels: functions that take an [`Isa`] first and are compiled once for each instruction set.
///
/// A kernel returns nothing, and what it calls must be `#[inline(always)]`, or it is compiled for the baseline alone.
#[macro_export]
macro_rules! kernels {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)+) => {$(
        $(#[$meta])*
        // Inlined into what calls it, the baseline's kernel would weigh that down with its stack.
        #[inline(never)]
        $vis fn $name(isa: $crate::Isa, $($arg: $type),*) {
            #[inline(always)]
            fn generic($($arg: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $type),*) {
                generic($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            if isa.avx2() {
                #[expect(unsafe_code, reason = "a function compiled for instructions that only some have")]
                // SAFETY: an `Isa` says AVX2 only after the processor was asked for it.
                unsafe {
                    avx2($($arg),*);
                }
                return;
            }
            generic($($arg),*);
        }
    )+};
}

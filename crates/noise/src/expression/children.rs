//! The tree's shape.

use super::{Noise, Sum};

impl Noise {
    /// What a node is made of, in the order of the file.
    #[must_use]
    pub fn children(&self) -> Vec<&Noise> {
        match self {
            Self::Abs(of) | Self::Invert(of) | Self::Named(_, of) => vec![of],
            Self::Clamp { of, .. }
            | Self::Power { of, .. }
            | Self::Bias { of, .. }
            | Self::Gain { of, .. }
            | Self::Curve { of, .. }
            | Self::Terrace { of, .. }
            | Self::Scale { of, .. }
            | Self::Wave { of, .. }
            | Self::Normalise { of, .. }
            | Self::Warp { of, .. }
            | Self::Stretch { of, .. }
            | Self::Rotate { of, .. }
            | Self::Translate { of, .. }
            | Self::Swirl { of, .. }
            | Self::Flow { of, .. }
            | Self::At { of, .. } => vec![of],
            Self::Add(of) | Self::Multiply(of) | Self::Min(of) | Self::Max(of) => {
                of.iter().collect()
            }
            Self::Subtract(of) | Self::SmoothMin { of, .. } | Self::SmoothMax { of, .. } => {
                of.iter().collect()
            }
            Self::Blend { of, mask: by } | Self::Select { of, by, .. } => vec![&of[0], &of[1], by],
            Self::Displace { of, by, .. } => vec![of, &by[0], &by[1]],
            _ => Vec::new(),
        }
    }

    /// The sum of octaves that a node is, if it is one.
    #[must_use]
    pub const fn sum(&self) -> Option<&Sum> {
        match self {
            Self::Fbm(sum)
            | Self::Billow(sum)
            | Self::Turbulence(sum)
            | Self::Ridged(sum)
            | Self::Hybrid(sum)
            | Self::Heterogeneous(sum)
            | Self::PingPong(sum)
            | Self::Eroded(sum) => Some(sum),
            _ => None,
        }
    }

    /// The periods, s, of all that changes over time in an expression; none where it never repeats. Empty: nothing
    /// changes.
    #[must_use]
    pub fn periods(&self) -> Vec<Option<f64>> {
        let of_evolution = |evolution: Option<super::Evolution>| evolution.map(|e| e.loop_s);
        let own = match self {
            Self::Plain(plain) => of_evolution(plain.evolution),
            Self::Wave { period_s, .. } | Self::Swirl { period_s, .. } => period_s.map(Some),
            Self::Flow { period_s, .. } => Some(Some(*period_s)),
            _ => self.sum().and_then(|sum| of_evolution(sum.evolution)),
        };
        let below = self.children().into_iter().flat_map(Self::periods);
        own.into_iter().chain(below).collect()
    }

    /// How many octaves a node itself evaluates for a cell: what its cost goes by.
    #[must_use]
    pub fn own_octaves(&self) -> u32 {
        match self {
            Self::Warp { by, .. } => 2 * by.octaves,
            Self::DiamondSquare(_) | Self::Automaton(_) | Self::Plain(_) | Self::White { .. } => 1,
            _ => self.sum().map_or(0, |sum| sum.octaves),
        }
    }

    /// How deep the tree is and how many nodes it has.
    pub(crate) fn size(&self) -> [usize; 2] {
        // A flow is made of three copies.
        let copies = if matches!(self, Self::Flow { .. }) {
            3
        } else {
            1
        };
        let below = self.children().into_iter().map(Self::size);
        below.fold([1, 1], |[depth, nodes], [d, n]| {
            [depth.max(d + 1), nodes.saturating_add(copies * n)]
        })
    }
}

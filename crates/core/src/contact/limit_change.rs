/// Change of friction limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitChange {
    /// Root of the sum of its squares, over that of the limits.
    pub share: f64,
    /// Particle of the largest change, the first end of a pair. `None` without a change.
    pub particle: Option<usize>,
}

/// Changes of several friction limits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes {
    /// Sums of the squares of changes, and of limits, N2.
    squares: [f64; 2],
    /// Square of the largest change, N2, and its particle.
    largest: (f64, u32),
}

impl Changes {
    /// Adds the change of a limit of `particle`, N.
    pub(super) fn add(&mut self, particle: u32, from: f64, to: f64) {
        let change = (to - from).powi(2);
        self.squares[0] += change;
        self.squares[1] += to * to;
        if change > self.largest.0 {
            self.largest = (change, particle);
        }
    }

    /// The change of all `parts`.
    pub(super) fn total(parts: &[Self]) -> LimitChange {
        let mut sum = Self::default();
        for part in parts {
            let ([changed, whole], [of_part, whole_of_part]) = (sum.squares, part.squares);
            sum.squares = [changed + of_part, whole + whole_of_part];
            if part.largest.0 > sum.largest.0 {
                sum.largest = part.largest;
            }
        }
        let Self { squares: [changed, whole], largest: (largest, particle) } = sum;
        LimitChange {
            share: if changed == 0.0 { 0.0 } else { (changed / whole).sqrt() },
            particle: (largest > 0.0).then_some(particle as usize),
        }
    }
}

/// Change of friction limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitChange {
    /// Sums of the squares of changes, and of limits, N2.
    squares: [f64; 2],
    /// Square of the largest change, N2, and its particle.
    largest: (f64, u32),
}

impl LimitChange {
    /// Root of the sum of the squares of changes, over that of the limits.
    pub fn share(&self) -> f64 {
        let [changed, whole] = self.squares;
        if changed == 0.0 { 0.0 } else { (changed / whole).sqrt() }
    }

    /// Particle of the largest change, the first end of a pair. `None` without a change.
    pub fn particle(&self) -> Option<usize> {
        (self.largest.0 > 0.0).then_some(self.largest.1 as usize)
    }

    /// Adds the change of a limit of `particle`, N.
    pub(super) fn add(&mut self, particle: u32, from: f64, to: f64) {
        let change = (to - from).powi(2);
        *self += Self { squares: [change, to * to], largest: (change, particle) };
    }
}

impl std::ops::AddAssign for LimitChange {
    fn add_assign(&mut self, other: Self) {
        let ([changed, whole], [by, of]) = (self.squares, other.squares);
        self.squares = [changed + by, whole + of];
        if other.largest.0 > self.largest.0 {
            self.largest = other.largest;
        }
    }
}

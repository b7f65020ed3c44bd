/// Bounds of a parameter, both excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// Ratio of two positive bounds from which a parameter varies by its logarithm.
const LOGARITHMIC: f64 = 10.0;

/// Free parameter beyond which rounding would put a parameter onto its bound.
const MOST: f64 = 30.0;

impl Bounds {
    /// Whether a value is strictly within.
    pub fn contain(&self, x: f64) -> bool {
        self.low < x && x < self.high
    }

    fn is_logarithmic(&self) -> bool {
        self.low > 0.0 && self.high / self.low >= LOGARITHMIC
    }

    /// Share of the way from the lower bound to the upper one at which `x` is; of logarithms where the upper bound is ten times
    /// the lower.
    pub fn share(&self, x: f64) -> f64 {
        if self.is_logarithmic() {
            libm::log(x / self.low) / libm::log(self.high / self.low)
        } else {
            (x - self.low) / (self.high - self.low)
        }
    }

    /// Value at a share of the way from the lower bound to the upper one, the inverse of [`Self::share`].
    pub fn at(&self, share: f64) -> f64 {
        if self.is_logarithmic() {
            self.low * libm::exp(share * libm::log(self.high / self.low))
        } else {
            self.low + share * (self.high - self.low)
        }
    }

    /// Parameter of a free number u: at the share s = 1/(1 + exp(-u)) of the way between the bounds.
    pub(super) fn bounded(&self, u: f64) -> f64 {
        self.at(share(u))
    }

    /// Derivative of [`Self::bounded`].
    pub(super) fn slope(&self, u: f64) -> f64 {
        let s = share(u);
        let by_share =
            if self.is_logarithmic() { self.at(s) * libm::log(self.high / self.low) } else { self.high - self.low };
        by_share * s * (1.0 - s)
    }

    /// Inverse of [`Self::bounded`].
    pub(super) fn to_free(self, x: f64) -> f64 {
        free(self.share(x))
    }
}

/// Free number of a share.
pub(super) fn free(share: f64) -> f64 {
    libm::log(share / (1.0 - share)).clamp(-MOST, MOST)
}

fn share(u: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-u.clamp(-MOST, MOST)))
}

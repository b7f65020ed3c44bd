use std::fmt::{self, Display, Formatter};
use std::ops::{Add, Mul};

/// Range of a time, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Lower end, s.
    pub low: f64,
    /// Upper end, s.
    pub high: f64,
}

/// Limit on the ratio of the ends of a range that is shown as one number. Its error is at most the square root of this.
const NARROW: f64 = 3.0;

impl Span {
    /// Range of a known time, s.
    pub fn of(seconds: f64) -> Self {
        Self { low: seconds, high: seconds }
    }

    /// Geometric mean, s.
    pub fn middle(&self) -> f64 {
        (self.low * self.high).sqrt()
    }

    /// Whether one number represents it.
    pub fn is_narrow(&self) -> bool {
        self.high <= NARROW * self.low
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

impl Mul<f64> for Span {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { low: factor * self.low, high: factor * self.high }
    }
}

/// `about 50 s`, or `40 s to 3 min`.
impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_narrow() {
            write!(f, "about {}", duration(self.middle()))
        } else {
            write!(f, "{} to {}", duration(self.low), duration(self.high))
        }
    }
}

/// Seconds in a suitable unit, with two digits.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 0.9995 => (1e3 * s, "ms"),
        s if s < 119.5 => (s, "s"),
        s if s < 7170.0 => (s / 60.0, "min"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "h"),
        s => (s / 86400.0, "days"),
    };
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

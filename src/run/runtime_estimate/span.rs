use std::fmt::{self, Display, Formatter};
use std::ops::{Add, Mul};

/// How long something takes, s: at least and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    pub low: f64,
    pub high: f64,
}

/// Spans no wider than this, as the quotient of their ends, are told as one figure, which is off by no more than its root.
const NARROW: f64 = 3.0;

impl Span {
    /// What is known, s.
    pub fn of(seconds: f64) -> Self {
        Self { low: seconds, high: seconds }
    }

    /// One figure for it, s: as many times more than the least as it is less than the most.
    pub fn middle(&self) -> f64 {
        (self.low * self.high).sqrt()
    }

    /// Whether one figure tells it well.
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

/// Seconds in the unit that suits them, to two digits.
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

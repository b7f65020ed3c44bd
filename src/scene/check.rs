//! The words for checking values: where they are, and what is wrong with them.

use std::fmt;

use crate::geometry::Vec3;

/// Something wrong with the value at a place.
#[derive(Debug)]
pub(super) struct Fault {
    /// The keys that lead to it.
    pub at: Vec<String>,
    /// What it is, and what was expected.
    pub message: String,
    /// What to do, where that is not obvious.
    pub help: Option<String>,
}

impl Fault {
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A place in a scene, as the keys that lead to it: `bodies`, `1`, `particle_radius`.
#[derive(Clone, Debug, Default)]
pub(super) struct At(Vec<String>);

impl At {
    pub fn root() -> Self {
        Self::default()
    }

    pub fn key(&self, key: impl ToString) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.to_string());
        Self(keys)
    }

    pub fn wrong(&self, message: impl Into<String>) -> Fault {
        Fault { at: self.0.clone(), message: message.into(), help: None }
    }

    /// `Ok` where `good`, otherwise "`key` is `value`, but must be `expected`".
    pub fn expect(&self, good: bool, value: impl fmt::Debug, expected: &str) -> Result<(), Fault> {
        if good {
            return Ok(());
        }
        let key = self.0.last().map_or("", String::as_str);
        Err(self.wrong(format!("{key} is {value:?}, but must be {expected}")))
    }

    pub fn finite(&self, value: f64) -> Result<(), Fault> {
        self.expect(value.is_finite(), value, "a finite number")
    }

    pub fn positive(&self, value: f64, unit: &str) -> Result<(), Fault> {
        self.expect(value > 0.0 && value.is_finite(), value, &format!("a positive number{unit}"))
    }

    pub fn not_negative(&self, value: f64) -> Result<(), Fault> {
        self.expect(value >= 0.0 && value.is_finite(), value, "a number of at least 0")
    }

    /// Strictly between 0 and 1.
    pub fn share(&self, value: f64) -> Result<(), Fault> {
        self.expect(value > 0.0 && value < 1.0, value, "between 0 and 1")
    }

    pub fn at_least_one(&self, value: u32) -> Result<(), Fault> {
        self.expect(value > 0, value, "at least 1")
    }

    pub fn at_most(&self, value: u32, most: u32) -> Result<(), Fault> {
        self.expect(value <= most, value, &format!("at most {most}"))
    }

    pub fn vector(&self, value: &[f64; 3]) -> Result<(), Fault> {
        self.expect(value.iter().all(|x| x.is_finite()), value, "three finite numbers")
    }

    /// A vector whose direction counts.
    pub fn direction(&self, value: &[f64; 3]) -> Result<(), Fault> {
        self.vector(value)?;
        self.expect(Vec3::from(*value).norm().is_normal(), value, "a direction, with a length above 0")
    }

    /// Text that can be part of a file name.
    pub fn name(&self, name: &str) -> Result<(), Fault> {
        /// File names may have 255 bytes, and some come behind.
        const LONGEST: usize = 100;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=LONGEST).contains(&name.len()) && name.chars().all(fits) {
            return Ok(());
        }
        let fault = format!("the name {name:?} must be made of 1 to {LONGEST} letters, digits, - and _ only");
        Err(self.wrong(fault).help("names become file names"))
    }
}

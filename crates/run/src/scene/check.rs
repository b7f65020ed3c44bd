//! Checks of single values, and their errors.

use std::fmt;

use bdem_core::geometry::Vec3;

/// Error of the value at a place.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// Keys that lead to the value.
    pub at: Vec<String>,
    /// The value, and the values that are allowed.
    pub message: String,
    /// Remedy, where it is not obvious.
    pub help: Option<String>,
}

impl Fault {
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Physical quantity with the greatest magnitude that a scene may have. Beyond it numbers overflow or lose all digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    max: f64,
    unit: &'static str,
}

impl Quantity {
    /// Greatest magnitude, in the quantity's unit.
    pub(super) const fn max(self) -> f64 {
        self.max
    }

    /// An f64 of 1e6 degrees resolves 1e-10 degrees.
    pub(super) const ANGLE: Self = Self { max: 1e6, unit: "degrees" };
    /// Speed of light.
    pub(super) const SPEED: Self = Self { max: 299_792_458.0, unit: "m/s" };
    /// A sphere of 0.3 m would have the speed of light at its surface.
    pub(super) const SPIN: Self = Self { max: 1e9, unit: "rad/s" };
    /// Gravity on a neutron star.
    pub(super) const ACCELERATION: Self = Self { max: 1e12, unit: "m/s2" };
    /// More than the distance of the moon.
    pub(super) const LENGTH: Self = Self { max: 1e9, unit: "m" };
    /// Thirty years.
    pub(super) const TIME: Self = Self { max: 1e9, unit: "s" };
    /// A frame each femtosecond.
    pub(super) const RATE: Self = Self { max: 1e15, unit: "frames per second" };
    /// Less than gravity between earth and sun, which is 4e22 N.
    pub(super) const FORCE: Self = Self { max: 1e20, unit: "N" };
    pub(super) const TORQUE: Self = Self { max: 1e20, unit: "N m" };
    /// More than the earth's, which is 5e5 C.
    pub(super) const CHARGE: Self = Self { max: 1e9, unit: "C" };
    /// Beyond 1.3e18 V/m a vacuum conducts.
    pub(super) const FIELD: Self = Self { max: 1e18, unit: "V/m" };
    /// Density of a neutron star.
    pub(super) const DENSITY: Self = Self { max: 1e18, unit: "kg/m3" };
    /// A wire of diamond, as thick as it is long, of a kilometre.
    pub(super) const STIFFNESS: Self = Self { max: 1e15, unit: "N/m" };
    /// A thousand times diamond's Young's modulus.
    pub(super) const MODULUS: Self = Self { max: 1e15, unit: "Pa" };
}

/// Place in a scene, as the keys that lead to it: `bodies`, `1`, `particle_radius`.
#[derive(Clone, Debug, Default)]
pub(super) struct At(pub Vec<String>);

impl At {
    pub(super) fn root() -> Self {
        Self::default()
    }

    pub(super) fn key(&self, key: impl ToString) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.to_string());
        Self(keys)
    }

    /// The last key.
    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    pub(super) fn wrong(&self, message: impl Into<String>) -> Fault {
        Fault { at: self.0.clone(), message: message.into(), help: None }
    }

    /// `Ok` where `good`, otherwise the error "`key` is `value`, but must be `expected`".
    pub(super) fn expect(&self, good: bool, value: impl fmt::Debug, expected: &str) -> Result<(), Fault> {
        if good {
            return Ok(());
        }
        let key = self.last();
        Err(self.wrong(format!("{key} is {value:?}, but must be {expected}")))
    }

    pub(super) fn positive(&self, value: f64, unit: &str) -> Result<(), Fault> {
        self.expect(value > 0.0 && value.is_finite(), value, &format!("a positive number{unit}"))
    }

    /// Check of a number of this quantity, of either sign.
    pub(super) fn quantity(&self, value: f64, Quantity { max, unit }: Quantity) -> Result<(), Fault> {
        self.expect(value.is_finite(), value, "a finite number")?;
        self.expect(value.abs() <= max, value, &format!("a number from {:?} to {max:?} {unit}", -max))
    }

    /// Check of a vector of this quantity.
    pub(super) fn vector_of(&self, value: &[f64; 3], Quantity { max, unit }: Quantity) -> Result<(), Fault> {
        self.vector(value)?;
        let length = Vec3::from(*value).norm();
        self.expect(length <= max, value, &format!("a vector of at most {max:?} {unit}"))
    }

    /// Upper bound of a number of this quantity that is known to be positive.
    pub(super) fn no_more_than(&self, value: f64, Quantity { max, unit }: Quantity) -> Result<(), Fault> {
        self.expect(value <= max, value, &format!("at most {max:?} {unit}"))
    }

    pub(super) fn not_negative(&self, value: f64) -> Result<(), Fault> {
        self.expect(value >= 0.0 && value.is_finite(), value, "a number of at least 0")
    }

    /// Check of the times (s) of a table from which something acts, its `start`, and at which it ends, its `release`.
    pub(super) fn times_of_action(&self, start: f64, release: Option<f64>) -> Result<(), Fault> {
        self.key("start").not_negative(start)?;
        let expected = format!("a number of seconds above start, {start:?}");
        let later =
            |&release: &f64| self.key("release").expect(release > start && release.is_finite(), release, &expected);
        release.iter().try_for_each(later)
    }

    /// Check of a number strictly between 0 and 1.
    pub(super) fn share(&self, value: f64) -> Result<(), Fault> {
        self.expect(value > 0.0 && value < 1.0, value, "between 0 and 1")
    }

    pub(super) fn at_least_one(&self, value: u32) -> Result<(), Fault> {
        self.expect(value > 0, value, "at least 1")
    }

    pub(super) fn at_most(&self, value: u32, max: u32) -> Result<(), Fault> {
        self.expect(value <= max, value, &format!("at most {max}"))
    }

    pub(super) fn vector(&self, value: &[f64; 3]) -> Result<(), Fault> {
        self.expect(value.iter().all(|x| x.is_finite()), value, "three finite numbers")
    }

    /// Check of a vector whose direction alone counts.
    pub(super) fn direction(&self, value: &[f64; 3]) -> Result<(), Fault> {
        self.vector(value)?;
        self.expect(Vec3::from(*value).norm().is_normal(), value, "a direction, with a length above 0")
    }

    /// Check that a `kind` of thing has this name: one of those `known`.
    pub(super) fn known(&self, kind: &str, name: &str, known: &[&str]) -> Result<(), Fault> {
        if known.contains(&name) {
            return Ok(());
        }
        let help = match nearest(name, known.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None if known.is_empty() => "the scene has none with a name".to_owned(),
            None => format!("the scene has {}", known.join(", ")),
        };
        Err(self.wrong(format!("there is no {kind} {name:?}")).help(help))
    }

    /// Check of keys in time, each at one of `times` (s): at least one, in ascending order.
    pub(super) fn times(&self, times: impl ExactSizeIterator<Item = f64>) -> Result<(), Fault> {
        self.expect(times.len() > 0, times.len(), "a list of at least one key")?;
        let mut before = f64::NEG_INFINITY;
        for (i, time) in times.enumerate() {
            let at = self.key(i).key("time");
            at.quantity(time, Quantity::TIME)?;
            at.expect(time > before, time, &format!("later than the key before, {before:?} s"))?;
            before = time;
        }
        Ok(())
    }

    /// Check of text that becomes part of a file name.
    pub(super) fn name(&self, name: &str) -> Result<(), Fault> {
        /// File names may have 255 bytes, and frames append a number and an ending.
        const LONGEST: usize = 100;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=LONGEST).contains(&name.len()) && name.chars().all(fits) {
            return Ok(());
        }
        let fault = format!("the name {name:?} must be made of 1 to {LONGEST} letters, digits, - and _ only");
        Err(self.wrong(fault).help("names become file names"))
    }
}

/// Known name nearest to an unknown one, if the distance is that of a typing error.
pub(super) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Limit on the length of names: memory grows with the product of both.
    const LONGEST: usize = 64;
    if unknown.len() > LONGEST {
        return None;
    }
    let distance = |known: &&str| strsim::damerau_levenshtein(unknown, known);
    known.min_by_key(distance).filter(|nearest| distance(nearest) <= 1.max(unknown.len() / 3))
}

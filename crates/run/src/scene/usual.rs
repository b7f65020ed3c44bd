//! Usual ranges of a scene's quantities and of their ratios. A value outside is most likely in another unit.
//!
//! Sources: densities, moduli and strengths of solids from the charts in M. F. Ashby, Materials Selection in Mechanical
//! Design, and the CRC Handbook of Chemistry and Physics; gels and tissues from Discher, Janmey, Wang (Science, 2005);
//! graphene from Lee and others (Science, 2008); surface gravities from NASA's planetary fact sheets.

use super::check::{At, Fault};

/// Range of a quantity in practice, or of its ratio to another.
#[derive(Debug)]
struct Usual {
    /// Keys with this quantity.
    keys: &'static [&'static str],
    /// Key of the same table, or [`FRAME`] or [`RUN`], whose multiples the ranges are. Empty where they are of the value itself.
    beside: &'static str,
    /// Least value of `beside` for which the relation holds.
    from: f64,
    /// Unit of the value.
    unit: &'static str,
    /// Smallest and greatest usual value, each with the text that follows a value beyond it.
    least: (f64, &'static str),
    most: (f64, &'static str),
    /// Range of typical values, for the choice of a unit.
    typical: [f64; 2],
    /// Other units, and their values in the scene's unit. The first with a typical value is suggested.
    units: &'static [(&'static str, f64)],
    /// Range beyond which the value is an error in any unit.
    possible: [f64; 2],
    /// Remedy where no unit fits.
    hint: &'static str,
}

/// Quantities that relations refer to and that no key has: the length of a frame and of the run, s.
pub(super) const FRAME: &str = "the length of a frame";
pub(super) const RUN: &str = "the length of the run";

const NEVER: f64 = f64::INFINITY;
const MODULI: &[(&str, f64)] = &[("GPa", 1e9), ("MPa", 1e6), ("kPa", 1e3)];
const STRENGTHS: &[(&str, f64)] = &[("MPa", 1e6), ("GPa", 1e9), ("kPa", 1e3)];
const STRAINS: &str = "bonds break at such a strain, and solids at 1e-4 (rock) to 10 (rubber)";
const BOTH_IN_SI: &str = "are both in the units of the SI?";

/// Row without bounds.
const ANY: Usual = Usual {
    keys: &[],
    beside: "",
    from: 0.0,
    unit: "",
    least: (0.0, ""),
    most: (NEVER, ""),
    typical: [1.0, 1.0],
    units: &[],
    possible: [0.0, NEVER],
    hint: "",
};

/// The table, with a row for each quantity and relation. Zero and infinity are usual everywhere.
const USUAL: [Usual; 20] = [
    Usual {
        keys: &["density"],
        unit: "kg/m3",
        least: (10.0, "lighter than any foam (polystyrene: 15)"),
        most: (22_600.0, "denser than osmium (22 600)"),
        typical: [100.0, 22_600.0],
        units: &[("g/cm3", 1e3), ("g/m3", 1e-3), ("kg/mm3", 1e9), ("t/mm3", 1e12)],
        possible: [0.05, NEVER], // hydrogen gas: 0.09
        hint: "water has 1000, ceramics 2000 to 4000, steel 7800",
        ..ANY
    },
    Usual {
        keys: &["young_modulus"],
        unit: "Pa",
        least: (1e3, "softer than any gel (brain, gelatine: 1e3)"),
        most: (1.3e12, "stiffer than diamond (1.2e12)"),
        typical: [1e4, 1.3e12],
        units: MODULI,
        possible: [0.1, NEVER], // a hundredth of mucus
        hint: "rubber has 1e6 to 1e8, ceramics and metals 1e10 to 4e11",
        ..ANY
    },
    Usual {
        keys: &["shear_modulus"],
        unit: "Pa",
        least: (300.0, "softer than any gel (brain, gelatine: 300)"),
        most: (6e11, "stiffer than diamond (5e11)"),
        typical: [3e3, 6e11],
        units: MODULI,
        possible: [0.03, NEVER],
        hint: "rubber has 3e5 to 3e7, ceramics and metals 4e9 to 2e11",
        ..ANY
    },
    Usual {
        keys: &["tensile_strength", "shear_strength"],
        unit: "Pa",
        least: (1e3, "weaker than fresh snow and wet sand (1e3)"),
        most: (1.4e11, "stronger than graphene (1.3e11)"),
        typical: [1e4, 1e10],
        units: STRENGTHS,
        hint: "plaster has 1e6, glass and ceramics 1e7 to 1e8; leave it out for bonds that do not break",
        ..ANY
    },
    Usual {
        keys: &["weibull_modulus"],
        least: (1.0, "with more scatter than any solid (chalk, brick: 3)"),
        most: (1000.0, "with less scatter than any solid (steel: 100)"),
        typical: [1.0, 1.0],
        possible: [0.2, NEVER], // the median is 1e-3 of the mean at 0.2, and 1e-8 at 0.1
        hint: "glass and ceramics have 5 to 20; leave it out for bonds of one strength",
        ..ANY
    },
    Usual {
        keys: &["friction", "static_friction"],
        most: (2.0, "rougher than rubber on concrete (1.2)"),
        typical: [0.01, 1.0],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a ratio of forces",
        ..ANY
    },
    Usual {
        keys: &["rolling_friction"],
        most: (1.0, "so great that a cube rolls as a ball"),
        typical: [0.001, 1.0],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a share of the radius",
        ..ANY
    },
    Usual {
        keys: &["damping"],
        most: (1.0, "above critical damping (1)"),
        typical: [0.001, 0.5],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a share of critical damping: metals have 0.001 to 0.01, rubber 0.05 to 0.3",
        ..ANY
    },
    Usual {
        keys: &["vibration_decay"],
        unit: "s",
        least: (1e-5, "shorter than a wave takes across a pebble"),
        most: (100.0, "longer than any bell rings"),
        typical: [1e-4, 10.0],
        units: &[("ms", 1e-3)],
        hint: "shards of pottery ring for some milliseconds",
        ..ANY
    },
    Usual {
        keys: &["gravity"],
        unit: "m/s2",
        most: (280.0, "stronger than the sun's (274)"),
        typical: [1.6, 25.0],
        units: &[("mm/s2", 1e-3), ("cm/s2", 1e-2)],
        hint: "the earth's is 9.81",
        ..ANY
    },
    Usual {
        keys: &["charge", "total", "attribute"],
        unit: "C",
        least: (1e-20, "less than an electron's (1.6e-19)"),
        most: (1.0, "a particle's or body's share of a flash of lightning (15)"),
        typical: [1e-19, 1.0],
        units: &[("microcoulombs", 1e-6), ("nanocoulombs", 1e-9)],
        hint: "a rubbed balloon has 1e-7, [MSC] gives a particle 1e-6 to 8e-5",
        ..ANY
    },
    Usual {
        keys: &["velocity"],
        unit: "m/s",
        most: (2e3, "faster than any bullet (tank guns: 1800)"),
        typical: [0.01, 1000.0],
        units: &[("mm/s", 1e-3), ("cm/s", 1e-2)],
        hint: "a fall from 1 m ends at 4.4, a rifle's bullet has 900",
        ..ANY
    },
    Usual {
        keys: &["angular_velocity", "rate"],
        unit: "rad/s",
        most: (5e4, "faster than a dentist's drill (4e4)"),
        typical: [0.1, 5e4],
        units: &[("turns a minute", 0.104_719_755), ("degrees a second", 0.017_453_293)],
        hint: "a turn a second is 6.28",
        ..ANY
    },
    Usual {
        keys: &["frame_rate"],
        unit: "frames per second",
        least: (0.1, "less than a frame in ten seconds"),
        most: (1e8, "faster than any camera (1e7)"),
        typical: [1.0, 1e5],
        hint: "films have 24, slow motion 240 to 1000",
        ..ANY
    },
    Usual {
        keys: &["stiffness"],
        unit: "times the default",
        least: (1e-3, "too soft for contacts to keep particles apart"),
        most: (1e3, "far stiffer than the bonds"),
        typical: [1.0, 1.0],
        hint: "it is a factor on pi/2 E r, not a stiffness in N/m; leave it out for 1",
        ..ANY
    },
    Usual {
        keys: &["young_modulus"],
        beside: "density",
        unit: "Pa",
        least: (36.0, "sound travels at less than 6 m/s in it, as in the softest gels, which are lighter"),
        typical: [1e4, 4e8],
        units: &[("MPa", 1e6), ("GPa", 1e9)],
        from: 1500.0, // densest gels, kg/m3
        hint: BOTH_IN_SI,
        ..ANY
    },
    Usual {
        keys: &["tensile_strength", "shear_strength"],
        beside: "young_modulus",
        unit: "Pa",
        least: (1e-5, STRAINS),
        most: (100.0, STRAINS),
        typical: [1e-4, 1.0],
        units: &[("kPa", 1e3), ("MPa", 1e6)],
        hint: BOTH_IN_SI,
        ..ANY
    },
    Usual {
        keys: &["shear_modulus"],
        beside: "young_modulus",
        unit: "Pa",
        least: (1e-3, "usual is 0.4"),
        most: (1e3, "usual is 0.4"),
        typical: [0.1, 1.0],
        units: &[("MPa", 1e6), ("GPa", 1e9), ("kPa", 1e3)],
        hint: BOTH_IN_SI,
        ..ANY
    },
    Usual {
        keys: &["step"],
        beside: FRAME,
        unit: "s",
        most: (2.0, "no step is longer, and a frame would be one step"),
        typical: [0.0, 1.0],
        units: &[("ms", 1e-3), ("microseconds", 1e-6)],
        hint: "leave it out for \"auto\"",
        ..ANY
    },
    Usual {
        keys: &["time", "start"],
        beside: RUN,
        unit: "s",
        most: (2.0, "the run ends long before"),
        typical: [0.0, 1.0],
        units: &[("ms", 1e-3)],
        hint: "times are in seconds, not in frames",
        ..ANY
    },
];

/// Usual ranges of a scene's keys: the keys of a quantity, its unit (empty for a ratio), and the smallest and the largest usual
/// value. A value outside is warned of.
pub fn usual_ranges() -> impl Iterator<Item = (&'static [&'static str], &'static str, [f64; 2])> {
    let ranges = USUAL.iter().filter(|usual| usual.beside.is_empty());
    ranges.map(|usual| (usual.keys, usual.unit, [usual.least.0, usual.most.0]))
}

/// Warnings of a table's values, each magnitude by its key in `values`, that are outside usual ranges. A value that is doubted
/// itself is not held against others.
///
/// # Errors
/// For a value that is impossible in any unit.
pub(super) fn judge(values: impl Fn(&str) -> Option<f64>, at: &At) -> Result<Vec<Fault>, Fault> {
    let (mut faults, mut doubted) = (Vec::new(), Vec::new());
    for usual in &USUAL {
        let one = if usual.beside.is_empty() { Some(1.0) } else { values(usual.beside) };
        let Some(one) = one.filter(|one| *one >= usual.from && !doubted.contains(&usual.beside)) else { continue };
        for &key in usual.keys {
            let Some(value) = values(key).filter(|_| !doubted.contains(&key)) else { continue };
            let Some(fault) = usual.fault(value, one, &at.key(key)) else { continue };
            if value < usual.possible[0] || value > usual.possible[1] {
                return Err(fault);
            }
            faults.push(fault);
            doubted.push(key);
        }
    }
    Ok(faults)
}

impl Usual {
    /// Warning of a value outside the usual range, which is in multiples of `one`.
    fn fault(&self, value: f64, one: f64, at: &At) -> Option<Fault> {
        let ((least, below), (most, above)) = (self.least, self.most);
        let ratio = value / one;
        if value == 0.0 || value.is_infinite() || (least..=most).contains(&ratio) {
            return None;
        }
        let beyond = if ratio < least { below } else { above };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let range = if self.beside.is_empty() {
            format!("{beyond}; usual are {} to {}{unit}", short(least), short(most))
        } else {
            format!("{} times {} ({}): {beyond}", short(ratio), self.beside, short(one))
        };
        let fault = at.wrong(format!("{} is {}{unit}, {range}", at.last(), short(value)));
        Some(fault.help(self.likely(value, one).unwrap_or_else(|| self.hint.to_owned())))
    }

    /// Question for the unit that `value` is in, with the value in the scene's unit.
    fn likely(&self, value: f64, one: f64) -> Option<String> {
        let [low, high] = self.typical.map(|bound| bound * one);
        if self.keys.contains(&"frame_rate") && (low..=high).contains(&(1.0 / value)) {
            return Some(format!("{} for {} s a frame?", short(1.0 / value), short(value)));
        }
        if self.keys.contains(&"friction") && value < 89.0 {
            let tangent = libm::tan(value.to_radians());
            return Some(format!("{tangent:.3} for an angle of {} degrees?", short(value)));
        }
        in_units(value, self.units, [low, high])
    }
}

/// Question for the first of `units` in which `value` lies within `typical`: "30e9 for GPa?".
pub(super) fn in_units(value: f64, units: &[(&str, f64)], [low, high]: [f64; 2]) -> Option<String> {
    let fits = |(_, factor): &&(&str, f64)| (low..=high).contains(&(value * factor));
    units.iter().find(fits).map(|(unit, factor)| format!("{} for {unit}?", short(value * factor)))
}

/// Greatest number with two digits that is at most `value`, below 1.
pub(super) fn two_digits_below(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(value)) - 1.0);
    // the quotient of two powers of ten keeps 0.0015 from becoming 0.0014
    (value / unit * (1.0 + 1e-9)).floor() / (1.0 / unit).round()
}

/// Number with at most six digits: 2600, 30e9, 4e6.
pub(super) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().expect("a formatted number");
    let size = rounded.abs();
    if size == 0.0 || !size.is_finite() || (1e-3..1e5).contains(&size) {
        return format!("{rounded}");
    }
    let exponent = 3 * libm::floor(libm::log10(size) / 3.0) as i32;
    let mantissa = format!("{rounded:e}");
    let (digits, power) = mantissa.split_once('e').expect("an exponent");
    let shift = power.parse::<i32>().expect("a whole number") - exponent;
    let digits: f64 = digits.parse().expect("digits");
    let scaled: f64 =
        format!("{:.5}", digits * [1.0, 10.0, 100.0][shift.clamp(0, 2) as usize]).parse().expect("digits");
    format!("{scaled}e{exponent}")
}

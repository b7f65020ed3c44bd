//! Usual ranges of a scene's quantities. A value outside is most likely in another unit.
//!
//! Sources: densities, moduli and strengths of solids from the charts in M. F. Ashby, Materials Selection in Mechanical
//! Design, and the CRC Handbook of Chemistry and Physics; gels and tissues from Discher, Janmey, Wang (Science, 2005);
//! graphene from Lee and others (Science, 2008); surface gravities from NASA's planetary fact sheets.

use super::check::{At, Fault};

/// Range of a quantity in practice.
#[derive(Debug)]
pub(super) struct Usual {
    /// Keys with this quantity.
    keys: &'static [&'static str],
    unit: &'static str,
    /// Smallest and greatest usual value, each with the text that follows a value beyond it.
    least: (f64, &'static str),
    most: (f64, &'static str),
    /// Range of typical values, for the choice of a unit.
    typical: [f64; 2],
    /// Other units, and their values in the scene's unit. The first with a typical value is suggested.
    units: &'static [(&'static str, f64)],
    /// Range beyond which a value is an error in any unit.
    possible: [f64; 2],
    /// Remedy where no unit fits.
    hint: &'static str,
}

/// Value outside its usual range.
#[derive(Debug)]
pub(super) struct Slip {
    pub fault: Fault,
    /// Whether it is an error in any unit, in place of a warning.
    pub is_error: bool,
}

impl Slip {
    pub(super) fn warning(fault: Fault) -> Self {
        Self { fault, is_error: false }
    }
}

const NEVER: f64 = f64::INFINITY;
const MODULI: &[(&str, f64)] = &[("GPa", 1e9), ("MPa", 1e6), ("kPa", 1e3)];
const STRENGTHS: &[(&str, f64)] = &[("MPa", 1e6), ("GPa", 1e9), ("kPa", 1e3)];

/// The table, with a row for each quantity. Zero and infinity are usual everywhere.
const USUAL: [Usual; 15] = [
    Usual {
        keys: &["density"],
        unit: "kg/m3",
        least: (10.0, "lighter than any foam (polystyrene: 15)"),
        most: (22_600.0, "denser than osmium (22 600)"),
        typical: [100.0, 22_600.0],
        units: &[("g/cm3", 1e3), ("g/m3", 1e-3), ("kg/mm3", 1e9), ("t/mm3", 1e12)],
        possible: [0.05, NEVER], // hydrogen gas: 0.09
        hint: "water has 1000, ceramics 2000 to 4000, steel 7800",
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
    },
    Usual {
        keys: &["tensile_strength", "shear_strength"],
        unit: "Pa",
        least: (1e3, "weaker than fresh snow and wet sand (1e3)"),
        most: (1.4e11, "stronger than graphene (1.3e11)"),
        typical: [1e4, 1e10],
        units: STRENGTHS,
        possible: [0.0, NEVER],
        hint: "plaster has 1e6, glass and ceramics 1e7 to 1e8; leave it out for bonds that do not break",
    },
    Usual {
        keys: &["weibull_modulus"],
        unit: "",
        least: (1.0, "with more scatter than any solid (chalk, brick: 3)"),
        most: (1000.0, "with less scatter than any solid (steel: 100)"),
        typical: [1.0, 1.0],
        units: &[],
        possible: [0.2, NEVER], // the median is 1e-3 of the mean at 0.2, and 1e-8 at 0.1
        hint: "glass and ceramics have 5 to 20; leave it out for bonds of one strength",
    },
    Usual {
        keys: &["friction", "static_friction"],
        unit: "",
        least: (0.0, ""),
        most: (2.0, "rougher than rubber on concrete (1.2)"),
        typical: [0.01, 1.0],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a ratio of forces",
    },
    Usual {
        keys: &["rolling_friction"],
        unit: "",
        least: (0.0, ""),
        most: (1.0, "so great that a cube rolls as a ball"),
        typical: [0.001, 1.0],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a share of the radius",
    },
    Usual {
        keys: &["damping"],
        unit: "",
        least: (0.0, ""),
        most: (1.0, "above critical damping (1)"),
        typical: [0.001, 0.5],
        units: &[("percent", 1e-2)],
        possible: [0.0, 100.0],
        hint: "it is a share of critical damping: metals have 0.001 to 0.01, rubber 0.05 to 0.3",
    },
    Usual {
        keys: &["ring_down"],
        unit: "s",
        least: (1e-5, "shorter than a wave takes across a pebble"),
        most: (100.0, "longer than any bell rings"),
        typical: [1e-4, 10.0],
        units: &[("ms", 1e-3)],
        possible: [0.0, NEVER],
        hint: "shards of pottery ring for some milliseconds",
    },
    Usual {
        keys: &["gravity"],
        unit: "m/s2",
        least: (0.0, ""),
        most: (280.0, "stronger than the sun's (274)"),
        typical: [1.6, 25.0],
        units: &[("mm/s2", 1e-3), ("cm/s2", 1e-2)],
        possible: [0.0, NEVER],
        hint: "the earth's is 9.81",
    },
    Usual {
        keys: &["charge", "total", "attribute"],
        unit: "C",
        least: (1e-20, "less than an electron's (1.6e-19)"),
        most: (1.0, "a particle's or body's share of a flash of lightning (15)"),
        typical: [1e-19, 1.0],
        units: &[("microcoulombs", 1e-6), ("nanocoulombs", 1e-9)],
        possible: [0.0, NEVER],
        hint: "a rubbed balloon has 1e-7, [MSC] gives a particle 1e-6 to 8e-5",
    },
    Usual {
        keys: &["velocity"],
        unit: "m/s",
        least: (0.0, ""),
        most: (2e3, "faster than any bullet (tank guns: 1800)"),
        typical: [0.01, 1000.0],
        units: &[("mm/s", 1e-3), ("cm/s", 1e-2)],
        possible: [0.0, NEVER],
        hint: "a fall from 1 m ends at 4.4, a rifle's bullet has 900",
    },
    Usual {
        keys: &["angular_velocity", "rate"],
        unit: "rad/s",
        least: (0.0, ""),
        most: (5e4, "faster than a dentist's drill (4e4)"),
        typical: [0.1, 5e4],
        units: &[("turns a minute", 0.104_719_755), ("degrees a second", 0.017_453_293)],
        possible: [0.0, NEVER],
        hint: "a turn a second is 6.28",
    },
    Usual {
        keys: &["frame_rate"],
        unit: "frames per second",
        least: (0.1, "less than a frame in ten seconds"),
        most: (1e8, "faster than any camera (1e7)"),
        typical: [1.0, 1e5],
        units: &[],
        possible: [0.0, NEVER],
        hint: "films have 24, slow motion 240 to 1000",
    },
    Usual {
        keys: &["stiffness"],
        unit: "times the default",
        least: (1e-3, "too soft for contacts to keep particles apart"),
        most: (1e3, "far stiffer than the bonds"),
        typical: [1.0, 1.0],
        units: &[],
        possible: [0.0, NEVER],
        hint: "it is a factor on pi/2 E r, not a stiffness in N/m; leave it out for 1",
    },
];

/// Usual ranges of a scene's keys: the keys of a quantity, its unit (empty for a ratio), and the smallest and the largest usual
/// value. A value outside is warned of.
pub fn usual_ranges() -> impl Iterator<Item = (&'static [&'static str], &'static str, [f64; 2])> {
    USUAL.iter().map(|usual| (usual.keys, usual.unit, [usual.least.0, usual.most.0]))
}

/// Slip of `value` at a place whose last key has a row in the table, if it is outside the usual range.
pub(super) fn slip(value: f64, at: &At) -> Option<Slip> {
    let key = at.last();
    let usual = USUAL.iter().find(|usual| usual.keys.contains(&key)).expect("the key has a row in the table");
    let ((least, below), (most, above)) = (usual.least, usual.most);
    if value == 0.0 || value.is_infinite() || (least..=most).contains(&value) {
        return None;
    }
    let beyond = if value < least { below } else { above };
    let unit = if usual.unit.is_empty() { String::new() } else { format!(" {}", usual.unit) };
    let range = format!("usual are {} to {}", short(least), short(most));
    let fault = at.wrong(format!("{key} is {}{unit}, {beyond}; {range}{unit}", short(value)));
    let help = usual.likely(value).unwrap_or_else(|| usual.hint.to_owned());
    let [lowest, highest] = usual.possible;
    Some(Slip { fault: fault.help(help), is_error: value < lowest || value > highest })
}

impl Usual {
    /// Question for the unit that `value` is in, with the value in the scene's unit.
    fn likely(&self, value: f64) -> Option<String> {
        let [low, high] = self.typical;
        if self.keys.contains(&"frame_rate") && (low..=high).contains(&(1.0 / value)) {
            return Some(format!("{} for {} s a frame?", short(1.0 / value), short(value)));
        }
        if self.keys.contains(&"friction") && value < 89.0 {
            let tangent = libm::tan(value.to_radians());
            return Some(format!("{tangent:.3} for an angle of {} degrees?", short(value)));
        }
        in_units(value, self.units, self.typical)
    }
}

/// Question for the first of `units` in which `value` lies within `typical`: "30e9 for GPa?".
pub(super) fn in_units(value: f64, units: &[(&str, f64)], [low, high]: [f64; 2]) -> Option<String> {
    let fits = |(_, factor): &&(&str, f64)| (low..=high).contains(&(value * factor));
    units.iter().find(fits).map(|(unit, factor)| format!("{} for {unit}?", short(value * factor)))
}

/// Number with at most six digits: 2600, 30e9, 4e6.
pub(super) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().expect("a formatted number");
    let size = rounded.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) {
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

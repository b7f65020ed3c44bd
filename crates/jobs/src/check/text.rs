//! Lines of a report, a fact each.

use std::fmt::{self, Display, Formatter};

use bdem_core::charge::Method;
use bdem_run::mesh::MeshReport;
use bdem_run::run::runtime_estimate::{RuntimeEstimate, duration};
use bdem_run::scene::{BodyGrain, BodyMeasures, BodyModuli, Filling, Until, Wholeness};

use super::DeviceEstimate;
use super::report::{BodyPieces, BodySize, Charges, PresetKey, Report, StepsPerFrame, Strike};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { scene, frames, frame_rate, integrator, particles, bonds, springs, period, .. } = self;
        writeln!(f, "scene          {scene} ({frames} frames of 1/{frame_rate} s, {integrator})")?;
        write_all(f, &self.presets)?;
        self.until.iter().try_for_each(|until| writeln!(f, "until          {until}"))?;
        writeln!(f, "particles      {particles}")?;
        writeln!(f, "bonds          {bonds}")?;
        if *springs > 0 {
            writeln!(f, "springs        {springs}")?;
        }
        write_joined(f, "mesh", self.meshes.iter().filter_map(|(file, report)| Some((file.as_str(), mesh(report)?))))?;
        write_joined(f, "body", self.bodies.iter().map(size))?;
        write_joined(f, "packing", self.packings.iter().map(packing))?;
        write_joined(f, "grain", self.grains.iter().map(grain))?;
        write_joined(f, "pieces", self.pieces.iter().map(pieces))?;
        write_all(f, &self.charges)?;
        writeln!(f, "period T       {period:.4e} s")?;
        writeln!(f, "explicit limit {}", longest_step(self.explicit_limit, *period))?;
        writeln!(f, "steps a frame  {}", steps(&self.steps, *period))?;
        write_joined(f, "moduli", self.moduli.iter().map(moduli))?;
        write_joined(f, "softening", self.moduli.iter().filter_map(softening))?;
        writeln!(f, "memory         about {:.0} MB", self.memory as f64 * 1e-6)?;
        write_joined(f, "impact", self.impacts.iter().map(impact))?;
        match (&self.estimate, &self.failure) {
            (Some(estimate), _) => time(f, estimate, self.until.as_ref())?,
            (None, Some(failure)) => writeln!(f, "time           unknown: {}", failure.why)?,
            (None, None) => {}
        }
        write_all(f, &self.on_device)
    }
}

fn write_all<'a, T: Display + 'a>(f: &mut Formatter<'_>, lines: impl IntoIterator<Item = &'a T>) -> fmt::Result {
    lines.into_iter().try_for_each(|line| line.fmt(f))
}

/// Writes a line of each body, of its name and the rest. Bodies with alike rests share a line: see [`Row::add`].
fn write_joined<'a>(
    f: &mut Formatter<'_>,
    label: &str,
    bodies: impl Iterator<Item = (&'a str, String)>,
) -> fmt::Result {
    let mut rows: Vec<Row> = Vec::new();
    for (name, rest) in bodies {
        let row = Row::new(name, &rest);
        if !rows.iter_mut().any(|known| known.add(&row)) {
            rows.push(row);
        }
    }
    rows.iter().try_for_each(|row| writeln!(f, "{label:<14} {}{}", names_of(&row.names), row.rest()))
}

/// Line of one or more bodies, in parts.
struct Row<'a> {
    names: Vec<&'a str>,
    /// Text before each number, and after the last.
    texts: Vec<String>,
    /// Least and greatest of each number with a decimal point, as printed.
    numbers: Vec<[Number; 2]>,
}

#[derive(Clone, PartialEq)]
struct Number {
    value: f64,
    printed: String,
}

impl<'a> Row<'a> {
    fn new(name: &'a str, rest: &str) -> Self {
        let mut row = Self { names: vec![name], texts: vec![String::new()], numbers: Vec::new() };
        // names are words too, perhaps with digits
        for (k, word) in rest.split(' ').enumerate() {
            let bare = word.trim_matches(['(', ')', ',', ';', ':', '%']);
            let value = Some(bare).filter(|bare| bare.contains('.')).and_then(|bare| bare.parse().ok());
            let text = row.texts.last_mut().expect("a text at least");
            if k > 0 {
                text.push(' ');
            }
            let (Some(value), Some((before, after))) = (value, word.split_once(bare)) else {
                text.push_str(word);
                continue;
            };
            text.push_str(before);
            let number = Number { value, printed: bare.to_owned() };
            row.numbers.push([number.clone(), number]);
            row.texts.push(after.to_owned());
        }
        row
    }

    /// Joins the line of another body, if both have the same words, and numbers that differ by 30 % of the larger at most, as those
    /// of random packings of one shape do.
    fn add(&mut self, other: &Self) -> bool {
        const ALIKE: f64 = 0.7;
        let joined = |[low, high]: &[Number; 2], [number, _]: &[Number; 2]| {
            let low = if number.value < low.value { number } else { low };
            let high = if number.value > high.value { number } else { high };
            (low.value == high.value || low.value >= ALIKE * high.value).then(|| [low.clone(), high.clone()])
        };
        if self.texts != other.texts {
            return false;
        }
        let numbers: Option<Vec<_>> = self.numbers.iter().zip(&other.numbers).map(|(a, b)| joined(a, b)).collect();
        let Some(numbers) = numbers else { return false };
        self.numbers = numbers;
        self.names.extend(&other.names);
        true
    }

    fn rest(&self) -> String {
        let mut rest = self.texts[0].clone();
        for ([low, high], text) in self.numbers.iter().zip(&self.texts[1..]) {
            rest += &low.printed;
            if low != high {
                rest += &format!("..{}", high.printed);
            }
            rest += text;
        }
        rest
    }
}

/// Names, or the first and the last of more than three.
fn names_of(names: &[&str]) -> String {
    match names {
        [first, .., last] if first == last => (*first).to_owned(),
        [first, _, _, .., last] => format!("{first} .. {last} ({} bodies)", names.len()),
        names => names.join(", "),
    }
}

impl Display for PresetKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let own = if self.is_own { "; the scene has its own" } else { "" };
        writeln!(f, "preset         {}{own}", self.setting.replacen('=', " = ", 1))
    }
}

/// Shells, parts and holes of a mesh. None for a closed mesh of one shell.
fn mesh(report: &MeshReport) -> Option<String> {
    let &MeshReport { shells, turned, parts, is_united, holes } = report;
    if shells == 1 && turned == 0 && holes == 0 {
        return None;
    }
    let open = match holes {
        0 => String::new(),
        _ => format!("; {holes} {}, taken as capped", plural("hole", holes)),
    };
    let overlap = if is_united { "overlapping, united to " } else { "" };
    let turned = if turned > 0 { format!("; {turned} turned outwards") } else { String::new() };
    let (shell, part) = (plural("shell", shells), plural("part", parts));
    Some(format!(": {shells} {shell}, {overlap}{parts} {part}{turned}{open}"))
}

/// A body's mass, bulk density and size.
fn size(BodySize { body, measures }: &BodySize) -> (&str, String) {
    let BodyMeasures { mass, bulk_density, size, .. } = measures;
    let density = bulk_density.map(|density| format!(", {density:.1} kg/m3")).unwrap_or_default();
    let [x, y, z] = size.map(|side| (side * 1e6).round() / 1e6).into();
    (body, format!(": {mass:.4e} kg{density}, {x} x {y} x {z} m"))
}

fn packing(Filling { body, solid_fraction, coordination }: &Filling) -> (&str, String) {
    (body, format!(": {solid_fraction:.3} of the shape is solid, {coordination:.2} bonds a particle"))
}

/// Directions of a map of the grain.
fn grain(BodyGrain { body, squares: [x, y, z], grey }: &BodyGrain) -> (&str, String) {
    let grey = if *grey > 0.0 {
        format!("; {grey:.2} of the particles, where it is grey, as the material")
    } else {
        String::new()
    };
    (body, format!(": by its map {x:.2} along x, {y:.2} along y, {z:.2} along z{grey}"))
}

/// A bonded body's pieces and walls.
fn pieces(BodyPieces { body, wholeness }: &BodyPieces) -> (&str, String) {
    let Wholeness { pieces, wall, .. } = wholeness;
    let (noun, across) = (plural("piece", *pieces), wholeness.across());
    (body, format!(": {pieces} {noun}; {across:.1} particles across its thinnest walls of {wall:.3e} m"))
}

/// Lines of the charges: their sum, the method of their field, and their forces and time scale beside the longest step.
impl Display for Charges {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { count, total, time, force_over_weight, time_scale, time_scale_over_step, .. } = self;
        let method = match &self.method {
            Method::Exact => "all pairs, exact".to_owned(),
            Method::Ddef(settings) => {
                format!("domain-discretised, {} points, no bound of its error", settings.points)
            }
            Method::Tree { tolerance } | Method::Auto { tolerance } => {
                format!("multipoles, error below {tolerance:e}")
            }
        };
        let force = match force_over_weight {
            ratio if ratio.is_finite() => format!("largest force {ratio:.3e} of the weight; "),
            _ => String::new(),
        };
        writeln!(f, "charges        {count}, {total:.3e} C in all at {time} s; {method}")?;
        writeln!(
            f,
            "field          {force}time scale {time_scale:.3e} s, {time_scale_over_step:.2e} of the longest step"
        )
    }
}

/// Longest stable explicit step, in seconds and periods.
fn longest_step(limit: f64, period: f64) -> String {
    if limit.is_infinite() {
        return "none: there are no bonds and no contacts".to_owned();
    }
    format!("{limit:.4e} s ({:.2} T)", limit / period)
}

fn steps(&StepsPerFrame { least, most, length }: &StepsPerFrame, period: f64) -> String {
    match most {
        Some(most) => format!("{least} to {most}, depending on events"),
        None => format!("{least}, of {length:.3e} s ({:.2} T)", length / period),
    }
}

/// Moduli of a body's bonds, and of the solid, as a pull on a bar of its packing measures them.
fn moduli(moduli: &BodyModuli) -> (&str, String) {
    let BodyModuli { body, material, bonds: [e, g], solid, by_direction, .. } = moduli;
    let solid = solid.map(|(e, nu)| {
        let range = by_direction.map(|range| range.map(|share| format!("{:.3e}", share * e)));
        let range = range.map(|[least, most]| format!(" ({least} to {most} by direction)")).unwrap_or_default();
        format!("; solid E = {e:.3e} Pa{range}, nu = {nu:.3}")
    });
    (body, format!(", {material}: bonds E = {e:.3e} Pa, G = {g:.3e} Pa{}", solid.unwrap_or_default()))
}

/// Softening of a body's bonds. None without a fracture energy.
fn softening(moduli: &BodyModuli) -> Option<(&str, String)> {
    let below = moduli.softens_below?;
    let softening = match moduli.softening {
        Some(limit) => format!(": to {limit:.2} times the strain at the strength"),
        None => format!(
            ": none, since a bond holds more than fracture_energy at its strength; half of the bonds soften with a \
             particle_radius below {below:.2e} m"
        ),
    };
    Some((&moduli.body, softening))
}

/// Impact on a body: the other side, and tensile strength over the stress of the impact's wave.
fn impact(Strike { body, striker, impact }: &Strike) -> (&str, String) {
    let (ratio, outcome) = (impact.ratio(), impact.outcome());
    let stresses = format!("strength {:.2e} Pa / rho c v {:.2e} Pa = {ratio:.2}", impact.strength, impact.wave);
    (body, format!(": {:.2} m/s, {striker} at {:.3} s, {stresses}: {outcome}", impact.speed, impact.time))
}

/// Estimate of the run time: a line for the whole, and one of the trial.
fn time(f: &mut Formatter<'_>, estimate: &RuntimeEstimate, until: Option<&Until>) -> fmt::Result {
    let RuntimeEstimate { frames, trial, tried, a_frame, .. } = estimate;
    let whole = estimate.whole();
    let why = match until {
        Some(_) => " at most: time.until may end the run before its last frame",
        None if whole.is_narrow() => "",
        None => ", depending on events",
    };
    let rest = if tried < frames { format!("; {a_frame} for each other") } else { String::new() };
    let seconds = duration(trial.seconds);
    writeln!(f, "time           {whole} of processor time in all{why}")?;
    writeln!(f, "  trial        {tried:.1} of {frames} frames simulated in {seconds}{rest}")
}

impl Display for DeviceEstimate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, seconds, bytes } = self;
        let memory = *bytes as f64 * 1e-6;
        writeln!(f, "device         {name}: {seconds} in all, {memory:.0} MB of its memory")
    }
}

/// `noun` for this count of things.
fn plural(noun: &str, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

//! Lines of a report, a fact each.

use std::fmt::{self, Display, Formatter};

use bdem_core::charge::Method;
use bdem_run::mesh::MeshReport;
use bdem_run::run::runtime_estimate::{RuntimeEstimate, duration};
use bdem_run::scene::{BodyMeasures, BodyModuli, Filling, Until, Wholeness};

use super::report::{BodyPieces, BodySize, BondModuli, Charges, PresetKey, Report, StepsPerFrame, Strike};

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
        self.meshes.iter().try_for_each(|(file, report)| f.write_str(&mesh(file, report)))?;
        write_all(f, &self.bodies)?;
        self.packings.iter().try_for_each(|filling| packing(f, filling))?;
        write_all(f, &self.pieces)?;
        write_all(f, &self.charges)?;
        writeln!(f, "period T       {period:.4e} s")?;
        writeln!(f, "explicit limit {}", longest_step(self.explicit_limit, *period))?;
        writeln!(f, "steps a frame  {}", steps(&self.steps, *period))?;
        write_all(f, &self.moduli)?;
        writeln!(f, "memory         about {:.0} MB", self.memory as f64 * 1e-6)?;
        write_all(f, &self.impacts)?;
        match (&self.estimate, &self.failure) {
            (Some(estimate), _) => time(f, estimate, self.until.as_ref()),
            (None, Some(failure)) => writeln!(f, "time           unknown: {}", failure.why),
            (None, None) => Ok(()),
        }
    }
}

fn write_all<'a, T: Display + 'a>(f: &mut Formatter<'_>, lines: impl IntoIterator<Item = &'a T>) -> fmt::Result {
    lines.into_iter().try_for_each(|line| line.fmt(f))
}

impl Display for PresetKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let own = if self.is_own { "; the scene has its own" } else { "" };
        writeln!(f, "preset         {}{own}", self.setting.replacen('=', " = ", 1))
    }
}

/// Line of a mesh's shells and parts. Empty for a mesh of one shell.
fn mesh(file: &str, report: &MeshReport) -> String {
    let &MeshReport { shells, turned, parts, is_united } = report;
    if shells == 1 && turned == 0 {
        return String::new();
    }
    let overlap = if is_united { "overlapping, united to " } else { "" };
    let turned = if turned > 0 { format!("; {turned} turned outwards") } else { String::new() };
    format!("mesh           {file}: {shells} shells, {overlap}{parts} {}{turned}\n", plural("part", parts))
}

/// Line of a body's mass, bulk density and size.
impl Display for BodySize {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let BodyMeasures { mass, bulk_density, size, .. } = self.measures;
        let density = bulk_density.map(|density| format!(", {density:.1} kg/m3")).unwrap_or_default();
        let [x, y, z] = size.map(|side| (side * 1e6).round() / 1e6).into();
        writeln!(f, "body           {}: {mass:.4e} kg{density}, {x} x {y} x {z} m", self.body)
    }
}

fn packing(f: &mut Formatter<'_>, Filling { body, solid_fraction, coordination }: &Filling) -> fmt::Result {
    writeln!(f, "packing        {body}: {solid_fraction:.3} of the shape is solid, {coordination:.2} bonds a particle")
}

/// Line of a bonded body's pieces and walls.
impl Display for BodyPieces {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { body, wholeness } = self;
        let Wholeness { pieces, wall, .. } = wholeness;
        let (noun, across) = (plural("piece", *pieces), wholeness.across());
        writeln!(
            f,
            "pieces         {body}: {pieces} {noun}; {across:.1} particles across its thinnest walls of {wall:.3e} m"
        )
    }
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

/// Line of the moduli of a body's bonds, and of the solid, as a pull on a bar of its packing measures them.
impl Display for BondModuli {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let BodyModuli { body, material, bonds: [e, g], solid, by_direction, softening, .. } = &self.moduli;
        let solid = solid.map(|(e, nu)| {
            let range = by_direction.map(|range| range.map(|share| format!("{:.3e}", share * e)));
            let range = range.map(|[least, most]| format!(" ({least} to {most} by direction)")).unwrap_or_default();
            format!("; solid E = {e:.3e} Pa{range}, nu = {nu:.3}")
        });
        let solid = solid.unwrap_or_default();
        writeln!(f, "moduli         {body}, {material}: bonds E = {e:.3e} Pa, G = {g:.3e} Pa{solid}")?;
        match (self.has_fracture_energy, softening) {
            (true, Some(limit)) => writeln!(f, "softening      {body}: to {limit:.2} times the strain at the strength"),
            (true, None) => writeln!(
                f,
                "softening      {body}: none, since a bond holds more than fracture_energy at its strength; smaller particles \
                 would soften"
            ),
            _ => Ok(()),
        }
    }
}

/// Line of an impact on a body: the other side, and tensile strength over the stress of the impact's wave.
impl Display for Strike {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { body, striker, impact } = self;
        let (ratio, outcome) = (impact.ratio(), impact.outcome());
        writeln!(
            f,
            "impact         {body}: {:.2} m/s, {striker} at {:.3} s, strength {:.2e} Pa / rho c v {:.2e} Pa = {ratio:.2}: {outcome}",
            impact.speed, impact.time, impact.strength, impact.wave
        )
    }
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

/// `noun` for this count of things.
fn plural(noun: &str, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

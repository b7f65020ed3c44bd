use std::fmt::{self, Display, Formatter};

use super::report::{Comparison, PairRow, RunRow};

/// Table on the terminal.
impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} particles, {} bonds, T = {:.3e} s, frames of 1/{} s; {} threads, the runs in turns",
            self.scene, self.particles, self.bonds, self.period, self.frame_rate, self.threads
        )?;
        self.notes().iter().try_for_each(|note| writeln!(f, "{note}"))?;
        writeln!(f)?;
        columns(f, RUN_HEADINGS, self.runs.iter().map(run_cells))?;
        for run in &self.runs {
            if let Some(error) = &run.error {
                writeln!(f, "{}: {error}", run.name)?;
            }
        }
        writeln!(f)?;
        columns(f, PAIR_HEADINGS, self.pairs.iter().map(pair_cells))
    }
}

impl Comparison {
    /// Notes above the table, a line each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(integrator) = &self.brought_by {
            notes.push(format!("all start from frame {}, to which {integrator} brought them", self.from_frame));
        }
        if self.warm_up > 0 {
            notes.push(format!("untimed steps at the start of each run: {}", self.warm_up));
        }
        if let Some(seconds) = self.most_seconds {
            notes.push(format!("each run ends after {seconds} s on the wall, at the latest"));
        }
        if self.repeats > 1 {
            notes.push(format!("times are medians of {} repetitions, with the least and the greatest", self.repeats));
        }
        let most = self.runs.iter().map(|run| run.frames_wanted).max().unwrap_or(0);
        for run in self.runs.iter().filter(|run| run.frames_wanted < most) {
            notes.push(format!("{} is timed over {} of {most} frames", run.name, run.frames_wanted));
        }
        let on = |run: &RunRow| Some(format!("{} is on {}", run.name, run.device.as_ref()?));
        notes.extend(self.runs.iter().filter_map(on));
        notes
    }
}

const RUN_HEADINGS: [&str; 13] = [
    "run",
    "step, s",
    "step, T",
    "frames",
    "steps",
    "cut",
    "s/frame",
    "Newton",
    "CG",
    "broken",
    "pieces",
    "energy, J",
    "ns/bond/step",
];

fn run_cells(run: &RunRow) -> [String; 13] {
    let counted = |n: u64| if n == 0 { "-".to_owned() } else { n.to_string() };
    [
        run.name.clone(),
        format!("{:.3e}", run.step),
        format!("{:.2}", run.step_in_periods),
        short(run.frames),
        run.steps.to_string(),
        run.step_cuts.to_string(),
        run.seconds_per_frame.map_or("-".to_owned(), |seconds| short(seconds) + &range(run.seconds_per_frame_range)),
        counted(run.newton_iterations),
        counted(run.cg_iterations),
        run.bonds_broken.to_string(),
        run.pieces.to_string(),
        run.energy.map_or("gave up".to_owned(), short),
        run.nanoseconds_per_bond_step.map_or("-".to_owned(), |ns| format!("{ns:.1}")),
    ]
}

const PAIR_HEADINGS: [&str; 7] =
    ["pair", "speedup", "at frame", "apart, mean, radii", "apart, greatest, radii", "broken", "energy, J"];

fn pair_cells(pair: &PairRow) -> [String; 7] {
    let name = format!("{} over {}", pair.run, pair.against);
    let speedup = pair.speedup.map_or("-".to_owned(), |speedup| format!("{speedup:.2}") + &range(pair.speedup_range));
    let Some(d) = pair.differences else {
        return [name, speedup, "-".into(), "-".into(), "-".into(), "-".into(), "-".into()];
    };
    [
        name,
        speedup,
        d.frame.to_string(),
        short(d.displacement_mean),
        short(d.displacement_greatest),
        format!("{:+}", d.bonds_broken),
        format!("{:+.3e}", d.energy),
    ]
}

/// Least and greatest of repetitions, behind their median.
fn range(range: Option<[f64; 2]>) -> String {
    range.map_or_else(String::new, |[least, greatest]| format!(" ({} to {})", short(least), short(greatest)))
}

/// Number with about four digits.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e5).contains(&size) => {
            let digits = (3 - libm::log10(size).floor() as i32).max(0) as usize;
            let text = format!("{x:.digits$}");
            let trimmed = text.trim_end_matches('0').trim_end_matches('.');
            if text.contains('.') { trimmed.to_owned() } else { text }
        }
        _ => format!("{x:.3e}"),
    }
}

/// Headings and rows in columns, the first aligned left and the others right.
fn columns<const N: usize>(
    f: &mut Formatter<'_>,
    headings: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> fmt::Result {
    let lines: Vec<[String; N]> = std::iter::once(headings.map(str::to_owned)).chain(rows).collect();
    let width: [usize; N] =
        std::array::from_fn(|c| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0));
    for line in &lines {
        write!(f, "{:1$}", line[0], width[0])?;
        for (cell, width) in line.iter().zip(width).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}

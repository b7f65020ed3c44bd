//! How far integrators end from Verlet at a quarter of its limit.

use std::collections::BTreeMap;
use std::fmt;

use bdem::run::GaveUp;

use super::Run;

#[derive(Default)]
pub struct Table {
    rows: BTreeMap<String, Row>,
}

#[derive(Default)]
struct Row {
    runs: usize,
    gave_up: usize,
    seconds: f64,
    /// How far the energy at the end is off the reference's, as shares of what is at play there.
    off: Vec<f64>,
}

impl Table {
    pub fn add(&mut self, number: u64, integrator: &str, run: &Run, outcome: Result<(), GaveUp>, reference: &Run) {
        let row = self.rows.entry(integrator.to_owned()).or_default();
        row.runs += 1;
        row.seconds += run.progress.seconds.integrate + run.progress.seconds.contact + run.progress.seconds.fracture;
        match outcome {
            Ok(()) => {
                let [end, want] = [run, reference].map(|run| run.simulation.energy());
                let off = (end - want) / reference.simulation.balance.scale;
                if off.abs() > 0.15 {
                    println!("{number} under {integrator}: energy off by {:.1} %", 100.0 * off);
                }
                row.off.push(off.abs());
            }
            Err(why) => {
                println!("{number} under {integrator}: {why}");
                row.gave_up += 1;
            }
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "| integrator | runs | gave up | energy off, median | by more than 15 % | seconds |")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (name, Row { runs, gave_up, seconds, off }) in &self.rows {
            let mut sorted = off.clone();
            sorted.sort_by(f64::total_cmp);
            let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
            let many = off.iter().filter(|&&off| off > 0.15).count();
            writeln!(f, "| {name} | {runs} | {gave_up} | {:.2} % | {many} | {seconds:.1} |", 100.0 * median)?;
        }
        Ok(())
    }
}

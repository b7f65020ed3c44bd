//! Verification tests: scenes whose motion is known in closed form, and their table.
//!
//! ```text
//! advance   run of a scene
//! case      settings, right values and verdicts
//! scene     bodies and walls as TOML
//! ```

mod advance;
mod case;
mod scene;

use bdem_core::simulate::IntegratorKind;
use bdem_run::run::RunError;
use rayon::prelude::*;

use super::{Cell, Claim, Report, ReportTable, Setup};

pub(crate) use advance::Stop;
pub use case::{Case, Finding, Setting, Target};
pub(crate) use case::{find_all, never, without_hold, without_rigid_bodies, without_rigid_hold, without_torque};
pub(crate) use scene::{
    BLOCK_RADIUS, Ball, Conditions, DENSITY, G, POISSON, RADIUS, YOUNG, array, block, floor, half_space, mass, mean,
    rod, wall,
};

/// Table of cases, a row a case, setting and quantity.
pub(crate) struct CaseTable {
    /// Names of the columns of a setting.
    pub(crate) columns: &'static [&'static str],
    /// Cells of those columns.
    pub(crate) names: fn(&Case, &Setting) -> Vec<String>,
    /// Settings of a case.
    pub(crate) settings: fn(&Case, &Setup) -> Vec<Setting>,
}

impl CaseTable {
    /// Report of `cases`, without charts.
    pub(crate) fn report(&self, setup: &Setup, cases: impl Iterator<Item = Case>) -> Result<Report, RunError> {
        let columns: Vec<_> = ["case"].iter().chain(self.columns).chain(&COLUMNS).map(|name| (*name, "")).collect();
        let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
        for case in cases {
            let (rows, claim) = self.rows(setup, &case)?;
            report.table.rows.extend(rows);
            report.claims.push(claim);
        }
        Ok(report)
    }

    fn rows(&self, setup: &Setup, case: &Case) -> Result<(Vec<Vec<Cell>>, Claim), RunError> {
        setup.log.note(case.name);
        let outcome = |setting: &Setting| case.outcome(setting).map(|outcome| (*setting, outcome));
        let outcomes = (self.settings)(case, setup).par_iter().map(outcome).collect::<Result<Vec<_>, _>>()?;
        let found: Vec<&Finding> = outcomes.iter().flat_map(|(_, outcome)| outcome.iter().flatten()).collect();
        let claim = case.claim(found.iter().filter(|finding| finding.is_right()).count(), found.len());
        Ok((outcomes.iter().flat_map(|(setting, outcome)| self.cells(case, setting, outcome)).collect(), claim))
    }

    fn cells(&self, case: &Case, setting: &Setting, outcome: &Result<Vec<Finding>, &'static str>) -> Vec<Vec<Cell>> {
        match outcome {
            Ok(findings) => findings.iter().map(|finding| self.row(case, setting, finding.cells())).collect(),
            Err(why) => {
                let none = || Cell::Number(None);
                let cells =
                    ["-".into(), "".into(), none(), none(), none(), none(), format!("cannot: {why}")[..].into()];
                vec![self.row(case, setting, cells)]
            }
        }
    }

    fn row(&self, case: &Case, setting: &Setting, cells: [Cell; 7]) -> Vec<Cell> {
        let names = [vec![case.name.to_owned()], (self.names)(case, setting)].concat();
        let ends = [case.source, case.weakness].map(Cell::from);
        names.iter().map(|name| Cell::from(&name[..])).chain(cells).chain(ends).collect()
    }
}

/// Columns after those of the case and its setting.
const COLUMNS: [&str; 9] =
    ["quantity", "unit", "right", "found", "error", "tolerance", "verdict", "source", "too weak to show"];

/// Every integrator with its usual options.
pub(crate) fn integrators() -> Vec<IntegratorKind> {
    let is_plain = |kind: &IntegratorKind| !kind.to_string().contains(' ');
    IntegratorKind::all().into_iter().filter(is_plain).collect()
}

impl Case {
    /// Findings, or the reason why there are none by design.
    ///
    /// # Errors
    /// When a stop is requested. A run that the solver gave up is a finding.
    pub fn outcome(&self, setting: &Setting) -> Result<Result<Vec<Finding>, &'static str>, RunError> {
        (self.cannot)(setting).map_or_else(|| (self.run)(setting).map(Ok), |why| Ok(Err(why)))
    }

    fn claim(&self, right: usize, all: usize) -> Claim {
        Claim::new(format!("{}: rows that are right", self.name), self.source, format!("{all} of {all}"), right as f64)
    }
}

impl Finding {
    /// Quantity, unit, right value, value found, error, tolerance and verdict.
    fn cells(&self) -> [Cell; 7] {
        let Target { quantity, unit, right, tolerance } = &self.target;
        let found = self.found.as_ref().ok().copied();
        let verdict = self.verdict();
        [
            quantity[..].into(),
            (*unit).into(),
            (*right).into(),
            found.into(),
            self.error().into(),
            (*tolerance).into(),
            verdict[..].into(),
        ]
    }
}

/// Name of a unit variant as scenes have it.
pub(crate) fn name_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a name").trim_matches('"').to_owned()
}

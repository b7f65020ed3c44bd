//! Verification tests of single contacts, against closed forms: Chung and Ooi, "Benchmark tests for verifying discrete
//! element modelling codes at particle impact level" (2011), and others that the field knows.
//!
//! ```text
//! advance     run of a scene
//! case        settings, right values and verdicts
//! normal      normal impacts, and rest
//! oblique     oblique impacts, and impacts of spinning grains
//! sliding     blocks on a slope and on a belt
//! rolling     grains that roll and spin, on a floor and on a turntable
//! corner      grains in a groove and in an edge
//! reference   the rebound of an oblique elastic impact
//! law         closed forms of contacts
//! scene       grains and walls as TOML
//! charts      restitution, rebound and decay as curves
//! ```

mod advance;
mod case;
mod charts;
mod corner;
mod law;
mod normal;
mod oblique;
mod reference;
mod rolling;
mod scene;
mod sliding;

use bdem_core::model::{ContactLaw, FrictionRule};
use bdem_core::simulate::IntegratorKind;
use bdem_run::run::RunError;
use rayon::prelude::*;

use super::{Cell, Claim, Report, ReportTable, Setup, Study};

pub use case::{Case, Finding, Setting, Target};

pub(super) const STUDY: Study =
    Study { name: "contacts", about: "single contacts against closed forms, under every integrator", run };

/// All cases.
pub fn cases() -> impl Iterator<Item = Case> {
    let cases = [&normal::CASES[..], &oblique::CASES, &sliding::CASES, &rolling::CASES, &corner::CASES];
    cases.into_iter().flatten().copied()
}

/// Contact laws and friction rules of the table.
const LAWS: [ContactLaw; 2] = [ContactLaw::Linear, ContactLaw::Hertz];
const RULES: [FrictionRule; 2] = [FrictionRule::TangentialSpring, FrictionRule::VelocityCorrection];

/// Every integrator with its usual options.
fn integrators() -> Vec<IntegratorKind> {
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

    /// Settings of the table. Those of a small size have one law and one rule.
    fn settings(&self, setup: &Setup) -> Vec<Setting> {
        let laws = setup.choose(&LAWS[..], &LAWS[..1]);
        let rules = if self.has_friction { setup.choose(&RULES[..], &RULES[..1]) } else { &RULES[..1] };
        let integrators = setup.choose(integrators(), vec![IntegratorKind::Auto, IntegratorKind::ExplicitVerlet]);
        let under = |law: ContactLaw, rule: FrictionRule| {
            integrators.iter().map(move |&integrator| Setting { law, rule, integrator, step: None })
        };
        laws.iter().flat_map(|&law| rules.iter().flat_map(move |&rule| under(law, rule))).collect()
    }

    fn rows(&self, setup: &Setup) -> Result<(Vec<Vec<Cell>>, Claim), RunError> {
        setup.log.note(self.name);
        let outcome = |setting: &Setting| self.outcome(setting).map(|outcome| (*setting, outcome));
        let outcomes = self.settings(setup).par_iter().map(outcome).collect::<Result<Vec<_>, _>>()?;
        let found: Vec<&Finding> = outcomes.iter().flat_map(|(_, outcome)| outcome.iter().flatten()).collect();
        let claim = self.claim(found.iter().filter(|finding| finding.is_right()).count(), found.len());
        Ok((outcomes.iter().flat_map(|(setting, outcome)| self.cells(setting, outcome)).collect(), claim))
    }

    fn claim(&self, right: usize, all: usize) -> Claim {
        Claim::new(format!("{}: rows that are right", self.name), self.source, format!("{all} of {all}"), right as f64)
    }

    fn cells(&self, setting: &Setting, outcome: &Result<Vec<Finding>, &'static str>) -> Vec<Vec<Cell>> {
        match outcome {
            Ok(findings) => findings.iter().map(|finding| self.row(setting, finding.cells())).collect(),
            Err(why) => {
                let none = || Cell::Number(None);
                let cells =
                    ["-".into(), "".into(), none(), none(), none(), none(), format!("cannot: {why}")[..].into()];
                vec![self.row(setting, cells)]
            }
        }
    }

    fn row(&self, setting: &Setting, cells: [Cell; 7]) -> Vec<Cell> {
        let rule = if self.has_friction { name_of(&setting.rule) } else { "any".to_owned() };
        let names = [self.name.to_owned(), name_of(&setting.law), rule, setting.integrator.to_string()];
        let ends = [self.source, self.weakness].map(Cell::from);
        names.iter().map(|name| Cell::from(&name[..])).chain(cells).chain(ends).collect()
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
fn name_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a name").trim_matches('"').to_owned()
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        "case",
        "law",
        "friction rule",
        "integrator",
        "quantity",
        "unit",
        "right",
        "found",
        "error",
        "tolerance",
        "verdict",
        "source",
        "too weak to show",
    ];
    let mut report = Report { table: ReportTable::new(&columns.map(|name| (name, ""))), ..Report::default() };
    for case in cases() {
        let (rows, claim) = case.rows(setup)?;
        report.table.rows.extend(rows);
        report.claims.push(claim);
    }
    report.charts = charts::all(setup)?;
    Ok(report)
}

//! Recordings of bonds by the formulas of their law, checked against it, and of contacts.

use std::ops::Range;

use bdem_core::energy::law::Strength;
use bdem_core::energy::{GradientLanes, PoseLanes};
use bdem_core::model::{AxialStress, BondModel, Softening, Stiffness};
use bdem_core::simd::traced::{NotRecordable, Recording, Traced};
use bdem_core::simd::{Lanes, Vec3x};
use thiserror::Error;

use crate::inputs::{BondOptions, bond_results};
use crate::sample::{Magnitude, Sample};

mod contact;

pub use contact::{
    CONTACT, ContactOptions, PAIR_SPRING, PUSH, ROLLING, contact_results, pair_spring_results, record_contact,
    record_pair_spring, record_push, record_rolling,
};

/// Reason that a bond law is not recorded.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RecordError {
    /// The law does what cannot be recorded.
    #[error("bond law `{law}` has no shader: {why}")]
    NotRecordable {
        /// Name of the law.
        law: &'static str,
        /// Reason.
        #[source]
        why: NotRecordable,
    },
    /// Contacts do what cannot be recorded.
    #[error("contacts have no shader: {0}")]
    Contacts(#[source] NotRecordable),
    /// The recording is another function than the law.
    #[error(
        "bond law `{law}` has no shader: its recorded {quantity} is off by {error:.1e}, relative, at some strain; \
         it may branch on values outside of `pick_below`"
    )]
    Differs {
        /// Name of the law.
        law: &'static str,
        /// Quantity that differs.
        quantity: &'static str,
        /// Relative error.
        error: f64,
    },
}

/// Greatest relative errors of a recording in double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Of dV/dp.
    pub force: f64,
    /// Of dV/dtheta.
    pub torque: f64,
    /// Of V.
    pub energy: f64,
    /// Share of bonds that break or soften otherwise.
    pub overload: f64,
}

/// Random bonds of each magnitude that a recording is checked on.
const SAMPLES: u64 = 500;

/// Greatest relative errors of a recording of small and of large strains. Those at large ones are of interpolants.
const LIMITS: [(Magnitude, f64); 2] = [(Magnitude::Small, 1e-12), (Magnitude::Large, 1e-8)];

/// Records a bond of the law, and checks it on random bonds.
///
/// Comparisons that short cuts are chosen by are recorded without the short cuts. If that is not the law's function, the results
/// of all paths are.
pub fn record_bond(model: &'static BondModel, options: &BondOptions) -> Result<Recording, RecordError> {
    record_checked(model, options, false).or_else(|_| record_checked(model, options, true))
}

fn record_checked(model: &'static BondModel, options: &BondOptions, all_paths: bool) -> Result<Recording, RecordError> {
    let law = model.name;
    let recording = Recording::new(|| bond(model, options, all_paths));
    let recording = recording.map_err(|why| RecordError::NotRecordable { law, why })?;
    for (magnitude, limit) in LIMITS {
        let Errors { force, torque, energy, overload } = errors(&recording, model, options, magnitude, SAMPLES);
        for (quantity, error) in [("force", force), ("torque", torque), ("energy", energy), ("overload", overload)] {
            if error.is_nan() || error > limit {
                return Err(RecordError::Differs { law, quantity, error });
            }
        }
    }
    Ok(recording)
}

/// Results of a bond, as numbers that record.
fn bond(model: &'static BondModel, options: &BondOptions, all_paths: bool) -> Vec<Traced> {
    let at = |k: u32| match k {
        7..=9 if options.in_frame => Traced::splat(0.0),
        10 if options.in_frame => Traced::splat(1.0),
        _ => Traced::input(k),
    };
    let vector = |k: u32| Vec3x::new(at(k), at(k + 1), at(k + 2));
    let four = |k: u32| [at(k), at(k + 1), at(k + 2), at(k + 3)];
    let mut stiffness = Stiffness { l0: at(3), r0: at(15), k: four(16), c: four(20) };
    let criterion = options.has_criterion.then(|| [at(26), at(27)]);
    let tension = model.axial(options.axial) == AxialStress::Tension;
    let mut strength = Strength { sigma: at(24), tau: at(25), criterion, tension };
    let [reached, limit] = [at(37), at(38)];
    if options.softens {
        let [left, _] = Softening::shares(reached, limit);
        (stiffness.k, stiffness.c) = (stiffness.k.map(|mode| mode * left), stiffness.c.map(|mode| mode * left));
        // strengths are strains, and the strength is reached at the greatest one
        (strength.sigma, strength.tau) = (strength.sigma * reached, strength.tau * reached);
    }
    let pose = PoseLanes::near(vector(0), stiffness.l0, vector(4), four(7), four(11));
    let (v, w) = (vector(28), [vector(31), vector(34)]);
    let (one, none) = (Traced::splat(1.0), GradientLanes::zero());
    let forces = || {
        let (energy, elastic) = model.record_elastic(&pose, &stiffness);
        let drag = if options.is_damped { pose.joined().resistance_at(&stiffness, v, w) } else { none };
        bond_results(elastic, [energy, one, one], drag)
    };
    let mut results = if all_paths { Traced::all_paths(forces) } else { forces() };
    if options.softens {
        let utilisation = model.record_utilisation(&pose, &stiffness, &strength);
        [results[11], results[10]] = Softening::after(reached, limit, utilisation);
    } else if options.is_breakable {
        results[10] = one - model.record_overload(&pose, &stiffness, &strength);
    }
    results
}

/// Greatest relative errors of a recording on `count` random bonds.
pub fn errors(
    recording: &Recording,
    model: &'static BondModel,
    options: &BondOptions,
    magnitude: Magnitude,
    count: u64,
) -> Errors {
    let mut worst = Errors::default();
    let greater = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
    for k in 0..count {
        let sample = Sample::new(model, options, magnitude, k);
        let (ours, law) = (recording.evaluate(&sample.inputs(options)), sample.results(options));
        let error = |part: Range<usize>| relative(&ours[part.clone()], &law[part]);
        worst.force = greater(worst.force, greater(error(0..3), error(12..15)));
        let torques = [3..6, 6..9, 15..18, 18..21].map(error);
        worst.torque = torques.into_iter().fold(worst.torque, greater);
        worst.energy = greater(worst.energy, error(9..10));
        if error(10..12) > 1e-7 && sample.margin(options) > 1e-7 {
            worst.overload += 1.0 / count as f64;
        }
    }
    worst
}

/// Length of `a - b` over that of b.
fn relative(a: &[f64], b: &[f64]) -> f64 {
    let norm = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>().sqrt();
    let difference = norm(&mut a.iter().zip(b).map(|(a, b)| a - b));
    if difference == 0.0 { 0.0 } else { difference / norm(&mut b.iter().copied()) }
}

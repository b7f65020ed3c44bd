//! Recorded bonds against their laws, in double and in single precision.

use bdem_core::energy::law::{BondLaw, LoadStrain, Quaternion};
use bdem_core::energy::{GradientLanes, PoseLanes};
use bdem_core::model::{AxialStress, BondModel, Stiffness};
use bdem_core::simd::Lanes;
use bdem_core::simd::traced::{NotRecordable, Op, Recording};
use bdem_gpu::inputs::{BOND, BondOptions};
use bdem_gpu::record::{Errors, RecordError, errors, record_bond};
use bdem_gpu::sample::{Magnitude, Sample};
use bdem_gpu::wgsl;

/// The example's law as it stands.
#[allow(dead_code, reason = "its main function")]
#[path = "../../examples/own_law.rs"]
mod own_law;

/// Random bonds of a check.
const COUNT: u64 = 1000;

fn laws() -> impl Iterator<Item = &'static BondModel> {
    BondModel::ALL.iter().copied().chain([BondModel::of::<own_law::Stiffening>()])
}

/// Options of laws, all together and each alone.
fn options(model: &BondModel) -> Vec<BondOptions> {
    let plain = BondOptions::default();
    let all = BondOptions { is_damped: true, is_breakable: true, has_criterion: true, ..plain };
    let mut options = vec![
        plain,
        BondOptions { is_damped: true, ..plain },
        BondOptions { is_breakable: true, ..plain },
        BondOptions { is_breakable: true, axial: AxialStress::Magnitude, ..plain },
        all,
        BondOptions { softens: true, ..all },
        BondOptions { softens: true, axial: AxialStress::Magnitude, ..plain },
    ];
    // its shear is not invariant under rotation
    if model.name != "printed-particle-binder" {
        options.push(BondOptions { in_frame: true, ..all });
    }
    options
}

#[test]
fn every_law_is_its_recording_in_double_precision() {
    for model in laws() {
        for options in options(model) {
            let recording = record_bond(model, &options).unwrap_or_else(|error| panic!("{error}"));
            for (magnitude, limit) in [(Magnitude::Small, 1e-12), (Magnitude::Large, 1e-8)] {
                let Errors { force, torque, energy, overload } = errors(&recording, model, &options, magnitude, COUNT);
                let worst = [force, torque, energy].into_iter().fold(0.0, f64::max);
                assert!(worst < limit, "{} {magnitude:?}: {force} {torque} {energy}", model.name);
                assert_eq!(overload, 0.0, "{} {magnitude:?}", model.name);
            }
        }
    }
}

#[test]
fn samples_break_and_hold() {
    let options = BondOptions { is_breakable: true, ..BondOptions::default() };
    let broken = (0..COUNT).filter(|&k| {
        let sample = Sample::new(BondModel::QUATERNION, &options, Magnitude::Large, k);
        sample.results(&options)[10] == 0.0
    });
    assert!((200..800).contains(&broken.count()));
}

/// Results of a recording in single precision.
fn single(recording: &Recording, inputs: &[f64]) -> Vec<f64> {
    let mut values = Vec::<f32>::new();
    for op in &recording.ops {
        let of = |node: bdem_core::simd::traced::Node| values[node.0 as usize];
        values.push(match *op {
            Op::Const(bits) => f64::from_bits(bits) as f32,
            Op::Input(k) => inputs[k as usize] as f32,
            Op::Add(a, b) => of(a) + of(b),
            Op::Sub(a, b) => of(a) - of(b),
            Op::Mul(a, b) => of(a) * of(b),
            Op::Div(a, b) => of(a) / of(b),
            Op::Neg(a) => -of(a),
            Op::Sqrt(a) => of(a).sqrt(),
            Op::InverseSqrt(a) => 1.0 / of(a).sqrt(),
            Op::Abs(a) => of(a).abs(),
            Op::Sign(a) => 1f32.copysign(of(a)),
            Op::Pick(a, b, below, other) => of(if of(a) < of(b) { below } else { other }),
            Op::Pair(..) => panic!("a recording has none"),
        });
    }
    recording.outputs.iter().map(|node| values[node.0 as usize].into()).collect()
}

/// Strains of 1e-6: a length that single precision holds to 6e-8 would leave a force with an error of 0.06.
#[test]
fn single_precision_does_not_cancel() {
    let options = BondOptions { in_frame: true, ..BondOptions::default() };
    for model in [BondModel::QUATERNION, BondModel::COSSERAT, BondModel::AXIAL, BondModel::of::<own_law::Stiffening>()]
    {
        let recording = record_bond(model, &options).unwrap_or_else(|error| panic!("{error}"));
        let mut worst: f64 = 0.0;
        for k in 0..COUNT {
            let sample = Sample::new(model, &options, Magnitude::Tiny, k);
            let (ours, exact) = (single(&recording, &sample.inputs(&options)), sample.results(&options));
            let length = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>().sqrt();
            let difference = length(&mut (0..3).map(|k| ours[k] - exact[k]));
            worst = worst.max(difference / length(&mut exact[..3].iter().copied()));
        }
        assert!(worst < 2e-5, "{}: {worst}", model.name);
    }
}

/// A quaternion bond whose stretch is limited by this function.
macro_rules! limited {
    ($law:ident, $name:literal, $limit:expr) => {
        struct $law;

        impl BondLaw for $law {
            const NAME: &'static str = $name;

            #[inline(always)]
            fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
                let (energy, mut gradient) = Quaternion::elastic(pose, s);
                let factor: L = $limit(pose.l - s.l0, s.l0 * L::splat(0.01));
                gradient.p_j = gradient.p_j * factor;
                (energy * factor, gradient)
            }

            #[inline(always)]
            fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
                Quaternion::strain(pose, s)
            }
        }
    };
}

#[inline(always)]
fn stored<L: Lanes>(stretch: L) -> [f64; 8] {
    let mut eight = [0.0; 8];
    stretch.store(&mut eight);
    eight
}

// half the force beyond a limit
limited!(Picks, "picks", |stretch: L, limit| stretch.pick_below(limit, L::splat(1.0), L::splat(0.5)));
limited!(Bits, "bits", |stretch: L, limit| { L::splat(1.0) - L::splat(0.5) * L::from_bits(stretch.not_below(limit)) });
limited!(BranchesOnLane, "branches-on-lane", |stretch: L, limit| {
    // right for one lane, as `f64` is
    L::splat(if stretch.not_below(limit) & 1 == 1 { 0.5 } else { 1.0 })
});
limited!(ReadsStored, "reads-stored", |stretch: L, limit| {
    L::splat(if stored(stretch)[0] < stored(limit)[0] { 1.0 } else { 0.5 })
});
limited!(BranchesOnStored, "branches-on-stored", |stretch: L, limit| {
    let (now, most) = (stored::<L>(stretch), stored::<L>(limit));
    let factor = if now[0] < most[0] { 1.0 } else { 0.5 };
    // loaded again, so that only its values tell
    (L::load(&now) + L::load(&most)) * L::splat(0.0) + L::splat(factor)
});
limited!(Computes, "computes", |stretch: L, limit| {
    L::load(&stored::<L>(stretch).map(|stretch| 1.0 / (1.0 + stretch))) + limit * L::splat(0.0)
});
limited!(Iterates, "iterates", |stretch: L, limit: L| {
    (0..12).fold(L::splat(1.0), |sum, k| {
        let share = limit * L::splat(f64::from(k) / 12.0);
        sum - L::splat(0.05) * L::from_bits(stretch.not_below(share))
    })
});

#[test]
fn laws_that_compare_lanes_are_recorded() {
    let all = BondOptions { is_breakable: true, is_damped: true, ..BondOptions::default() };
    for model in [BondModel::of::<Picks>(), BondModel::of::<Bits>(), BondModel::of::<BranchesOnLane>()] {
        let recording = record_bond(model, &all).unwrap_or_else(|error| panic!("{error}"));
        let worst = errors(&recording, model, &all, Magnitude::Small, COUNT);
        assert!(worst.force < 1e-12 && worst.overload == 0.0, "{}: {worst:?}", model.name);
    }
}

#[test]
fn laws_that_leave_the_lanes_are_refused() {
    let refusal = |model| record_bond(model, &BondOptions::default()).expect_err("it does not record");
    let why = |model: &'static BondModel| match refusal(model) {
        RecordError::NotRecordable { law, why } => {
            assert_eq!(law, model.name);
            why
        }
        other => panic!("{other}"),
    };
    assert_eq!(why(BondModel::of::<ReadsStored>()), NotRecordable::Stored);
    assert_eq!(why(BondModel::of::<Computes>()), NotRecordable::OutsideLanes);
    assert!(matches!(why(BondModel::of::<Iterates>()), NotRecordable::Paths { .. }));
    let error = refusal(BondModel::of::<BranchesOnStored>());
    assert!(matches!(error, RecordError::Differs { quantity: "force", error, .. } if error > 0.1), "{error}");
    assert!(error.to_string().contains("`branches-on-stored`"), "{error}");
}

#[test]
fn shaders_are_functions_of_their_parameters() {
    for model in laws() {
        let options = BondOptions { is_damped: true, is_breakable: true, ..BondOptions::default() };
        let recording = record_bond(model, &options).unwrap_or_else(|error| panic!("{error}"));
        let shader = wgsl::function("bond", &BOND, &recording);
        let names = shader.matches("let t").count();
        // each line uses only names that stand above it
        for line in shader.lines() {
            let (name, expression) = line.trim().split_once(" = ").unwrap_or(("", line));
            let number = |word: &str| word.strip_prefix('t').and_then(|number| number.parse::<u32>().ok());
            let words = expression.split(|c: char| !c.is_alphanumeric()).filter_map(number);
            let own = name.strip_prefix("let ").and_then(number).unwrap_or(u32::MAX);
            assert!(words.into_iter().all(|word| word < own), "{line}");
        }
        assert!(names > 20 && shader.ends_with(");\n}\n") && !shader.contains("NaN"), "{}", model.name);
    }
}

//! Recorded contacts against the evaluation of explicit steps.

use bdem_core::geometry::{Vec3, keyed, rotation};
use bdem_core::internals::contact::StepDamping;
use bdem_core::model::{ContactLaw, PairSprings};
use bdem_gpu::record::{ContactOptions, contact_results, pair_spring_results, record_contact, record_pair_spring};

/// Inputs of a random contact: about a third closed, a third that opens or closes, and a third open.
fn inputs(options: &ContactOptions, seed: u64) -> [f64; 32] {
    let mut count = 0u64;
    let mut between = |from: f64, to: f64| {
        count += 1;
        from + (to - from) * keyed::uniform(seed, count)
    };
    let (radii, k) = ([between(0.8e-2, 1.2e-2), between(0.8e-2, 1.2e-2)], between(1e4, 1e5));
    let reach = radii[0] + radii[1];
    let mut vector = |most: f64| Vec3::from_fn(|_, _| between(-most, most));
    let (direction, moved, stretch) = (vector(1.0).normalize(), vector(2e-4), vector(2e-4));
    let turns = [vector(0.05), vector(0.05)].map(|theta| rotation::exp(&theta));
    let turned = rotation::rotate(&rotation::exp(&vector(0.02)), &direction);
    let gap = between(-3e-4, 1e-4);
    let slid = f64::from(u8::from(between(0.0, 1.0) < 0.3));
    let [softening, mass] = [between(1e-5, 1e-4), between(1e-3, 1e-2)];
    let damping = 2.0 * options.damping.zeta * (k * mass).sqrt();

    let mut inputs = [0.0; 32];
    let mut put = |at: usize, numbers: &[f64]| inputs[at..at + numbers.len()].copy_from_slice(numbers);
    if options.on_wall {
        put(0, turned.as_slice());
        put(6, &[-gap - moved.dot(&direction), -gap]);
    } else {
        let start = direction * (reach + gap) + moved;
        put(0, start.normalize().as_slice());
        put(6, &[reach - start.norm(), -gap]);
    }
    put(3, direction.as_slice());
    put(8, &[k, 1e-2, softening, damping, 2.0 / 7.0, radii[0], radii[1], between(0.2, 0.6), between(0.1, 0.3)]);
    put(17, stretch.as_slice());
    put(20, &[slid]);
    for (at, turn) in [21, 25].into_iter().zip(turns) {
        put(at, &[turn.i, turn.j, turn.k, turn.w]);
    }
    put(29, moved.as_slice());
    inputs
}

fn every_option() -> Vec<ContactOptions> {
    let mut every = Vec::new();
    for law in [ContactLaw::Linear, ContactLaw::Hertz, ContactLaw::RodriguesHertz] {
        for (zeta, has_friction, on_wall) in [
            (0.0, false, false),
            (0.1, false, false),
            (0.0, true, false),
            (0.1, true, false),
            (0.1, false, true),
            (0.1, true, true),
        ] {
            let damping = StepDamping { zeta, rate: 1e5 };
            every.push(ContactOptions { law, damping, has_friction, on_wall });
        }
    }
    every
}

#[test]
fn contacts_are_their_recordings_in_double_precision() {
    for options in every_option() {
        let recording = record_contact(&options).unwrap_or_else(|error| panic!("{error}"));
        let (mut worst, mut slides) = (0.0f64, 0);
        for seed in 0..2000 {
            let inputs = inputs(&options, seed);
            let ours = recording.evaluate(&inputs);
            let (mut core, bits) = contact_results(&options, |k| inputs[k as usize]);
            // the limit of those that slide
            *core.last_mut().expect("the limit") *= 1.0 - 2.0 * f64::from(bits & 1);
            let scale = core[..3].iter().chain(&core[9..12]).fold(0.0f64, |a, b| a.max(b.abs()));
            // at least that of an overlap of 1e-5 m, for overlaps are rounded with the reach
            let scale = scale.max(1e-5 * inputs[8]);
            let of = |k: usize| match k {
                // force and torques, dashpots' force and torques: N, and N m at a radius of 1e-2 m
                0..3 | 9..12 => scale,
                3..9 | 12..18 => 1e-2 * scale,
                // J: forces times displacements
                18 | 20 | 21 => 2e-4 * scale,
                // correction, mean force, stretch and limit
                19 | 22..25 | 28 => scale,
                25..28 => 2e-4,
                _ => unreachable!("no result"),
            };
            for (k, value) in core.iter().enumerate() {
                worst = worst.max((ours[k] - value).abs() / of(k));
            }
            assert_eq!(ours[28] < 0.0, bits & 1 == 1, "{options:?} {seed}");
            slides += bits & 1;
        }
        assert!(worst < 5e-12, "{options:?}: {worst}");
        assert!(!options.has_friction || (100..1900).contains(&slides), "{slides}");
    }
}

#[test]
fn springs_of_pairs_are_their_recordings() {
    for law in [ContactLaw::Linear, ContactLaw::Hertz, ContactLaw::RodriguesHertz] {
        let rule = PairSprings { law, stiffness: 0.5, softening: 0.1, zeta: 0.2 };
        let recording = record_pair_spring(&rule).unwrap_or_else(|error| panic!("{error}"));
        let surface = [1e6, 1e-9, 3e-9, 100.0, 0.5, 0.4];
        let inputs = [&surface[..], &surface.map(|x| 1.3 * x), &[0.02, 1e-3]].concat();
        let core = pair_spring_results(&rule, |k| inputs[k as usize]);
        for (ours, core) in recording.evaluate(&inputs).iter().zip(core) {
            assert!((ours - core).abs() <= 1e-14 * core.abs(), "{law:?}: {ours} {core}");
        }
    }
}

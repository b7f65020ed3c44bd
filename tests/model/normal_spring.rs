//! Springs and dashpots of contacts.

use bdem_core::model::{Closing, ContactLaw, DampedNormalSpring, NormalPotential, NormalSpring, damping_ratio};

const K: f64 = 3e4;
const M: f64 = 2e-3;
const SIZE: f64 = 0.01;

/// Elastic springs of all laws.
fn springs() -> [NormalSpring; 3] {
    let linear =
        NormalSpring { law: ContactLaw::Linear, k: K, size: SIZE, softening: 0.0, damping: 0.0, tangential: 0.0 };
    [
        linear,
        NormalSpring { softening: 0.01 * SIZE, ..linear },
        NormalSpring { law: ContactLaw::RodriguesHertz, ..linear },
    ]
}

/// The speed with which a mass that meets `spring` at the speed `v` leaves it, over v: by steps so short that the dashpot's
/// force over a step is that of the speed.
fn restitution(spring: &NormalSpring, v: f64) -> f64 {
    let (mut o, mut v_o, dt) = (0.0, v, 1e-5 * (M / K).sqrt());
    loop {
        let next = o + v_o * dt;
        let closing = Closing { before: o, rate: 1.0 / dt };
        let force = DampedNormalSpring { spring, closing }.push(next.max(0.0));
        if force <= 0.0 {
            return -v_o / v;
        }
        (o, v_o) = (next, v_o - force / M * dt);
    }
}

/// What is asked for comes about, by the linear law and by Hertz's, at any speed.
#[test]
fn spheres_part_at_the_share_that_is_asked_for() {
    for wanted in [1.0, 0.9, 0.7, 0.3, 0.1, 0.03] {
        let zeta = damping_ratio(wanted);
        let [linear, soft, hertz] = springs().map(|spring| spring.damped(zeta, M));
        for (name, spring, v) in [("linear", linear, 1.0), ("hertz", hertz, 1.0), ("hertz", hertz, 0.1)] {
            let e = restitution(&spring, v);
            println!("{name}: {e:.5} of {wanted}, zeta {zeta:.4}");
            assert!((e - wanted).abs() < 2e-3 * wanted.sqrt(), "{name}: {e} of {wanted}");
        }
        // as near as the soft part is small against the overlap
        let e = restitution(&soft, 1.0);
        println!("soft: {e:.5} of {wanted}");
        assert!((e - wanted).abs() < 0.1, "{e} of {wanted}");
    }
}

/// Forces are slopes of energies, and stiffnesses of forces, which never pull and grow with the overlap.
#[test]
fn forces_in_a_step_have_a_potential() {
    for spring in springs().map(|spring| spring.damped(0.2, M)) {
        for before in [0.0, 0.004 * SIZE, 0.05 * SIZE] {
            for rate in [0.0, 1e2, 1e5] {
                let closing = DampedNormalSpring { spring: &spring, closing: Closing { before, rate } };
                let (h, mut last) = (1e-6 * SIZE, 0.0);
                for o in (1..100).map(|k| (f64::from(k) + 0.37) * 1e-3 * SIZE) {
                    let slope = |f: &dyn Fn(f64) -> f64| (f(o + h) - f(o - h)) / (2.0 * h);
                    let (push, stiffness) = (closing.push(o), closing.stiffness(o));
                    let size = spring.push(0.1 * SIZE);
                    let by_energy = slope(&|o| closing.energy(o));
                    assert!((push - by_energy).abs() < 1e-5 * size, "{push} {by_energy} {closing:?}");
                    let by_push = slope(&|o| closing.push(o));
                    let kink = (closing.push(o + h) > 0.0) != (closing.push(o - h) > 0.0);
                    assert!(kink || (stiffness - by_push).abs() < 1e-3 * stiffness + 1e-6 * K, "{stiffness} {by_push}");
                    assert!(push >= last, "{push} {last} {closing:?}");
                    last = push;
                }
            }
        }
    }
}

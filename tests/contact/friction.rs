//! What friction takes.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::{
    Coefficients, ContactPoint, Contacts, Friction, FrictionForce, Limit, TangentialLaw, TangentialSpring, Turn,
    correct_velocities,
};
use bdem_core::model::{ContactLaw, FrictionModel, Material, Motion, NormalSpring};
use proptest::prelude::*;

use crate::common::system::{block, floor, kinetic_energy, material, noise};

const K: f64 = 1e5;
const RADIUS: f64 = 0.01;

/// A contact of a sphere that does not turn, by a tangential spring of the stiffness K without a dashpot.
#[derive(Default)]
struct Contact(TangentialSpring);

impl Contact {
    /// Its friction after the displacement `u` (m).
    fn friction(&self, u: &Vec3, limit: Limit) -> Friction<f64, 1> {
        let (n, shift) = ((&self.0.n).into(), (&Vec3::zeros()).into());
        let point = ContactPoint { n, arms: [RADIUS], moved: u.into(), turns: [Turn::NONE], shift };
        let spring =
            NormalSpring { law: ContactLaw::Linear, k: K, size: RADIUS, softening: 0.0, damping: 0.0, tangential: 1.0 };
        Friction::new(TangentialLaw::new(&spring, 0.0, [0.0; 2]), point, (&self.0.stretch).into(), limit)
    }

    /// Presses it by N along a normal.
    fn press(&mut self, (n, push): (Vec3, f64), mu: Coefficients, u: &Vec3) {
        self.0.n = n;
        self.0.limit = self.friction(u, Limit::Here(push, mu, f64::from(self.0.slides))).limit;
    }

    /// Ends the step. Returns the energy lost (J) and the force that worked (N).
    fn commit(&mut self, rule: FrictionForce, u: &Vec3) -> (f64, Vec3) {
        let friction = self.friction(u, Limit::Earlier(self.0.limit));
        let (force, [lost, damped]) = friction.work(rule);
        assert_eq!(damped, 0.0);
        self.0 = match self.0.limit > 0.0 {
            true => TangentialSpring { stretch: friction.end().into(), slides: friction.slides() != 0, ..self.0 },
            false => TangentialSpring::default(),
        };
        (lost, force.into())
    }
}

/// Slips (m) one after another, and what presses: a normal that turns, and a force (N) along it.
fn slips(seed: u64, i: usize, turn: f64) -> (Vec3, (Vec3, f64)) {
    let n = (Vec3::z() + noise(seed + 1, i) * turn).normalize();
    (noise(seed, i) * 1e-3, (n, 100.0 * (1.0 + noise(seed + 2, i).x)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// What slips put in is in the spring or lost, to the last digit, whatever limits and normals do.
    #[test]
    fn springs_hold_what_is_not_lost(seed in 0u64..1000, turn in 0.0f64..1.0, parts in 0usize..8) {
        let mut contact = Contact::default();
        let (mut put_in, mut lost, mut scale) = (0.0, 0.0, 0.0);
        for i in 0..50 {
            let (u, pressed) = slips(3 * seed, i, turn);
            if i % 8 == parts {
                contact.0.limit = 0.0;
            } else {
                contact.press(pressed, Coefficients { sticking: 0.6, sliding: 0.4 }, &u);
            }
            let (before, n) = (contact.0.stretch, contact.0.n);
            let (taken, _) = contact.commit(FrictionForce::Mean, &u);
            let work = 0.5 * K * (before + contact.0.stretch).dot(&(u - n * n.dot(&u)));
            put_in += work;
            lost += taken;
            scale += work.abs() + taken.abs();
        }
        let kept = 0.5 * K * contact.0.stretch.norm_squared();
        prop_assert!((put_in - lost - kept).abs() < 1e-12 * scale);
    }

    /// By the force in the middle of a step, energy is lost as that force works, however fast the limit changes: none of it where
    /// surfaces part before the middle but what the spring held.
    #[test]
    fn the_force_in_the_middle_takes_its_own_work(seed in 0u64..1000, parts in 0usize..8) {
        let mut contact = Contact::default();
        for i in 0..50 {
            let (u, pressed) = slips(3 * seed, i, 0.0);
            contact.press(pressed, Coefficients { sticking: 0.4, sliding: 0.4 }, &u);
            if i % 8 == parts {
                contact.0.limit = 0.0;
            }
            let TangentialSpring { stretch: before, n, limit, .. } = contact.0;
            let spring = before + u * 0.5;
            let spring = spring - n * n.dot(&spring);
            let force = spring * (limit / spring.norm()).min(K);
            let (lost, works) = contact.commit(FrictionForce::Middle, &u);
            let held = 0.5 * K * (before.norm_squared() - contact.0.stretch.norm_squared());
            prop_assert!((works - force).norm() <= 1e-12 * force.norm());
            // of the energies whose differences these are
            let springs = 0.5 * K * (before.norm_squared() + contact.0.stretch.norm_squared());
            let rounding = 1e-12 * (force.dot(&u).abs() + springs);
            prop_assert!((lost - force.dot(&u) - held).abs() <= rounding);
            prop_assert!(lost >= -rounding, "{lost}");
        }
    }

    /// On a straight way nothing is lost where it sticks, and the force times the way where it slides.
    #[test]
    fn sliding_loses_its_force_times_its_way(limit in 1.0f64..200.0, way in 1e-4f64..1e-2, steps in 1usize..100) {
        let mut contact = Contact::default();
        let mut lost = 0.0;
        for _ in 0..steps {
            let u = Vec3::x() * (way / steps as f64);
            contact.press((Vec3::z(), limit), Coefficients { sticking: 1.0, sliding: 1.0 }, &u);
            lost += contact.commit(FrictionForce::Mean, &u).0;
        }
        let slid = (way - limit / K).max(0.0);
        // the step in which it begins to slide has a mean force of its own
        let corner = 0.5 * limit * way / steps as f64;
        let (want, rounding) = (limit * slid, 1e-12 * limit * way);
        prop_assert!(lost >= -rounding && (lost - want).abs() <= corner + rounding, "{lost} {want}");
    }
}

/// Kinetic energy is lost, or done by walls and held particles that move.
#[test]
fn a_correction_of_velocities_balances() {
    let rubbing = Material { friction: 0.4, rolling_friction: 0.2, ..material(1e7, 4e6, 2600.0) };
    let (mut world, mut state) = block(rubbing, [0.08; 3], RADIUS);
    let all: Vec<usize> = (0..world.bonds().len()).collect();
    world.remove_bonds(&all);
    world.friction_model = FrictionModel::VelocityCorrection;
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.walls = vec![floor(low - 0.95 * RADIUS, 0.5)];
    world.walls[0].motion = Motion::Velocity(Vec3::new(0.7, 0.2, 0.0));
    state.p.iter_mut().for_each(|p| *p *= 0.99);
    for i in 0..state.len() {
        (state.v[i], state.w[i]) = (noise(1, i), noise(2, i) * 50.0);
    }
    let contacts = Contacts::new(&world, &state);
    let held: Vec<bool> = (0..state.len()).map(|i| i % 3 == 0).collect();
    let before = kinetic_energy(&world, &state);
    let slowed = correct_velocities(&world, &contacts, &held, &mut state, 1e-4);
    let change = kinetic_energy(&world, &state) - before;
    assert!(slowed.by_sliding > 0.0 && slowed.walls != 0.0 && slowed.held != 0.0);
    assert!((change - (slowed.walls + slowed.held - slowed.by_sliding)).abs() < 1e-12 * before);
}

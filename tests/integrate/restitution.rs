//! Single grains, rigid dumbbells and pairs of grains that bounce on a floor leave it at the restitution that was asked for, at
//! any frame rate, speed, size and modulus, at the default steps.

use bdem_core::geometry::Vec3;
use bdem_core::geometry::packing::Packed;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::model::{ContactLaw, Material, RigidBody, State, Wall, World};
use bdem_core::simulate::{IntegratorKind, Progress, Simulation, SimulationSettings, StepSize};
use proptest::prelude::*;

const DENSITY: f64 = 2500.0;

/// A bounce on a floor without gravity.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    law: ContactLaw,
    restitution: f64,
    /// Grains side by side, and whether they are one rigid body.
    grains: usize,
    is_rigid: bool,
    /// m, and Pa.
    radius: f64,
    young: f64,
    /// Of the approach, m/s, from a gap, m.
    speed: f64,
    gap: f64,
    /// 1/s.
    frame_rate: f64,
}

impl Bounce {
    fn world(&self) -> (World, State) {
        let mut builder = World::builder();
        let material = builder.material(Material::elastic("m", DENSITY, self.young, 0.25));
        // a little apart, so that no bond joins them
        let centres = (0..self.grains).map(|i| Vec3::x() * (2.01 * self.radius * i as f64)).collect();
        builder.packing(&Packed::equal(centres, self.radius, 1e-6), Vec3::z() * (self.radius + self.gap), material);
        builder.wall(Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
        builder.restitution(self.restitution);
        let (mut world, mut state) = builder.build().expect("a world");
        world.contact_law = self.law;
        if self.is_rigid {
            world.rigid = vec![RigidBody::new(0..self.grains, &world.particles, true)];
        }
        state.v.iter_mut().for_each(|v| v.z = -self.speed);
        (world, state)
    }

    /// Frames until the bounce is over: three times as long as a contact by the linear law, and four more.
    fn frames(&self) -> usize {
        let omega = (0.375 * self.young / DENSITY).sqrt() / self.radius;
        let seconds = self.gap / self.speed + 3.0 * std::f64::consts::PI / omega;
        (seconds * self.frame_rate).ceil() as usize + 4
    }

    /// Speed after the bounce over that before it.
    fn rebound(&self, integrator: IntegratorKind, step: Option<StepSize>) -> f64 {
        let (world, state) = self.world();
        let settings = SimulationSettings { integrator, step, ..SimulationSettings::new(1.0 / self.frame_rate) };
        let mut simulation = Simulation::new(world, state, &settings);
        let mut progress = Progress::default();
        for _ in 0..self.frames() {
            for _ in 0..simulation.plan.per_frame {
                simulation.advance(&mut progress).unwrap_or_else(|end| panic!("{self:?} {integrator} ended: {end}"));
            }
            simulation.audit().unwrap_or_else(|end| panic!("{self:?} {integrator} ended: {end}"));
        }
        simulation.state.v.iter().map(|v| v.z).sum::<f64>() / self.grains as f64 / self.speed
    }
}

fn bounces(law: ContactLaw) -> impl Strategy<Value = Bounce> {
    let body = prop_oneof![Just((1, false)), Just((2, true)), Just((2, false))];
    let restitution = prop_oneof![Just(1.0), 0.1f64..1.0];
    let (lengths, young, speed) = ((-2.7f64..-1.7, -2.0f64..0.5), 6.5f64..9.0, -1.0f64..0.7);
    let rate = prop_oneof![Just(24.0), Just(60.0), Just(240.0), Just(480.0)];
    (body, restitution, lengths, young, speed, rate).prop_map(
        move |(body, restitution, lengths, young, speed, frame_rate)| {
            let [radius, share] = [lengths.0, lengths.1].map(|x| 10f64.powf(x));
            let (young, speed) = (10f64.powf(young), 10f64.powf(speed));
            let (grains, is_rigid) = body;
            Bounce { law, restitution, grains, is_rigid, radius, young, speed, gap: share * radius, frame_rate }
        },
    )
}

fn is_as_asked(bounce: &Bounce, integrator: IntegratorKind, step: Option<StepSize>) -> Result<(), TestCaseError> {
    let (found, asked) = (bounce.rebound(integrator, step), bounce.restitution);
    prop_assert!((found - asked).abs() < 0.03, "{bounce:?} {integrator}: {found}");
    // energy beyond what the bounce may keep
    prop_assert!(asked < 1.0 || found * found < 1.005, "{bounce:?} {integrator}: gains {found}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn verlet_bounces_as_asked(bounce in bounces(ContactLaw::Linear)) {
        is_as_asked(&bounce, IntegratorKind::ExplicitVerlet, None)?;
        is_as_asked(&bounce, IntegratorKind::ExplicitVerlet, Some(StepSize::Auto))?;
    }

    #[test]
    fn verlet_bounces_as_asked_by_hertzs_law(bounce in bounces(ContactLaw::RodriguesHertz)) {
        is_as_asked(&bounce, IntegratorKind::ExplicitVerlet, Some(StepSize::Auto))?;
    }

    #[test]
    fn rodrigues_maps_bounce_as_asked(bounce in bounces(ContactLaw::Linear)) {
        prop_assume!(!bounce.is_rigid);
        is_as_asked(&bounce, IntegratorKind::ExplicitRodrigues(Default::default()), Some(StepSize::Auto))?;
    }

    #[test]
    fn the_default_bounces_as_asked(bounce in bounces(ContactLaw::Linear)) {
        is_as_asked(&bounce, IntegratorKind::Auto, None)?;
    }
}

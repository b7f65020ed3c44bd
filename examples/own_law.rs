//! A bond law of one's own, on two spheres that vibrate along their bond: `cargo run --release --example own_law`.
//!
//! It is the bond of a material, under any integrator. A law that scenes name has some lines in a list within the crate
//! more; "Working on bdem" in the book has them.

use bdem_core::energy::law::{BondLaw, LoadStrain, Quaternion};
use bdem_core::energy::{GradientLanes, PoseLanes};
use bdem_core::model::{BondModel, Stiffness};
use bdem_core::prelude::*;
use bdem_core::simd::Lanes;

/// The quaternion bond with an axial force that stiffens, F = k_n s (1 + (s/a)^2), where a is a tenth of the rest length.
pub(crate) struct Stiffening;

/// Rest length over the stretch at which the stiffness has doubled.
const SHARE: f64 = 10.0;

impl BondLaw for Stiffening {
    const NAME: &'static str = "stiffening";

    #[inline(always)]
    fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
        let [_, shear, twist, bend] = Quaternion::energies(pose, s);
        let (stretch, a) = (pose.l - s.l0, s.l0 / L::splat(SHARE));
        let squared = stretch * stretch / (a * a);
        let quadratic = L::splat(0.5) * s.k[0] * stretch * stretch;
        [quadratic * (L::splat(1.0) + L::splat(0.5) * squared), shear, twist, bend]
    }

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let (energy, gradient) = Quaternion::elastic(pose, s);
        let stretch = pose.l - s.l0;
        let relative = L::splat(SHARE) * stretch / s.l0;
        let force = s.k[0] * stretch * relative * relative;
        let more = GradientLanes { p_j: pose.n * force, ..GradientLanes::zero() };
        (energy + L::splat(0.25) * force * stretch, gradient.plus(more))
    }

    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let strain = Quaternion::strain(pose, s);
        let relative = L::splat(SHARE) * strain.stretch / s.l0;
        LoadStrain { stretch: strain.stretch * (L::splat(1.0) + relative * relative), ..strain }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = World::builder();
    let rubber = Material::elastic("rubber", 1100.0, 1e7, 0.25);
    let rubber = builder.material(Material { bond: BondModel::of::<Stiffening>(), ..rubber });
    let [a, b] = [0.0, 0.02].map(|x| builder.particle(Vec3::new(x, 0.0, 0.0), 0.01, rubber));
    builder.bond(a, b);
    let (world, mut state) = builder.build()?;
    state.p[1].x += 0.002;
    let (step, integrator) = (Some(StepSize::Periods(0.02)), IntegratorKind::ExplicitVerlet);
    let settings = SimulationSettings { step, integrator, ..SimulationSettings::new(0.01) };
    let mut simulation = Simulation::new(world, state, &settings);
    // V = 1/2 k s^2 (1 + (s/a)^2/2), and s = a here
    let k = simulation.world.bonds()[0].k.n;
    let (start, closed_form) = (simulation.energy(), 0.75 * k * 0.002 * 0.002);
    let mut progress = Progress::default();
    simulation.advance_frame(&mut progress)?;
    let end = simulation.energy();
    println!("{start:.6} J at the start, {end:.6} J after {} steps", progress.steps);
    assert!((start / closed_form - 1.0).abs() < 1e-9 && (end / start - 1.0).abs() < 1e-3, "energy is conserved");
    Ok(())
}

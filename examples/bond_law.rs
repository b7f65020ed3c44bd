//! A bond law of one's own, on two spheres that vibrate along their bond: `cargo run --release --example bond_law`.
//!
//! A `Simulation` knows its laws by name: its kernels are compiled for each, and scenes and checkpoints store the name. So a
//! law enters it within the crate, in two lines; "Working on bdem" in the book has them.

use bdem_core::energy::law::{BondLaw, LoadStrain, Quaternion};
use bdem_core::energy::{BondGradient, GradientLanes, PoseLanes, bond};
use bdem_core::geometry::Vec3;
use bdem_core::model::{Material, Stiffness, World};
use bdem_core::simd::Lanes;

/// The quaternion bond with an axial force that stiffens, F = k_n s (1 + (s/a)^2), where a is a tenth of the rest length.
struct Stiffening;

/// Rest length over the stretch at which the stiffness has doubled.
const SHARE: f64 = 10.0;

impl BondLaw for Stiffening {
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
    let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
    let [a, b] = [0.0, 0.02].map(|x| builder.particle(Vec3::new(x, 0.0, 0.0), 0.01, rubber));
    builder.bond(a, b);
    let (world, mut state) = builder.build()?;
    state.p[1].x += 0.002;
    let bond = &world.bonds()[0];
    let energy_and_gradient = |state: &_| {
        let (energy, gradient) = Stiffening::elastic(&(&bond::pose(bond, state)).into(), &bond.into());
        (energy, BondGradient::from(gradient).by_particle())
    };
    let (mut energy, mut gradient) = energy_and_gradient(&state);
    let (start, dt) = (energy, 0.02 * world.period());
    for _ in 0..1000 {
        for (i, on) in gradient.iter().enumerate() {
            state.v[i] -= on.p * (0.5 * dt / world.particles.mass[i]);
            state.p[i] += state.v[i] * dt;
        }
        (energy, gradient) = energy_and_gradient(&state);
        for (i, on) in gradient.iter().enumerate() {
            state.v[i] -= on.p * (0.5 * dt / world.particles.mass[i]);
        }
    }
    let end = energy + state.kinetic_energy(&world.particles).0;
    println!("{start:.6} J at the start, {end:.6} J after 1000 steps");
    assert!((end / start - 1.0).abs() < 1e-3, "energy is conserved");
    Ok(())
}

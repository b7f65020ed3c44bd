//! Random bonds, and forces, energy and overload of them by their law in double precision.

use bdem_core::energy::law::Strength;
use bdem_core::energy::{BondGradient, BondPose, GradientLanes, bond};
use bdem_core::fracture::BondLoad;
use bdem_core::geometry::{Quat, Vec3, keyed, rotation};
use bdem_core::model::{Bond, BondModel, Criterion, Material, Modes, Softening, Stiffness};

use crate::inputs::{BondOptions, bond_results};

/// Strain of random bonds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnitude {
    /// Up to 1e-6: lengths of single precision do not hold it.
    Tiny,
    /// Up to 0.05: series are exact.
    Small,
    /// Any that a bond may have: half its length in all directions, rotations of its ends by a radian.
    Large,
}

/// Random bond with a pose and velocities.
pub struct Sample {
    bond: Bond,
    branch: Vec3,
    apart: Vec3,
    q: [Quat; 2],
    v: Vec3,
    w: [Vec3; 2],
}

/// Least stretch over the greatest. At no stretch the law's own force is rounding.
const LEAST_STRETCH: f64 = 0.2;

impl Sample {
    /// Sample `k` of a law.
    pub fn new(model: &'static BondModel, options: &BondOptions, magnitude: Magnitude, k: u64) -> Self {
        let mut count = 0u64;
        let mut between = |from: f64, to: f64| {
            count += 1;
            from + (to - from) * keyed::uniform(k, count)
        };
        let young_modulus = libm::exp(between(libm::log(1e6), libm::log(1e11)));
        let (radius, viscous) = ([between(0.8e-2, 1.2e-2), between(0.8e-2, 1.2e-2)], between(1e-5, 1e-3));
        let criterion = Criterion { friction: between(0.0, 0.8), moment_share: between(0.0, 1.0) };
        let strengths = [between(0.5, 3.0), between(0.5, 3.0)];
        let softening = [between(0.0, 1.0), between(1.5, 5.0)];
        let (stretch, turn) = match magnitude {
            Magnitude::Tiny => (1e-6, 1e-6),
            Magnitude::Small => (0.05, 0.05),
            Magnitude::Large => (0.5, 1.0),
        };
        let axial = 1f64.copysign(between(-1.0, 1.0)) * between(LEAST_STRETCH, 1.0) * stretch;
        let turned = between(0.0, 3.0);
        let mut vector = |most: f64| Vec3::from_fn(|_, _| between(-most, most));
        let d = vector(1.0).normalize();
        let q_i = rotation::exp(&(vector(1.0).normalize() * turned));
        let q_j = rotation::exp(&vector(turn)) * q_i;
        let (strain, v, w) = (vector(stretch), vector(1.0), [vector(50.0), vector(50.0)]);

        let material = Material { bond: model, ..Material::elastic("sample", 1000.0, young_modulus, 0.25) };
        let mut bond = Bond::new(0, [0, 1], d * (radius[0] + radius[1]), radius, [1.0; 2], &material);
        let Modes { n, s, t, b } = bond.k;
        let [n, s, t, b] = [n, s, t, b].map(|mode| mode * viscous);
        bond.c = Modes { n, s, t, b };
        if options.has_criterion {
            bond.criterion = criterion;
        }
        // the branch turns with the first particle, but for its strain
        let (rest, strain) = (d * bond.l0, strain + d * (axial - d.dot(&strain)));
        let apart = rotation::rotate(&q_i, &(rest + strain * bond.l0)) - rest;
        let mut sample = Self { branch: rest + apart, apart, bond, q: [q_i, q_j], v, w };
        sample.set_strength(options, strengths);
        if options.softens {
            sample.soften(softening);
        }
        sample
    }

    /// Lets the bond soften up to this limit, and begin at this share of the way there.
    fn soften(&mut self, [share, limit]: [f64; 2]) {
        // the limit is proportional to the energy
        self.bond.soften_by(limit / self.bond.softening_limit(1.0));
        self.bond.soften_to(1.0 + share * (limit - 1.0)).expect("a bond that softens");
    }

    /// Greatest strain before, and its limit.
    fn softening(&self) -> [f64; 2] {
        self.bond.softening.as_ref().map_or([1.0, 2.0], |softening| [softening.reached, softening.limit])
    }

    /// Sets both strengths to these multiples of the loads.
    fn set_strength(&mut self, options: &BondOptions, over: [f64; 2]) {
        let load = BondLoad::new(&self.bond, &self.pose());
        let loads = [load.sigma(&self.bond, options.axial).abs(), load.tau(&self.bond)];
        // without shear any strength will do
        self.bond.strength = [0, 1].map(|k| if loads[k] > 0.0 { over[k] * loads[k] } else { 1e6 });
    }

    fn pose(&self) -> BondPose {
        let [q_i, q_j] = &self.q;
        BondPose::new(&self.bond.d0, [&Vec3::zeros(), &self.branch], [q_i, q_j])
    }

    /// Inputs of the recording: see [`BOND`](crate::inputs::BOND).
    pub fn inputs(&self, options: &BondOptions) -> Vec<f64> {
        let [q_i, q_j] = self.q;
        let sign = if q_i.coords.dot(&q_j.coords) < 0.0 { -1.0 } else { 1.0 };
        let (mut d0, mut q, mut e) = (self.bond.d0, q_i, q_j * sign - q_i);
        if options.in_frame {
            d0 = rotation::rotate(&q_i, &d0);
            (q, e) = (Quat::identity(), e * q_i.conjugate());
        }
        let apart = if options.in_frame { self.branch - d0 * self.bond.l0 } else { self.apart };
        let mut first = self.bond.clone();
        // none that does not soften
        let _ = first.soften_to(1.0);
        let Stiffness { l0, r0, k, c } = (&first).into();
        let Strength { sigma, tau, criterion, .. } = Strength::new(&first, options.axial);
        let [share, friction] = criterion.unwrap_or([1.0, 0.0]);
        let four = |q: Quat| [q.i, q.j, q.k, q.w];
        let pose = [d0.as_slice(), &[l0], apart.as_slice(), &four(q), &four(e)].concat();
        let motion = [self.v, self.w[0], self.w[1]].map(|v| [v.x, v.y, v.z]).concat();
        [&pose[..], &[r0], &k, &c, &[sigma, tau, share, friction], &motion, &self.softening()].concat()
    }

    /// Results by the law.
    pub fn results(&self, options: &BondOptions) -> Vec<f64> {
        let (bond, pose) = (&self.bond, &self.pose());
        let drag = bond::damping_at(bond, pose, [&Vec3::zeros(), &self.v], self.w.each_ref());
        let drag = if options.is_damped { drag } else { BondGradient::default() };
        let lanes = |BondGradient { p_j, theta: [i, j] }: &BondGradient| GradientLanes {
            p_j: p_j.into(),
            theta_i: i.into(),
            theta_j: j.into(),
        };
        let load = BondLoad::new(bond, pose);
        let [reached, kept] = if options.softens {
            let [reached, limit] = self.softening();
            Softening::after(reached, limit, load.utilisation(bond, options.axial))
        } else {
            let breaks = options.is_breakable && load.breaks(bond, options.axial);
            [1.0, f64::from(u8::from(!breaks))]
        };
        bond_results(lanes(&bond::gradient(bond, pose)), [bond::value(bond, pose), kept, reached], lanes(&drag))
    }

    /// Distance of the loads from the strengths, relative. Near zero, rounding decides whether the bond breaks.
    pub fn margin(&self, options: &BondOptions) -> f64 {
        let (bond, load) = (&self.bond, BondLoad::new(&self.bond, &self.pose()));
        if options.softens {
            let [reached, limit] = self.softening();
            return (reached * load.utilisation(bond, options.axial) / limit - 1.0).abs();
        }
        let sigma = load.sigma(bond, options.axial) / bond.strength[0] - 1.0;
        // with friction the strength against tau may be zero
        let tau = (load.tau(bond) - load.tau_strength(bond)) / bond.strength[1];
        sigma.abs().min(tau.abs())
    }
}

//! Kernels over batches of pairs: the law of one register, whose results are stored pair by pair.

use super::PairStep;
use super::pair_lanes::{MOST, PairLanes, SpringLanes, stored};
use crate::contact::friction::{Friction, FrictionForce, Limit};
use crate::contact::lanes::pick;
use crate::contact::{FrictionWork, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Gradient, Spring};
use crate::simd::dispatch;
use crate::simd::{Lanes, Vec3x};

/// Energy and forces of a pair in contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairForce {
    /// Energy, J, and power of the dashpot, W.
    pub energy: f64,
    pub power: f64,
    /// dV/dx of i and j, N and N m.
    pub gradient: [Gradient; 2],
}

/// Stiffnesses of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairStiffness {
    /// Unit normal from i to j.
    pub n: Vec3,
    /// Distance of the centres, m.
    pub distance: f64,
    /// Tangent stiffness of the normal force, N/m.
    pub normal: f64,
    /// Friction force over spring length, N/m: see [`Friction::weight`].
    pub shear: f64,
    /// Unit vector of the sliding direction; `None` in sticking.
    pub sliding: Option<Vec3>,
}

impl PairStep<'_> {
    /// Energies and forces of the first `count` pairs of a batch, by the friction limits and normals of an earlier state.
    #[inline(always)]
    pub(super) fn forces(&self, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) {
        dispatch! { fn smooth<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = forces[false] }
        dispatch! { fn rough<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = forces[true] }
        match self.springs.is_empty() {
            true => smooth(self.level, self, batch, count, out),
            false => rough(self.level, self, batch, count, out),
        }
    }

    /// Stiffnesses of a batch of pairs. Gaps below `margin`, a share of the reach, count as closed.
    pub(crate) fn stiffnesses(&self, batch: &[u32; MOST], margin: f64) -> [PairStiffness; MOST] {
        dispatch! { fn smooth<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = stiffnesses[false] }
        dispatch! { fn rough<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = stiffnesses[true] }
        let mut out = [PairStiffness::default(); MOST];
        match self.springs.is_empty() {
            true => smooth(self.level, self, batch, margin, &mut out),
            false => rough(self.level, self, batch, margin, &mut out),
        }
        out
    }

    /// The tangential springs of a batch with normals, contact points and friction limits at the state.
    pub(crate) fn limited(&self, rule: FrictionForce, batch: &[u32; MOST]) -> [TangentialSpring; MOST] {
        dispatch! { fn run<'a>(step: &PairStep<'a>, rule: FrictionForce, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST]) = limits }
        let mut out = [TangentialSpring::default(); MOST];
        run(self.level, self, rule, batch, &mut out);
        out
    }

    /// The tangential springs of the first `count` of a batch after the step, and their work.
    pub(crate) fn settled(
        &self,
        rule: FrictionForce,
        batch: &[u32; MOST],
        count: usize,
    ) -> ([TangentialSpring; MOST], FrictionWork) {
        dispatch! { fn run<'a>(step: &PairStep<'a>, rule: FrictionForce, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST], work: &mut [[f64; MOST]; 2]) = settle }
        let (mut out, mut work) = ([TangentialSpring::default(); MOST], [[0.0; MOST]; 2]);
        run(self.level, self, rule, batch, &mut out, &mut work);
        let [lost, damped] = work.map(|of| of[..count].iter().sum());
        (out, FrictionWork { lost, damped, ..FrictionWork::default() })
    }
}

/// A batch from its entry `first` on. Kernels loop without closures: those are not compiled for the lanes' instructions.
#[inline(always)]
fn from(batch: &[u32; MOST], first: usize) -> [u32; MOST] {
    let (mut index, mut lane) = ([0; MOST], 0);
    while lane < MOST {
        index[lane] = batch[(first + lane) % MOST];
        lane += 1;
    }
    index
}

/// Friction by the limits, normals and contact points of an earlier state.
#[inline(always)]
fn friction<L: Lanes>(pairs: &PairLanes<L>, known: &SpringLanes<L>) -> Friction<L> {
    let point = pairs.point(known.n, known.arms, known.shift);
    Friction::new(pairs.shear(), point, known.stretch, Limit::Earlier(known.limit))
}

#[inline(always)]
fn forces<L: Lanes, const ROUGH: bool>(
    step: &PairStep,
    batch: &[u32; MOST],
    count: usize,
    out: &mut [PairForce; MOST],
) {
    let mut first = 0;
    while first < count {
        let index = &from(batch, first);
        let pairs = PairLanes::<L>::load(step, index);
        let mut energy = pairs.spring().energy(pairs.overlap);
        let mut force = pairs.n * pairs.spring().push(pairs.overlap);
        let mut torques = [Vec3x::splat(0.0); 2];
        if ROUGH {
            let friction = friction(&pairs, &SpringLanes::load(step.springs, index));
            let by_friction = friction.force();
            torques = friction.point.torques(by_friction);
            force = force + by_friction;
            energy += friction.energy();
        }
        let ([i, j], f) = (torques, force);
        let c = stored([energy, pairs.power(), f.x, f.y, f.z, i.x, i.y, i.z, j.x, j.y, j.z]);
        for (lane, out) in out[first..first + L::COUNT].iter_mut().enumerate() {
            let [energy, power, x, y, z, a, b, c, d, e, f] = c.map(|column| column[lane]);
            let p = Vec3::new(x, y, z);
            let [on_i, on_j] = [Vec3::new(a, b, c), Vec3::new(d, e, f)];
            let gradient = [Gradient { p, theta: on_i }, Gradient { p: -p, theta: on_j }];
            *out = PairForce { energy, power, gradient };
        }
        first += L::COUNT;
    }
}

#[inline(always)]
fn stiffnesses<L: Lanes, const ROUGH: bool>(
    step: &PairStep,
    batch: &[u32; MOST],
    margin: f64,
    out: &mut [PairStiffness; MOST],
) {
    let zero = L::splat(0.0);
    let mut first = 0;
    while first < MOST {
        let index = &from(batch, first);
        let pairs = PairLanes::<L>::load(step, index);
        let (n, gap) = (pairs.n, pairs.distance - pairs.reach);
        let closed = pairs.spring().stiffness_about(-gap);
        let normal = gap.pick_below(L::splat(margin) * pairs.reach, closed, zero);
        let (mut shear, mut slides, mut e) = (zero, 0, n);
        if ROUGH {
            let friction = friction(&pairs, &SpringLanes::load(step.springs, index));
            shear = zero.pick_below(friction.limit, friction.weight(), zero);
            (slides, e) = (friction.slides(), friction.direction());
        }
        let c = stored([n.x, n.y, n.z, pairs.distance, normal, shear, e.x, e.y, e.z]);
        for (lane, out) in out[first..first + L::COUNT].iter_mut().enumerate() {
            let [x, y, z, distance, normal, shear, a, b, c] = c.map(|column| column[lane]);
            let sliding = (slides >> lane & 1 == 1).then(|| Vec3::new(a, b, c));
            *out = PairStiffness { n: Vec3::new(x, y, z), distance, normal, shear, sliding };
        }
        first += L::COUNT;
    }
}

#[inline(always)]
fn limits<L: Lanes>(step: &PairStep, rule: FrictionForce, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST]) {
    let (zero, half) = (L::splat(0.0), L::splat(0.5));
    let mut first = 0;
    while first < MOST {
        let index = &from(batch, first);
        let pairs = PairLanes::<L>::load(step, index);
        let known = SpringLanes::load(step.springs, index);
        let (overlap, [r_i, r_j]) = (pairs.overlap, pairs.radii());
        // pairs that parted keep their last contact point
        let n = pick(overlap, pairs.n, known.n);
        let arm_i = zero.pick_below(overlap, half.neg_mul_add(overlap, r_i), known.arms[0]);
        let arm_j = zero.pick_below(overlap, half.neg_mul_add(overlap, r_j), known.arms[1]);
        let (arms, push) = ([arm_i, arm_j], pairs.spring().push(overlap));
        let limit = Limit::Here(push, pairs.mu, known.slid);
        let point = pairs.point(n, arms, Vec3x::splat(0.0)).in_rule(rule, pick(overlap, pairs.n_0, n));
        let Friction { limit, .. } = Friction::new(pairs.shear(), point, known.stretch, limit);
        let limit = zero.pick_below(overlap, limit, zero);
        SpringLanes { n, arms, shift: point.rolled(), limit, ..known }.store(&mut out[first..]);
        first += L::COUNT;
    }
}

#[inline(always)]
fn settle<L: Lanes>(
    step: &PairStep,
    rule: FrictionForce,
    batch: &[u32; MOST],
    out: &mut [TangentialSpring; MOST],
    work: &mut [[f64; MOST]; 2],
) {
    let mut first = 0;
    while first < MOST {
        let index = &from(batch, first);
        let known = SpringLanes::load(step.springs, index);
        let friction = friction(&PairLanes::<L>::load(step, index), &known);
        let (_, [lost, damped]) = friction.work(rule);
        lost.store(&mut work[0][first..]);
        damped.store(&mut work[1][first..]);
        let (stretch, slid) = (friction.end(), L::from_bits(friction.slides()));
        SpringLanes { stretch, slid, ..known }.store(&mut out[first..]);
        let out = out[first..first + L::COUNT].iter_mut();
        out.for_each(|spring| *spring = spring.committed(spring.stretch, spring.slides));
        first += L::COUNT;
    }
}

//! Kernels over batches of pairs: the law of one register, whose results are stored pair by pair.

use super::PairStep;
use super::pair_lanes::{MOST, PairLanes};
use crate::contact::FrictionWork;
use crate::contact::friction::{Friction, FrictionForce, Limit};
use crate::contact::lanes::{pick, spring_rows, stored};
use crate::geometry::Vec3;
use crate::model::{Gradient, NormalPotential};
use crate::simd::dispatch;
use crate::simd::{Lanes, Row8, Vec3x};

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
        dispatch! { fn frictionless<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = forces[false] }
        dispatch! { fn frictional<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = forces[true] }
        match self.springs.is_empty() {
            true => frictionless(self.instructions, self, batch, count, out),
            false => frictional(self.instructions, self, batch, count, out),
        }
    }

    /// Stiffnesses of a batch of pairs. Gaps below `margin`, a share of the reach, count as closed.
    pub(crate) fn stiffnesses(&self, batch: &[u32; MOST], margin: f64) -> [PairStiffness; MOST] {
        dispatch! { fn frictionless<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = stiffnesses[false] }
        dispatch! { fn frictional<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = stiffnesses[true] }
        let mut out = [PairStiffness::default(); MOST];
        match self.springs.is_empty() {
            true => frictionless(self.instructions, self, batch, margin, &mut out),
            false => frictional(self.instructions, self, batch, margin, &mut out),
        }
        out
    }

    /// Rows of the contact points of a batch, with normals and friction limits at the state.
    pub(super) fn limits(&self, rule: FrictionForce, batch: &[u32; MOST]) -> [Row8; MOST] {
        dispatch! { fn run<'a>(step: &PairStep<'a>, rule: FrictionForce, batch: &[u32; MOST], out: &mut [Row8; MOST]) = limits }
        let mut out = [Row8::ZERO; MOST];
        run(self.instructions, self, rule, batch, &mut out);
        out
    }

    /// Rows of the tangential springs of the first `count` of a batch after the step, and their work.
    pub(super) fn settled(
        &self,
        rule: FrictionForce,
        batch: &[u32; MOST],
        count: usize,
    ) -> ([Row8; MOST], FrictionWork) {
        dispatch! { fn run<'a>(step: &PairStep<'a>, rule: FrictionForce, batch: &[u32; MOST], out: &mut [Row8; MOST], work: &mut [[f64; MOST]; 2]) = settle }
        let (mut out, mut work) = ([Row8::ZERO; MOST], [[0.0; MOST]; 2]);
        run(self.instructions, self, rule, batch, &mut out, &mut work);
        let [by_sliding, damped] = work.map(|of| of[..count].iter().sum());
        (out, FrictionWork { by_sliding, damped, ..FrictionWork::default() })
    }

    /// Friction of the pair `k`; `None` without a normal force.
    pub(crate) fn friction(&self, k: usize) -> Option<Friction> {
        let friction = || friction(&PairLanes::<f64>::load(self, &[k as u32; MOST]));
        (self.limit(k as u32) > 0.0).then(friction)
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
fn friction<L: Lanes>(pairs: &PairLanes<L>) -> Friction<L> {
    let (stretch, _) = pairs.stretches();
    let (point, limit) = pairs.lagged_point();
    let depth = pairs.radii()[0] - point.arms[0];
    Friction::new(pairs.tangential(depth), point, stretch, Limit::Earlier(limit))
}

/// Writes rows to those of `out`.
#[inline(always)]
fn store_rows<L: Lanes>(rows: &L::Rows, out: &mut [Row8]) {
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::store_row(rows, lane, &mut out[lane]);
        }
    }
}

#[inline(always)]
fn forces<L: Lanes, const FRICTION: bool>(
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
        if FRICTION {
            let friction = friction(&pairs);
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
fn stiffnesses<L: Lanes, const FRICTION: bool>(
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
        if FRICTION {
            let friction = friction(&pairs);
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
fn limits<L: Lanes>(step: &PairStep, rule: FrictionForce, batch: &[u32; MOST], out: &mut [Row8; MOST]) {
    let zero = L::splat(0.0);
    let mut first = 0;
    while first < MOST {
        let pairs = PairLanes::<L>::load(step, &from(batch, first));
        let (overlap, (stretch, slid)) = (pairs.overlap, pairs.stretches());
        // pairs that parted have the contact point of the start
        let n = pick(overlap, pairs.n, pairs.n_0);
        let depth = L::splat(0.5) * zero.pick_below(overlap, overlap, pairs.overlap_0());
        let limit = Limit::Here(pairs.spring().push(overlap), pairs.mu, slid);
        let point = pairs.point(n, depth, Vec3x::splat(0.0)).in_rule(rule, pairs.n_0);
        let Friction { limit, .. } = Friction::new(pairs.tangential(depth), point, stretch, limit);
        let (limit, shift) = (zero.pick_below(overlap, limit, zero), point.rolled());
        store_rows::<L>(&L::rows([n.x, n.y, n.z, limit, shift.x, shift.y, shift.z, depth]), &mut out[first..]);
        first += L::COUNT;
    }
}

#[inline(always)]
fn settle<L: Lanes>(
    step: &PairStep,
    rule: FrictionForce,
    batch: &[u32; MOST],
    out: &mut [Row8; MOST],
    work: &mut [[f64; MOST]; 2],
) {
    let mut first = 0;
    while first < MOST {
        let pairs = PairLanes::<L>::load(step, &from(batch, first));
        let friction = friction(&pairs);
        let (_, [by_sliding, damped]) = friction.work(rule);
        by_sliding.store(&mut work[0][first..]);
        damped.store(&mut work[1][first..]);
        let (depth, n) = (pairs.radii()[0] - friction.point.arms[0], friction.point.n);
        let rows = spring_rows(friction.end(), depth, n, friction.limit, friction.slides());
        store_rows::<L>(&rows, &mut out[first..]);
        first += L::COUNT;
    }
}

use super::lanes::{PairStep, StepLanes, from};
use super::pair_lanes::{MOST, SpringLanes};
use crate::contact::particle_lanes::pick;
use crate::contact::tangential_spring::{FrictionForce, Settled, Stretched};
use crate::contact::{FrictionWork, TangentialSpring};
use crate::simd::dispatch;
use crate::simd::{Lanes, Level};

impl PairStep<'_> {
    /// The tangential springs of a batch with normals, contact points and friction limits at the state.
    pub(crate) fn limited(&self, batch: &[u32; MOST]) -> [TangentialSpring; MOST] {
        dispatch! { fn run<'a>(step: &PairStep<'a>, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST]) = limits }
        let mut out = [TangentialSpring::default(); MOST];
        run(Level::best(), self, batch, &mut out);
        out
    }

    /// The tangential springs of the first `count` of a batch after the step, and the energy that they dissipated: see
    /// [`TangentialSpring::commit`].
    pub(crate) fn settled(
        &self,
        rule: FrictionForce,
        batch: &[u32; MOST],
        count: usize,
    ) -> ([TangentialSpring; MOST], FrictionWork) {
        dispatch! { fn run<'a>(step: &PairStep<'a>, rule: FrictionForce, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST], work: &mut [[f64; MOST]; 2]) = settle }
        let (mut out, mut work) = ([TangentialSpring::default(); MOST], [[0.0; MOST]; 2]);
        run(Level::best(), self, rule, batch, &mut out, &mut work);
        let [lost, damped] = work.map(|of| of[..count].iter().sum());
        (out, FrictionWork { lost, damped, ..FrictionWork::default() })
    }
}

#[inline(always)]
fn limits<L: Lanes>(step: &PairStep, batch: &[u32; MOST], out: &mut [TangentialSpring; MOST]) {
    let (zero, half) = (L::splat(0.0), L::splat(0.5));
    let mut first = 0;
    while first < MOST {
        let index = from(batch, first);
        let lanes = StepLanes::<L>::load(step, &index);
        let known = SpringLanes::load(step.springs, &index);
        let overlap = lanes.overlap;
        let [r_i, r_j] = lanes.radii(step);
        // pairs that parted keep their last contact point
        let n = pick(overlap, lanes.n, known.n);
        let arm_i = zero.pick_below(overlap, half.neg_mul_add(overlap, r_i), known.arms[0]);
        let arm_j = zero.pick_below(overlap, half.neg_mul_add(overlap, r_j), known.arms[1]);
        let arms = [arm_i, arm_j];
        let u = lanes.slid(&lanes.turns(step), n, arms);
        let stretched = Stretched::new(lanes.shear(), known.stretch, n, u);
        let limit = stretched.limit(lanes.push(), &lanes.pair.mu, known.slid);
        let limit = zero.pick_below(overlap, limit, zero);
        SpringLanes { n, arms, limit, ..known }.each(L::COUNT, |lane, spring| out[first + lane] = spring);
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
        let index = from(batch, first);
        let lanes = StepLanes::<L>::load(step, &index);
        let known = SpringLanes::load(step.springs, &index);
        let u = lanes.slid(&lanes.turns(step), known.n, known.arms);
        let from = [known.stretch, known.n, u];
        let Settled { stretch, slid, lost, damped, .. } = Settled::new(rule, lanes.shear(), from, known.limit);
        lost.store(&mut work[0][first..]);
        damped.store(&mut work[1][first..]);
        // none without a normal force
        SpringLanes { stretch, slid, ..known }.each(L::COUNT, |lane, spring| {
            out[first + lane] = if spring.is_loaded() { spring } else { TangentialSpring::default() };
        });
        first += L::COUNT;
    }
}

use super::lanes::{PairStep, StepLanes, from};
use super::pair_lanes::{MOST, SpringLanes};
use crate::contact::tangential_spring::Stretched;
use crate::geometry::Vec3;
use crate::simd::dispatch;
use crate::simd::{Lanes, Level};

/// Stiffnesses of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairStiffness {
    /// Unit normal from i to j.
    pub n: Vec3,
    /// Distance of the centres, m.
    pub distance: f64,
    /// Tangent stiffness of the normal force, N/m.
    pub normal: f64,
    /// Friction force over spring length, N/m: see [`Stretched::weight`].
    pub shear: f64,
    /// Unit vector of the sliding direction; `None` in sticking.
    pub sliding: Option<Vec3>,
}

impl PairStep<'_> {
    /// [`Self::stiffnesses`] of the pair `k`.
    pub(crate) fn stiffness(&self, k: u32, margin: f64) -> PairStiffness {
        self.stiffnesses(&[k; MOST], margin)[0]
    }

    /// Stiffnesses of a batch of pairs. Gaps below `margin`, a share of the reach, count as closed.
    pub(crate) fn stiffnesses(&self, batch: &[u32; MOST], margin: f64) -> [PairStiffness; MOST] {
        dispatch! { fn smooth<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = kernel[false] }
        dispatch! { fn rough<'a>(step: &PairStep<'a>, batch: &[u32; MOST], margin: f64, out: &mut [PairStiffness; MOST]) = kernel[true] }
        let mut out = [PairStiffness::default(); MOST];
        match self.springs.is_empty() {
            true => smooth(Level::best(), self, batch, margin, &mut out),
            false => rough(Level::best(), self, batch, margin, &mut out),
        }
        out
    }
}

#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool>(
    step: &PairStep,
    batch: &[u32; MOST],
    margin: f64,
    out: &mut [PairStiffness; MOST],
) {
    let mut first = 0;
    while first < MOST {
        evaluate::<L, ROUGH>(step, &from(batch, first), margin, &mut out[first..first + L::COUNT]);
        first += L::COUNT;
    }
}

#[inline(always)]
fn evaluate<L: Lanes, const ROUGH: bool>(step: &PairStep, index: &[u32; MOST], margin: f64, out: &mut [PairStiffness]) {
    let zero = L::splat(0.0);
    let lanes = StepLanes::<L>::load(step, index);
    let (n, reach) = (lanes.n, lanes.pair.reach);
    let gap = lanes.distance - reach;
    let closed = lanes.spring().stiffness_about(-gap);
    let normal = gap.pick_below(L::splat(margin) * reach, closed, zero);
    let (mut shear, mut slides, mut e) = (zero, zero, n);
    if ROUGH {
        let SpringLanes { stretch, n, arms, limit, .. } = SpringLanes::load(step.springs, index);
        let u = lanes.slid(&lanes.turns(step), n, arms);
        let stretched = Stretched::new(lanes.shear(), stretch, n, u);
        shear = zero.pick_below(limit, stretched.weight(limit), zero);
        slides = zero.pick_below(limit, limit.pick_below(stretched.unlimited(), L::splat(1.0), zero), zero);
        e = stretched.direction();
    }
    let columns = [n.x, n.y, n.z, lanes.distance, normal, shear, slides, e.x, e.y, e.z];
    let mut c = [[0.0; MOST]; 10];
    let mut k = 0;
    while k < 10 {
        columns[k].store(&mut c[k]);
        k += 1;
    }
    for (lane, out) in out.iter_mut().enumerate() {
        let [x, y, z, distance, normal, shear, slides, a, b, c] = c.map(|column| column[lane]);
        let sliding = (slides > 0.0).then(|| Vec3::new(a, b, c));
        *out = PairStiffness { n: Vec3::new(x, y, z), distance, normal, shear, sliding };
    }
}

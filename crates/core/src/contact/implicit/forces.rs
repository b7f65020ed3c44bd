use super::lanes::{PairStep, StepLanes, batches, from};
use super::pair_lanes::{MOST, SpringLanes};
use crate::contact::tangential_spring::Stretched;
use crate::energy::Sums;
use crate::geometry::Vec3;
use crate::model::{Gradient, Pair, PairChunks, Spring};
use crate::parallel;
use crate::simd::dispatch;
use crate::simd::{Lanes, Level, Vec3x};

/// Energy and forces of a pair in contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairForce {
    /// Energy and dissipation.
    pub sums: Sums,
    /// dV/dx of i and j, N and N m.
    pub gradient: [Gradient; 2],
}

impl PairStep<'_> {
    /// Writes the gradients of the pairs to `out`. Returns the sums of their energies.
    pub fn scatter(&self, chunks: &PairChunks, out: &mut [Gradient]) -> Sums {
        chunks.fill_chunks(out, |chunk, out| {
            let (mut sums, first) = (Sums::default(), chunk * PairChunks::CHUNK);
            out.fill(Gradient::default());
            let owned = chunks.owned(chunk).map(|k| k as u32);
            self.each(owned, |k, force| {
                let [i, j] = self.pairs[k as usize].ends();
                let [on_i, on_j] = force.gradient;
                sums += force.sums;
                out[i - first] += on_i;
                if let Some(out) = out.get_mut(j - first) {
                    *out += on_j;
                }
            });
            self.each(chunks.incoming(chunk).iter().copied(), |k, force| {
                out[self.pairs[k as usize].ends()[1] - first] += force.gradient[1];
            });
            sums
        })
    }

    /// The sum of energies, J.
    pub(crate) fn energy(&self, chunks: &PairChunks) -> f64 {
        parallel::sum(0..chunks.len(), |_, chunk| {
            let mut sum = 0.0;
            self.each(chunks.owned(chunk).map(|k| k as u32), |_, force| sum += force.sums.energy);
            sum
        })
    }

    /// Energy and forces of the pair `k`.
    pub(crate) fn force(&self, k: usize) -> PairForce {
        let mut force = PairForce::default();
        self.each(std::iter::once(k as u32), |_, of_pair| force = *of_pair);
        force
    }

    /// Calls `visit` for those of `pairs` that have a force, in order.
    #[inline(always)]
    fn each(&self, pairs: impl Iterator<Item = u32>, mut visit: impl FnMut(u32, &PairForce)) {
        dispatch! { fn smooth<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = kernel[false] }
        dispatch! { fn rough<'a>(step: &PairStep<'a>, batch: &[u32; MOST], count: usize, out: &mut [PairForce; MOST]) = kernel[true] }
        let level = Level::best();
        let mut forces = [PairForce::default(); MOST];
        batches(pairs.filter(|&k| self.is_active(k, 0.0)), |batch, count| {
            match self.springs.is_empty() {
                true => smooth(level, self, batch, count, &mut forces),
                false => rough(level, self, batch, count, &mut forces),
            }
            batch[..count].iter().zip(&forces).for_each(|(&k, force)| visit(k, force));
        });
    }
}

/// Evaluates the first `count` pairs of a batch.
#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool>(
    step: &PairStep,
    batch: &[u32; MOST],
    count: usize,
    out: &mut [PairForce; MOST],
) {
    let mut first = 0;
    while first < count {
        evaluate::<L, ROUGH>(step, &from(batch, first), &mut out[first..first + L::COUNT]);
        first += L::COUNT;
    }
}

#[inline(always)]
fn evaluate<L: Lanes, const ROUGH: bool>(step: &PairStep, index: &[u32; MOST], out: &mut [PairForce]) {
    let lanes = StepLanes::<L>::load(step, index);
    let (spring, overlap) = (lanes.spring(), lanes.overlap);
    let mut energy = spring.energy(overlap);
    let speed = (overlap - spring.closing.before) * spring.closing.rate;
    let power = spring.resistance(overlap) * speed;
    let mut force = lanes.n * spring.push(overlap);
    let mut torques = [Vec3x::splat(0.0); 2];
    if ROUGH {
        let SpringLanes { stretch, n, arms, limit, .. } = SpringLanes::load(step.springs, index);
        let turns = lanes.turns(step);
        let u = lanes.slid(&turns, n, arms);
        let stretched = Stretched::new(lanes.shear(), stretch, n, u);
        let friction = stretched.spring * stretched.weight(limit);
        let torque = n.cross(friction);
        torques = [turns[0].pull_back(torque * arms[0]), turns[1].pull_back(torque * arms[1])];
        force = force + friction;
        energy += stretched.value(limit);
    }
    let [on_i, on_j] = torques;
    let columns = [energy, power, force.x, force.y, force.z, on_i.x, on_i.y, on_i.z, on_j.x, on_j.y, on_j.z];
    let mut c = [[0.0; MOST]; 11];
    let mut k = 0;
    while k < 11 {
        columns[k].store(&mut c[k]);
        k += 1;
    }
    for (lane, out) in out.iter_mut().enumerate() {
        let [energy, power, x, y, z, a, b, c, d, e, f] = c.map(|column| column[lane]);
        let p = Vec3::new(x, y, z);
        *out = PairForce {
            sums: Sums { energy, damping: 0.0, contact_damping: power },
            gradient: [Gradient { p, theta: Vec3::new(a, b, c) }, Gradient { p: -p, theta: Vec3::new(d, e, f) }],
        };
    }
}

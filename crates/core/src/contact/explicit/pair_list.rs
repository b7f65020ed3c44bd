use std::ops::Range;

use crate::contact::TangentialSpring;
use crate::contact::effective_mass::EffectiveMasses;
use crate::geometry::Vec3;
use crate::model::State;
use crate::neighbours::ContactPair;
use crate::parallel::{CHUNK, Halo};
use crate::simd::dispatch;
use crate::simd::{InstructionSet, Lanes, Row8, vectors};

use super::blocks::{BLOCK, Contacts, Entry};
use super::set_bits;

/// Near pairs whose first particle is in a chunk: active ones, in blocks of the kernel, and the others, which are watched.
///
/// Active are all pairs in contact at the start or at the end of the step, and some that were or will be. A pair out of contact
/// adds zeros. So results do not depend on which pairs are active, and their order is that of the near pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct PairList {
    /// The active pairs. Their springs have the indices of the chunk's near pairs.
    pub contacts: Contacts,
    /// Particles of the near pairs, and their rows in the chunk's sums. One more row is spare.
    pub halo: Halo,
    /// Indices of the active pairs among the chunk's near pairs, ascending.
    pub active: Vec<u32>,
    /// Whether pairs may have other masses than their particles' own. Each has a law of its own then.
    pub is_heavy: bool,
    /// Number of the chunk's near pairs; `None` before they are known.
    near: Option<usize>,
    /// Indices of the other pairs, ascending, and their blocks.
    passive: Vec<u32>,
    watched: Vec<WatchBlock>,
    /// Indices of the pairs that begin to touch, and of those that are active then.
    beginning: Vec<u32>,
    next: Vec<u32>,
    /// Chunks of second particles of near pairs.
    partners: Vec<u32>,
    /// Upper bound of the approach (m) of any two particles since the pairs are known.
    approach: f64,
    /// Whether no step was evaluated since then.
    is_new: bool,
}

/// Pairs out of contact.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct WatchBlock {
    i: [u32; BLOCK],
    j: [u32; BLOCK],
    /// Distance at which they begin to touch, m.
    reach: [f64; BLOCK],
    /// Value of [`PairList::approach`] below which none touches.
    due: f64,
}

/// Which pairs are looked for.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// Those in contact.
    Touching,
    /// Those that will be soon.
    Soon,
}

impl PairList {
    /// Forgets the near pairs, and keeps their room.
    pub(super) fn clear(&mut self) {
        self.near = None;
        self.contacts.clear();
        self.active.clear();
    }

    /// Whether the near pairs are known.
    pub(super) fn is_known(&self) -> bool {
        self.near.is_some()
    }

    /// Number of near pairs.
    pub(super) fn near(&self) -> usize {
        self.near.unwrap_or(0)
    }

    /// Number of rows of the chunk's sums.
    pub(super) fn rows(&self) -> usize {
        self.halo.rows() + 1
    }

    /// Sets the list to `near` pairs, whose first particles are `own`. Those with loaded `springs` are active.
    pub(super) fn set(&mut self, own: Range<usize>, near: &[ContactPair], springs: &[Row8], masses: &EffectiveMasses) {
        self.halo.set(own, near.iter().map(|pair| pair.j));
        self.partners.clear();
        for partner in near.iter().map(|pair| pair.j / CHUNK as u32) {
            if !self.partners.contains(&partner) {
                self.partners.push(partner);
            }
        }
        self.is_heavy = !masses.is_empty() && near.iter().any(|pair| masses.differ(pair));
        self.next.clear();
        self.next.extend((0..).zip(springs).filter(|(_, spring)| is_loaded(spring)).map(|(k, _): (u32, _)| k));
        (self.near, self.approach, self.is_new) = (Some(near.len()), 0.0, true);
        self.reserve(near.len());
    }

    /// Makes room for this many pairs, so that later steps allocate nothing.
    fn reserve(&mut self, pairs: usize) {
        for list in [&mut self.active, &mut self.passive, &mut self.next] {
            list.reserve(pairs.saturating_sub(list.len()));
        }
        // a pair may be found in two states
        self.beginning.reserve((2 * pairs).saturating_sub(self.beginning.len()));
        self.watched.reserve(pairs.div_ceil(BLOCK).saturating_sub(self.watched.len()));
        self.contacts.reserve(pairs);
    }

    /// Follows a step in which no particle of each chunk moved by more than its `travels` (m); this one is chunk `c`. A NaN
    /// makes all pairs due.
    pub(super) fn follow(&mut self, c: usize, travels: &[f64]) {
        let others = self.partners.iter().map(|&partner| travels[partner as usize]);
        self.approach += travels[c] + others.fold(0.0, f64::max);
    }

    /// Makes pairs active before they touch, and passive when they are apart. `start` and `end` have the rows of the near pairs'
    /// springs, which are zero for passive ones.
    pub(super) fn activate(
        &mut self,
        instructions: InstructionSet,
        near: &[ContactPair],
        radius: &[f64],
        [before, after]: [&State; 2],
        (start, end): (&[Row8], &mut [Row8]),
    ) {
        let is_new = std::mem::take(&mut self.is_new);
        let states = [&after.p[..], &before.p[..]];
        if is_new {
            self.set_blocks(near, radius);
        }
        for wanted in [Wanted::Touching, Wanted::Soon] {
            self.find(instructions, wanted, &states[..if is_new { 2 } else { 1 }]);
            if self.beginning.is_empty() {
                return;
            }
        }
        self.beginning.sort_unstable();
        self.beginning.dedup();
        let Self { active, next, .. } = self;
        let mut beginning = self.beginning.drain(..).peekable();
        next.clear();
        for &k in active.iter() {
            next.extend(std::iter::from_fn(|| beginning.next_if(|&new| new < k)));
            let (pair, at) = (&near[k as usize], k as usize);
            let is_near = states.iter().any(|p| pair.is_nearer((SOON - 1.0) * pair.reach, p));
            if is_near || start.get(at).is_some_and(is_loaded) {
                next.push(k);
            } else if let Some(end) = end.get_mut(at) {
                *end = Row8::ZERO;
            }
        }
        next.extend(beginning);
        self.set_blocks(near, radius);
    }

    /// Makes the `next` pairs the active ones, and all others passive.
    fn set_blocks(&mut self, near: &[ContactPair], radius: &[f64]) {
        std::mem::swap(&mut self.active, &mut self.next);
        let Self { contacts, active, passive, watched, halo, .. } = self;
        contacts.clear();
        contacts.laws.clear();
        let spare = halo.rows() as u32;
        for &k in active.iter() {
            let &ContactPair { i, j, reach, spring, mu } = &near[k as usize];
            let law = Row8([
                reach,
                spring.k,
                spring.size,
                spring.softening,
                spring.damping,
                mu.sticking,
                mu.sliding,
                spring.tangential,
            ]);
            if self.is_heavy || contacts.laws.last() != Some(&law) {
                contacts.laws.push(law);
            }
            let (ends, law) = ([i, j], contacts.laws.len() as u32 - 1);
            let (rows, radii) = (ends.map(|i| halo.row_of(i)), ends.map(|i| radius[i as usize]));
            contacts.push(&Entry { ends, rows, law, spring: k, radii }, spare);
        }
        passive.clear();
        let mut active = active.iter().peekable();
        passive.extend((0..near.len() as u32).filter(|k| active.next_if_eq(&k).is_none()));
        watched.clear();
        watched.extend(passive.chunks(BLOCK).map(|pairs| {
            let pair = |lane: usize| &near[pairs[lane.min(pairs.len() - 1)] as usize];
            let pairs: [&ContactPair; BLOCK] = std::array::from_fn(pair);
            let [i, j] = [pairs.map(|pair| pair.i), pairs.map(|pair| pair.j)];
            WatchBlock { i, j, reach: pairs.map(|pair| pair.reach), due: f64::NEG_INFINITY }
        }));
    }

    /// Finds the passive pairs that are `wanted` in any of the states, by positions (m).
    fn find(&mut self, instructions: InstructionSet, wanted: Wanted, states: &[&[Vec3]]) {
        dispatch! { fn find<'a>(list: &mut PairList, wanted: Wanted, states: &[&'a [Vec3]]) = find_lanes }
        self.beginning.clear();
        find(instructions, self, wanted, states);
    }
}

fn is_loaded(spring: &Row8) -> bool {
    TangentialSpring::from_row(spring).is_loaded()
}

/// Distance over that at which a pair begins to touch: all that touch are below it, whatever rounding does.
const TOUCHING: f64 = 1.0 + 1e-9;

/// The same of pairs that become active together with one that touches, since others will soon.
const SOON: f64 = 1.01;

#[inline(always)]
fn find_lanes<L: Lanes>(list: &mut PairList, wanted: Wanted, states: &[&[Vec3]]) {
    let PairList { watched, passive, beginning, approach, .. } = list;
    for (block, pairs) in watched.iter_mut().zip(passive.chunks(BLOCK)) {
        let factor = match wanted {
            Wanted::Touching if block.due > *approach => continue,
            Wanted::Touching => TOUCHING,
            Wanted::Soon => SOON,
        };
        let (mut bits, mut least) = (0, f64::INFINITY);
        for p in states {
            let (found, gap) = block.nearest::<L>(factor, p);
            (bits, least) = (bits | found, least.min(gap));
        }
        if let Wanted::Touching = wanted {
            block.due = *approach + least;
        }
        if bits != 0 {
            beginning.extend(set_bits(bits.into()).filter_map(|lane| pairs.get(lane)));
        }
    }
}

impl WatchBlock {
    /// Pairs whose distance at `p` (m) is below `factor` times that at which they begin to touch, as bits, and the least gap beyond
    /// that, m. NaN is below.
    #[inline(always)]
    fn nearest<L: Lanes>(&self, factor: f64, p: &[Vec3]) -> (u32, f64) {
        let (zero, mut bits, mut gaps, mut lane) = (L::splat(0.0), 0, [0.0; BLOCK], 0);
        while lane < BLOCK {
            let branch = vectors::<L>(p, &self.j[lane..]) - vectors(p, &self.i[lane..]);
            let gap = L::load(&self.reach[lane..]).neg_mul_add(L::splat(factor), branch.dot(branch).sqrt());
            bits |= (zero.not_below(gap) & ((1 << L::COUNT) - 1)) << lane;
            gap.store(&mut gaps[lane..]);
            lane += L::COUNT;
        }
        let (mut least, mut lane) = (gaps[0], 1);
        while lane < BLOCK {
            least = if gaps[lane] < least { gaps[lane] } else { least };
            lane += 1;
        }
        (bits, least)
    }
}

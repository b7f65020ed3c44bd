//! Search for the contacts of particles with walls in a step, wall by wall.

use crate::contact::lanes::{pick, vectors};
use crate::geometry::Pose;
use crate::model::{HeldFace, WallStep};
use crate::simd::dispatch;
use crate::simd::{Lanes, Row8, Vec3x};

use super::blocks::BLOCK;
use super::wall_list::{WallBlock, WallList, WallTask};

dispatch! {
    /// Finds the near contacts of a chunk that touch at the start or at the end of the step.
    pub(super) fn find_touching<'a>(task: &WallTask<'a>, list: &mut WallList) = find
}

#[inline(always)]
fn find<L: Lanes>(task: &WallTask, list: &mut WallList) {
    for block in &list.blocks {
        let wall = &task.walls[block.wall as usize];
        let mut found =
            Found { geometry: &mut list.contacts.geometry, touching: &mut list.touching, held: &mut list.held };
        let may_search = wall.end.wall.is_composite() || wall.end.wall.is_thin();
        if wall.end.wall.is_composite() && !wall.has_closed_form() {
            (0..block.count as usize).for_each(|lane| search(task, wall, block, lane, &mut found));
            continue;
        }
        let mut lane = 0;
        while lane < BLOCK {
            let places = WallPlaces::<L>::new(task, wall, block, lane);
            let touching = places.touching() & ((1 << block.count) - 1) >> lane;
            let mut bits = touching;
            if touching != 0 && may_search {
                bits &= !places.searched(task, block, lane);
                let searched = (0..L::COUNT).filter(|k| (touching & !bits) >> k & 1 == 1);
                searched.for_each(|k| search(task, wall, block, lane + k, &mut found));
            }
            if bits != 0 {
                let rows = places.in_step(wall);
                for k in [0, 1, 2, 3, 4, 5, 6, 7] {
                    if k < L::COUNT && bits >> k & 1 == 1 {
                        let contact = block.contacts[lane + k];
                        L::store_row(&rows, k, &mut found.geometry[contact as usize]);
                        found.touching[contact as usize / 64] |= 1 << (contact % 64);
                    }
                }
            }
            lane += L::COUNT;
        }
    }
}

/// Contacts that touch.
struct Found<'a> {
    geometry: &'a mut [Row8],
    touching: &'a mut [u64],
    held: &'a mut Vec<HeldFace>,
}

/// Searches the contacts of one particle.
#[inline(never)]
fn search(task: &WallTask, wall: &WallStep, block: &WallBlock, lane: usize, found: &mut Found) {
    let (particle, radius, first) = (block.particles[lane], block.radius[lane], block.contacts[lane] as usize);
    let ends = [&task.before.p[particle as usize], &task.after.p[particle as usize]];
    let held = task.near.held_faces(particle as usize, block.wall);
    let contacts = wall.search(ends, radius, held);
    for (contact, at) in contacts.iter().zip(first..).take(wall.end.wall.max_contacts()) {
        let ([start, end], n) = (contact.gaps, contact.n);
        let gap = if end < 0.0 { end } else { start };
        let moved = wall.moved(&(ends[1] - n * (radius + gap)));
        found.geometry[at] = Row8([start, end, -n.x, -n.y, -n.z, moved.x, moved.y, moved.z]);
        found.touching[at / 64] |= 1 << (at % 64);
        let face = contact.face.filter(|_| end < 0.0);
        found.held.extend(face.map(|face| HeldFace { particle, wall: block.wall, face }));
    }
}

/// Particles near one wall at the start and at the end.
struct WallPlaces<L> {
    p: [Vec3x<L>; 2],
    radius: L,
    /// Distances of the surfaces, m.
    gaps: [L; 2],
}

impl<L: Lanes> WallPlaces<L> {
    #[inline(always)]
    fn new(task: &WallTask, wall: &WallStep, block: &WallBlock, lane: usize) -> Self {
        let particles = &block.particles[lane..];
        let p = [vectors::<L>(&task.before.p, particles), vectors(&task.after.p, particles)];
        let radius = L::load(&block.radius[lane..]);
        let within = block.largest_radius;
        let gaps = [wall.start.distances(p[0], within) - radius, wall.end.distances(p[1], within) - radius];
        Self { p, radius, gaps }
    }

    /// Lanes in contact at the start or at the end, as bits.
    #[inline(always)]
    fn touching(&self) -> u32 {
        let zero = L::splat(0.0);
        !(self.gaps[0].not_below(zero) & self.gaps[1].not_below(zero)) & ((1 << L::COUNT) - 1)
    }

    /// Lanes whose contacts are searched for, as bits: all with a composite wall; with a single solid those deeper than
    /// [`WallStep::DEEP`] at the start or at the end, and those whose centres are behind a face.
    #[inline(always)]
    fn searched(&self, task: &WallTask, block: &WallBlock, lane: usize) -> u32 {
        if task.walls[block.wall as usize].end.wall.is_composite() {
            return u32::MAX;
        }
        let most = self.radius * L::splat(-WallStep::DEEP);
        let deep = !(self.gaps[0].not_below(most) & self.gaps[1].not_below(most));
        let is_held = |k: &usize| {
            let particle = block.particles[lane + k] as usize;
            !task.near.held_faces(particle, block.wall).is_empty()
        };
        (0..L::COUNT).filter(is_held).fold(deep, |bits, k| bits | 1 << k)
    }

    /// Rows of contacts: see [`Contacts::geometry`](super::blocks::Contacts::geometry).
    #[inline(always)]
    fn in_step(&self, wall: &WallStep) -> L::Rows {
        let (zero, [start, end]) = (L::splat(0.0), self.p);
        let mut gaps = self.gaps;
        if !wall.has_closed_form() {
            // those of surfaces apart
            let [from, to] = [wall.start.distances(start, f64::INFINITY), wall.end.distances(end, f64::INFINITY)];
            gaps[0] = gaps[0].pick_below(zero, gaps[0], from - self.radius);
            gaps[1] = gaps[1].pick_below(zero, gaps[1], to - self.radius);
        }
        let mut n = wall.end.normals(end);
        if gaps[1].not_below(zero) != 0 {
            n = pick(-gaps[1], n, wall.start.normals(start));
        }
        let gap = gaps[1].pick_below(zero, gaps[1], gaps[0]);
        let mut moved = Vec3x::splat(0.0);
        if !wall.is_fixed() {
            moved = displacement(&wall.back(), end - n * (self.radius + gap));
        }
        L::rows([gaps[0], gaps[1], -n.x, -n.y, -n.z, moved.x, moved.y, moved.z])
    }
}

/// Displacement (m) of a body's points that are at `p` (m) in the end, where `back` leads from the end to the start.
#[inline(always)]
fn displacement<L: Lanes>(back: &Pose, p: Vec3x<L>) -> Vec3x<L> {
    let [x, y, z] = back.turn.imag().into();
    let (u, shift) = (splat(x, y, z), splat(back.shift.x, back.shift.y, back.shift.z));
    let half = u.cross(p * L::splat(back.turn.w) + u.cross(p));
    -(half + half + shift)
}

#[inline(always)]
fn splat<L: Lanes>(x: f64, y: f64, z: f64) -> Vec3x<L> {
    Vec3x::new(L::splat(x), L::splat(y), L::splat(z))
}

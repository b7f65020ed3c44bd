use crate::contact::Coefficients;
use crate::contact::NearWalls;
use crate::contact::near_walls::NearWall;
use crate::contact::springs::{Normals, TangentialSpring, WallTangentialSpring, spring_of};
use crate::geometry::Vec3;
use crate::model::{ContactSpring, HeldFace, State, WallStep, World};
use crate::parallel::Halo;
use crate::simd::{Level, Row8};

use super::blocks::{BLOCK, Contacts, Entry};
use super::set_bits;
use super::wall_search::find_touching;

/// Contacts of a chunk's particles with walls.
#[derive(Clone, Debug, Default)]
pub(super) struct WallList {
    /// Contacts that touch at the start or at the end of a step. Their springs have their own indices.
    pub contacts: Contacts,
    /// Rows of their springs at the start and at the end: see [`TangentialSpring::row`].
    pub springs: [Vec<Row8>; 2],
    /// Faces that centres are behind at the end.
    pub held: Vec<HeldFace>,
    /// Contacts that may touch, sorted by particle, wall and place. Laws and geometry of [`Self::contacts`] have their indices.
    pub near: Vec<NearWall>,
    /// The same particles by walls.
    pub blocks: Vec<WallBlock>,
    /// Those of [`Self::near`] that touch, as bits, and their indices, ascending.
    pub touching: Vec<u64>,
    pub active: Vec<u32>,
    /// [`NearWalls::version`] of the near contacts.
    version: Option<u64>,
}

/// Particles near one wall. A partial block ends with copies of its last one.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WallBlock {
    pub radius: [f64; BLOCK],
    pub largest_radius: f64,
    pub particles: [u32; BLOCK],
    /// Indices in the list of the first contact of each.
    pub contacts: [u32; BLOCK],
    pub wall: u32,
    pub count: u32,
}

/// Walls and particles near them in a step between two states.
pub(super) struct WallTask<'a> {
    pub world: &'a World,
    pub before: &'a State,
    pub after: &'a State,
    pub walls: &'a [WallStep<'a>],
    pub near: &'a NearWalls,
}

impl WallList {
    /// Sets the list to the contacts of chunk `c`, of the particles `own`, that may touch.
    pub(super) fn follow(&mut self, task: &WallTask, c: usize, halo: &Halo, has_friction: bool) {
        if self.version.replace(task.near.version()) == Some(task.near.version()) {
            return;
        }
        let (world, own) = (task.world, halo.own.start as u32..halo.own.end as u32);
        let walls = 0..world.colliders.len() as u32;
        self.near.clear();
        let mut add = |on: NearWall| {
            let places = world.colliders[on.wall as usize].max_contacts() as u32;
            self.near.extend((0..places).map(|place| NearWall { place, ..on }));
        };
        match task.near.of_chunk(c) {
            Some(near) => near.iter().for_each(|on| add(*on)),
            None => own.clone().for_each(|particle| {
                walls.clone().for_each(|wall| add(NearWall { particle, wall, place: 0 }));
            }),
        }
        self.contacts.laws.clear();
        self.contacts.laws.extend(self.near.iter().map(|on| law(world, on)));
        self.blocks.clear();
        walls.for_each(|wall| self.add_blocks(world, wall));
        let most = world.colliders.iter().map(|wall| wall.max_contacts()).max().unwrap_or(1);
        self.reserve(most * own.len(), has_friction);
    }

    fn add_blocks(&mut self, world: &World, wall: u32) {
        let radius = &world.particles.contact_radius;
        let of_wall = (0..).zip(&self.near).filter(|(_, on)| on.wall == wall && on.place == 0);
        let first = self.blocks.len();
        for (k, (index, on)) in of_wall.enumerate() {
            let (lane, r) = (k % BLOCK, radius[on.particle as usize]);
            if lane == 0 {
                let (particles, contacts) = ([0; BLOCK], [0; BLOCK]);
                let radius = [0.0; BLOCK];
                self.blocks.push(WallBlock { radius, largest_radius: 0.0, particles, contacts, wall, count: 0 });
            }
            let block = &mut self.blocks[first + k / BLOCK];
            block.radius[lane..].fill(r);
            block.particles[lane..].fill(on.particle);
            block.contacts[lane..].fill(index);
            block.largest_radius = block.largest_radius.max(r);
            block.count = lane as u32 + 1;
        }
    }

    /// Makes room for the near contacts, or for this many, so that later steps allocate nothing.
    fn reserve(&mut self, contacts: usize, has_friction: bool) {
        fn reserve<T>(list: &mut Vec<T>, most: usize) {
            list.reserve(most.saturating_sub(list.len()));
        }
        let count = self.near.len();
        if count == 0 {
            return;
        }
        let most = count.max(contacts).next_multiple_of(BLOCK);
        reserve(&mut self.near, most);
        reserve(&mut self.blocks, most.div_ceil(BLOCK));
        reserve(&mut self.touching, most.div_ceil(64));
        reserve(&mut self.active, most);
        reserve(&mut self.contacts.geometry, most);
        self.contacts.reserve(most);
        self.touching.resize(count.div_ceil(64), 0);
        self.contacts.geometry.resize(count, Row8::ZERO);
        if has_friction {
            self.springs.iter_mut().for_each(|rows| reserve(rows, most));
        }
    }

    /// Finds the contacts that touch in a step, whose particles have their rows in `halo`; with friction, they have `springs` at
    /// the start.
    pub(super) fn find(
        &mut self,
        level: Level,
        task: &WallTask,
        halo: &Halo,
        springs: Option<&Vec<WallTangentialSpring>>,
    ) {
        self.contacts.clear();
        self.held.clear();
        if self.near.is_empty() {
            return;
        }
        self.touching.fill(0);
        find_touching(level, task, self);
        self.active.clear();
        let words = self.touching.iter().zip((0..).step_by(64));
        self.active.extend(words.flat_map(|(&word, first)| set_bits(word).map(move |place| first + place as u32)));
        let spare = halo.rows() as u32;
        for (spring, &law) in (0..).zip(&self.active) {
            let (particle, radius) = (self.near[law as usize].particle, self.contacts.laws[law as usize].0[0]);
            let (row, ends) = (halo.row_of(particle), [particle; 2]);
            self.contacts.push(&Entry { ends, rows: [row, spare], law, spring, radii: [radius, 0.0] }, spare);
        }
        if let Some(springs) = springs {
            self.set_springs(springs);
        }
    }

    /// Sets the rows of the springs at the start. A contact that begins has the normal of the end.
    fn set_springs(&mut self, mut springs: &[WallTangentialSpring]) {
        let [start, end] = &mut self.springs;
        start.clear();
        end.clear();
        end.resize(self.active.len(), Row8::ZERO);
        let key = |contact: u32| (self.near[contact as usize].particle, self.near[contact as usize].wall);
        let normal = |contact: &u32| normal(&self.contacts.geometry[*contact as usize]);
        for contacts in self.active.chunk_by(|a, b| key(*a) == key(*b)) {
            let wanted = key(contacts[0]);
            springs = &springs[springs.iter().take_while(|on| on.key() < wanted).count()..];
            let (own, others) = springs.split_at(springs.iter().take_while(|on| on.key() == wanted).count());
            let known: Normals = own.iter().map(|on| on.tangential.n).collect();
            let normals: Normals = contacts.iter().map(normal).collect();
            start.extend(normals.iter().enumerate().map(|(k, n)| {
                let new = || TangentialSpring { n: *n, ..TangentialSpring::default() };
                spring_of(&known, &normals, k).map_or_else(new, |spring| own[spring].tangential).row()
            }));
            springs = others;
        }
    }

    /// The contacts that touch: particle and wall, and unit normal to the wall.
    pub(super) fn touching(&self) -> impl Iterator<Item = (&NearWall, Vec3)> {
        self.active.iter().map(|&k| (&self.near[k as usize], normal(&self.contacts.geometry[k as usize])))
    }

    /// Gap (m) at the end of a contact that touches.
    pub(super) fn gap(&self, k: usize) -> f64 {
        self.contacts.geometry[self.active[k] as usize].0[1]
    }

    /// Tangential springs at the end that have a normal force; none without friction.
    pub(super) fn loaded_springs(&self) -> impl Iterator<Item = WallTangentialSpring> {
        let springs = self.springs[1].iter().map(TangentialSpring::from_row).zip(&self.active);
        springs.filter(|(tangential, _)| tangential.is_loaded()).map(|(tangential, &k)| {
            let NearWall { particle, wall, .. } = self.near[k as usize];
            WallTangentialSpring { particle, wall, tangential }
        })
    }
}

/// Row of [`Contacts::laws`] of a particle on a wall.
fn law(world: &World, on: &NearWall) -> Row8 {
    let i = on.particle as usize;
    let ContactSpring { k, size, softening, damping, .. } = world.wall_spring(i);
    let mu = Coefficients::on_wall(world, i, on.wall as usize);
    let (radius, stiffness) = (world.particles.contact_radius[i], world.contact_stiffness_of(i));
    Row8([radius, k, size, softening, damping, mu.sticking, mu.sliding, stiffness])
}

/// Unit normal to the wall, of a row of [`Contacts::geometry`].
pub(super) fn normal(Row8([_, _, x, y, z, ..]): &Row8) -> Vec3 {
    Vec3::new(*x, *y, *z)
}

use crate::contact::NearWalls;
use crate::contact::effective_mass::EffectiveMasses;
use crate::contact::near_walls::NearWall;
use crate::contact::normal::StepDamping;
use crate::contact::tangential_spring::{FrictionWork, Normals, TangentialSpring, WallTangentialSpring, spring_of};
use crate::geometry::Vec3;
use crate::model::{Collider, Gradient, HeldFace, State, World};
use crate::parallel::{self, CHUNK};
use crate::simd::{Level, Row8};

use super::drifts::{Drifts, added};
use super::pairs::gradient;
use super::wall_kernel::{Task, evaluate_touching, find_touching};
use super::wall_list::{BLOCK, WallList};
use super::{StepFlows, set_bits};

/// Forces of walls on particles at the end of an explicit step.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallForces {
    chunks: Vec<ChunkForces>,
}

/// Contacts of a chunk's particles with walls.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkForces {
    /// Contacts that may touch.
    pub list: WallList,
    /// Contacts of the list that touch at the start or at the end, as bits, and their indices, ascending.
    pub touching: Vec<u64>,
    pub active: Vec<u32>,
    /// Of each contact in the list that touches: gaps at the start and at the end (m), unit normal to the wall, and the wall's
    /// displacement at the contact point (m).
    pub geometry: Vec<Row8>,
    /// Tangential springs of active contacts. At the start: stretch (m), 1 for one that slid, and normal to the wall. At the end: stretch,
    /// friction limit (N), normal to the wall, and arm (m).
    pub springs: [Vec<Row8>; 2],
    /// Springs that slid at the end, as bits.
    pub slides: Vec<u8>,
    /// Of active contacts: dV/dx (N, N m), dissipation of friction and trapezoid error (J).
    pub forces: Vec<Row8>,
    /// The dashpots' part of dV/dx (N, N m), its product with the wall's velocity (W), and friction's work on the wall (J).
    pub works: Vec<Row8>,
    /// See [`NormalForce::correction`](crate::contact::normal::NormalForce::correction), N, and its product with the wall's velocity, W.
    pub corrections: Vec<[f64; 2]>,
    /// Faces that centres are behind at the end.
    pub held: Vec<HeldFace>,
}

/// Walls and particles near them in a step between two states.
#[derive(Clone, Copy)]
pub(crate) struct WallsInStep<'a> {
    pub world: &'a World,
    pub near: &'a NearWalls,
    pub before: &'a State,
    pub after: &'a State,
}

impl WallForces {
    /// Whether no particle is in contact with a wall, or was at the start.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.active.is_empty())
    }

    /// Finds the contacts of particles with walls in a step: those that touch.
    pub(crate) fn find(&mut self, step: &WallsInStep, springs: &[Vec<WallTangentialSpring>]) {
        self.each(step, springs, |chunk, task, springs| chunk.find(step.world.level, task, springs));
    }

    /// Adds the contacts of bodies that touch to their `masses`.
    pub(crate) fn add_masses(&self, step: &WallsInStep, masses: &mut EffectiveMasses) {
        for (i, n) in self.chunks.iter().flat_map(ChunkForces::contacts) {
            if masses.differs(i) {
                masses.add(step.world, step.after, i, &n);
            }
        }
    }

    /// Sets the damping of bodies' contacts by their `masses`.
    pub(crate) fn set_masses(&mut self, step: &WallsInStep, masses: &EffectiveMasses) {
        let spring = |i: u32| step.world.wall_spring(i as usize);
        for chunk in &mut self.chunks {
            for k in 0..chunk.active.len() {
                let contact = chunk.active[k] as usize;
                let (i, n) = (chunk.list.contacts[contact].particle, normal(&chunk.geometry[contact]));
                if masses.differs(i) {
                    let mass = masses.on_wall(step.world, step.after, i, &n);
                    chunk.list.set_damping(contact, spring(i).damped(masses.zeta(), mass).damping);
                }
            }
        }
    }

    /// Evaluates the contacts of particles with walls in a step. They may have been [found](Self::find).
    pub(crate) fn evaluate(&mut self, step: &WallsInStep, springs: &[Vec<WallTangentialSpring>], is_found: bool) {
        let level = step.world.level;
        self.each(step, springs, |chunk, task, springs| {
            if !is_found {
                chunk.find(level, task, springs);
            }
            if !chunk.active.is_empty() {
                evaluate_touching(level, task, chunk);
            }
        });
    }

    /// Calls `of` for each chunk with its springs.
    fn each(
        &mut self,
        step: &WallsInStep,
        springs: &[Vec<WallTangentialSpring>],
        of: impl Fn(&mut ChunkForces, &Task, &[WallTangentialSpring]) + Sync,
    ) {
        let WallsInStep { world, near, before, after } = *step;
        if world.colliders.is_empty() {
            return;
        }
        let task = Task {
            law: world.contact_law,
            has_friction: !springs.is_empty(),
            damping: StepDamping::new(world, [before.time, after.time]),
            before,
            after,
            walls: &world.walls_during([before.time, after.time]),
            near,
        };
        let walls = 0..world.colliders.len() as u32;
        self.chunks.resize_with(after.len().div_ceil(CHUNK), ChunkForces::default);
        parallel::for_each(parallel::each_mut(&mut self.chunks), |c, chunk| {
            let particles = (c * CHUNK) as u32..((c + 1) * CHUNK).min(after.len()) as u32;
            if chunk.list.follow(near.version()) {
                match near.of_chunk(c) {
                    Some(near) => chunk.list.set(world, near.iter().copied()),
                    None => {
                        let on_walls = |particle| walls.clone().map(move |wall| NearWall { particle, wall, place: 0 });
                        chunk.list.set(world, particles.clone().flat_map(on_walls));
                    }
                }
                let most = world.colliders.iter().map(Collider::max_contacts).max().unwrap_or(1);
                chunk.make_room(most * particles.len(), task.has_friction);
            }
            of(chunk, &task, springs.get(c).map_or(&[], |springs| springs));
        });
    }

    /// Adds the gradients to `out`.
    pub(crate) fn add(&self, out: &mut [Gradient]) {
        for chunk in &self.chunks {
            for (&contact, row) in chunk.active.iter().zip(&chunk.forces) {
                out[chunk.list.contacts[contact as usize].particle as usize] += gradient(row);
            }
        }
    }

    /// Walls, forces (N) of particles on them, and where they act (m), at the end `after` of the evaluated step.
    pub(crate) fn forces<'a>(
        &'a self,
        world: &'a World,
        after: &'a State,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        let of = move |chunk: &'a ChunkForces| {
            chunk.active.iter().zip(&chunk.forces).map(move |(&contact, row)| {
                let NearWall { particle, wall, .. } = chunk.list.contacts[contact as usize];
                let (i, Row8([_, gap, ..])) = (particle as usize, chunk.geometry[contact as usize]);
                let arm = world.particles.radius[i] + gap.min(0.0);
                (wall as usize, gradient(row).p, after.p[i] + normal(&chunk.geometry[contact as usize]) * arm)
            })
        };
        self.chunks.iter().flat_map(of)
    }

    /// Faces that centres are behind at the end, sorted.
    pub(crate) fn held_faces(&self) -> impl Iterator<Item = HeldFace> {
        self.chunks.iter().flat_map(|chunk| {
            let mut held = chunk.held.clone();
            held.sort_by_key(|held| (held.particle, held.wall));
            held
        })
    }

    /// Replaces the tangential springs on walls. Returns the energy flows of a step that ended `after`.
    pub(crate) fn commit(&mut self, springs: &mut [Vec<WallTangentialSpring>], drifts: &Drifts) -> StepFlows {
        for (springs, chunk) in springs.iter_mut().zip(&self.chunks) {
            springs.clear();
            springs.extend(chunk.loaded_springs());
        }
        parallel::sum(parallel::each(&self.chunks), |_, chunk| chunk.flows(drifts))
    }
}

impl ChunkForces {
    /// Finds the contacts that touch, with `springs` at the start.
    fn find(&mut self, level: Level, task: &Task, springs: &[WallTangentialSpring]) {
        self.touching.fill(0);
        self.held.clear();
        self.active.clear();
        if self.list.contacts.is_empty() {
            return;
        }
        find_touching(level, task, self);
        let words = self.touching.iter().zip((0..).step_by(64));
        self.active.extend(words.flat_map(|(&word, first)| set_bits(word).map(move |place| first + place as u32)));
        let count = self.active.len().next_multiple_of(BLOCK);
        self.results().for_each(|rows| rows.resize(count, Row8::ZERO));
        self.corrections.resize(count, [0.0; 2]);
        if task.has_friction {
            self.set_springs(springs, count);
        }
    }

    /// Particles that touch, and the unit normals to their walls.
    fn contacts(&self) -> impl Iterator<Item = (u32, Vec3)> {
        let of = |contact: usize| (self.list.contacts[contact].particle, normal(&self.geometry[contact]));
        self.active.iter().map(move |&contact| of(contact as usize))
    }

    /// Rows of active contacts.
    fn results(&mut self) -> impl Iterator<Item = &mut Vec<Row8>> {
        [&mut self.forces, &mut self.works].into_iter()
    }

    /// Makes room for the listed contacts, or for one of each particle of the chunk, so that later steps allocate nothing.
    fn make_room(&mut self, particles: usize, has_friction: bool) {
        fn reserve<T>(list: &mut Vec<T>, most: usize) {
            list.reserve(most.saturating_sub(list.len()));
        }
        let count = self.list.contacts.len();
        if count == 0 {
            return;
        }
        let most = count.max(particles).next_multiple_of(BLOCK);
        self.list.reserve(most);
        self.touching.resize(count.div_ceil(64), 0);
        reserve(&mut self.touching, most.div_ceil(64));
        reserve(&mut self.active, most);
        reserve(&mut self.geometry, most);
        self.geometry.resize(count, Row8::ZERO);
        self.results().for_each(|rows| reserve(rows, most));
        reserve(&mut self.corrections, most);
        if has_friction {
            self.springs.iter_mut().for_each(|rows| reserve(rows, most));
            reserve(&mut self.slides, most.div_ceil(BLOCK));
        }
    }

    /// Sets the springs at the start of active contacts, padded to `count`. One that begins has the normal of the end.
    fn set_springs(&mut self, springs: &[WallTangentialSpring], count: usize) {
        for rows in &mut self.springs {
            rows.clear();
            rows.resize(count, Row8::ZERO);
        }
        self.slides.clear();
        self.slides.resize(count / BLOCK, 0);
        let mut springs = springs;
        let key = |contact: u32| {
            let NearWall { particle, wall, .. } = self.list.contacts[contact as usize];
            (particle, wall)
        };
        let mut first = 0;
        for contacts in self.active.chunk_by(|a, b| key(*a) == key(*b)) {
            let wanted = key(contacts[0]);
            springs = &springs[springs.iter().take_while(|on| on.key() < wanted).count()..];
            let (own, others) = springs.split_at(springs.iter().take_while(|on| on.key() == wanted).count());
            let known: Normals = own.iter().map(|on| on.tangential.n).collect();
            let normals: Normals = contacts.iter().map(|&contact| normal(&self.geometry[contact as usize])).collect();
            for (k, n) in normals.iter().enumerate() {
                let new = || TangentialSpring { n: *n, ..TangentialSpring::default() };
                let on = spring_of(&known, &normals, k).map_or_else(new, |spring| own[spring].tangential);
                let ([x, y, z], [a, b, c]) = (on.stretch.into(), on.n.into());
                self.springs[0][first + k] = Row8([x, y, z, f64::from(on.slides), a, b, c, 0.0]);
            }
            (springs, first) = (others, first + contacts.len());
        }
    }

    /// Tangential springs at the end that have a normal force; none without friction.
    fn loaded_springs(&self) -> impl Iterator<Item = WallTangentialSpring> {
        let rows = self.active.iter().zip(&self.springs[1]).enumerate();
        rows.filter(|(_, (_, row))| row.0[3] > 0.0).map(|(k, (&contact, row))| {
            let (NearWall { particle, wall, .. }, Row8([x, y, z, limit, n_x, n_y, n_z, arm])) =
                (self.list.contacts[contact as usize], *row);
            let slides = self.slides[k / BLOCK] >> (k % BLOCK) & 1 == 1;
            let (stretch, n) = (Vec3::new(x, y, z), Vec3::new(n_x, n_y, n_z));
            let tangential = TangentialSpring { stretch, slides, n, shift: Vec3::zeros(), limit, arms: [arm, 0.0] };
            WallTangentialSpring { particle, wall, n_0: n, tangential }
        })
    }

    /// Energy flows of the evaluated step.
    fn flows(&self, drifts: &Drifts) -> StepFlows {
        let mut flows = StepFlows::default();
        let results = self.forces.iter().zip(&self.works).zip(&self.corrections);
        for (&contact, ((force, work), [correction, of_wall_too])) in self.active.iter().zip(results) {
            let (Row8([.., lost, trapezoid_error]), Row8([.., of_wall, walls])) = (*force, *work);
            let particle = self.list.contacts[contact as usize].particle as usize;
            flows.friction += FrictionWork { lost, walls, ..FrictionWork::default() };
            let force = normal(&self.geometry[contact as usize]) * *correction;
            let by_correction = drifts.velocities(particle).map(|v| force.dot(&v));
            flows.dashpots = added(flows.dashpots, drifts.powers(work, particle).map(|power| power - of_wall));
            flows.corrections = added(flows.corrections, by_correction.map(|power| power - of_wall_too));
            flows.walls = added(flows.walls, [-of_wall - of_wall_too; 2]);
            flows.trapezoid_error += trapezoid_error;
        }
        flows
    }
}

/// Unit normal to the wall, of a row of [`ChunkForces::geometry`].
fn normal(Row8([_, _, x, y, z, ..]): &Row8) -> Vec3 {
    Vec3::new(*x, *y, *z)
}

use std::ops::Range;

use crate::contact::NearWalls;
use crate::contact::springs::{Normals, TangentialSpring, WallTangentialSpring, spring_of};
use crate::geometry::Vec3;
use crate::model::{Coefficients, KeptFace, NormalSpring, State, WallStep, World};
use crate::neighbours::NearWall;
use crate::parallel::Halo;
use crate::simd::Row8;

use super::blocks::{Contacts, Entry};

/// Contacts of a chunk's particles with walls.
#[derive(Clone, Debug, Default)]
pub(super) struct WallList {
    /// Contacts that touch at the start or at the end of a step, each with a law and a spring of its own.
    pub contacts: Contacts,
    /// Rows of their springs at the start and at the end: see [`TangentialSpring::row`].
    pub springs: [Vec<Row8>; 2],
    /// Faces that centres are behind at the end.
    pub held: Vec<KeptFace>,
    /// Particles near walls, sorted by particle and wall, and their laws.
    near: Vec<NearWall>,
    laws: Vec<Row8>,
    /// Index among these of each contact.
    active: Vec<u32>,
    /// Version of the list of near particles.
    version: Option<u64>,
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
    /// Sets the list to the particles of chunk `c`, which are `own`, that may touch walls.
    pub(super) fn follow(&mut self, task: &WallTask, c: usize, own: &Range<usize>, has_friction: bool) {
        let (world, near) = (task.world, task.near.particles());
        if self.version.replace(near.version()) == Some(near.version()) {
            return;
        }
        let walls = 0..world.walls.len() as u32;
        self.near.clear();
        match near.of_chunk(c) {
            Some(near) => self.near.extend(near),
            None => self.near.extend(
                own.clone()
                    .flat_map(|particle| walls.clone().map(move |wall| NearWall { particle: particle as u32, wall })),
            ),
        }
        self.laws.clear();
        self.laws.extend(self.near.iter().map(|on| law(world, on)));
        if !self.near.is_empty() {
            let most = world.walls.iter().map(|wall| wall.max_contacts()).max().unwrap_or(1);
            self.reserve(most * own.len(), has_friction);
        }
    }

    /// Makes room for this many contacts, so that later steps allocate nothing.
    fn reserve(&mut self, contacts: usize, has_friction: bool) {
        fn reserve<T>(list: &mut Vec<T>, most: usize) {
            list.reserve(most.saturating_sub(list.len()));
        }
        reserve(&mut self.near, contacts);
        reserve(&mut self.laws, contacts);
        reserve(&mut self.active, contacts);
        reserve(&mut self.contacts.geometry, contacts);
        self.contacts.reserve(contacts);
        if has_friction {
            self.springs.iter_mut().for_each(|rows| reserve(rows, contacts));
        }
    }

    /// Number of contacts that it has room for.
    pub(super) fn room(&self) -> usize {
        self.active.capacity()
    }

    /// Finds the contacts that touch in a step, whose particles have their rows in `halo`; with friction, they have `springs` at
    /// the start.
    pub(super) fn find(&mut self, task: &WallTask, halo: &Halo, springs: Option<&Vec<WallTangentialSpring>>) {
        self.contacts.clear();
        self.contacts.laws.clear();
        self.contacts.geometry.clear();
        self.held.clear();
        self.active.clear();
        let spare = halo.rows() as u32;
        for (k, (on, law)) in (0..).zip(self.near.iter().zip(&self.laws)) {
            let (wall, radius, i) = (&task.walls[on.wall as usize], law.0[0], on.particle as usize);
            let ends = [&task.before.p[i], &task.after.p[i]];
            for contact in wall.contacts_in_step(ends, radius, task.near.kept_faces(i, on.wall)) {
                let ([start, end], n) = (contact.gaps, contact.n);
                let at = || ends[1] - n * (radius + if end < 0.0 { end } else { start });
                let moved = if wall.is_fixed() { Vec3::zeros() } else { wall.moved(&at()) };
                self.contacts.geometry.push(Row8([start, end, -n.x, -n.y, -n.z, moved.x, moved.y, moved.z]));
                let (index, rows) = (self.active.len() as u32, [halo.row_of(on.particle), spare]);
                let ends = [on.particle; 2];
                self.contacts.push(&Entry { ends, rows, law: index, spring: index, radii: [radius, 0.0] }, spare);
                self.contacts.laws.push(*law);
                self.active.push(k);
                let face = contact.face.filter(|_| end < 0.0);
                self.held.extend(face.map(|face| KeptFace { particle: on.particle, wall: on.wall, face }));
            }
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
        let mut geometry = self.contacts.geometry.iter();
        for contacts in self.active.chunk_by(|a, b| a == b) {
            let NearWall { particle, wall } = self.near[contacts[0] as usize];
            let wanted = (particle, wall);
            springs = &springs[springs.iter().take_while(|on| on.key() < wanted).count()..];
            let (own, others) = springs.split_at(springs.iter().take_while(|on| on.key() == wanted).count());
            let known: Normals = own.iter().map(|on| on.tangential.n).collect();
            let normals: Normals = geometry.by_ref().take(contacts.len()).map(normal).collect();
            start.extend(normals.iter().enumerate().map(|(k, n)| {
                let new = || TangentialSpring { n: *n, ..TangentialSpring::default() };
                spring_of(&known, &normals, k).map_or_else(new, |spring| own[spring].tangential).row()
            }));
            springs = others;
        }
    }

    /// The contacts that touch: particle and wall, unit normal to the wall, and gap at the end (m).
    pub(super) fn touching(&self) -> impl Iterator<Item = (&NearWall, Vec3, f64)> {
        let geometry = self.contacts.geometry.iter().map(|row| (normal(row), row.0[1]));
        self.active.iter().zip(geometry).map(|(&k, (n, gap))| (&self.near[k as usize], n, gap))
    }

    /// Sets the damping (N s/m) of each contact where it is another than that of the particle alone.
    pub(super) fn set_damping(&mut self, of: impl Fn(u32, &Vec3) -> Option<f64>) {
        for (k, &at) in self.active.iter().enumerate() {
            if let Some(damping) = of(self.near[at as usize].particle, &normal(&self.contacts.geometry[k])) {
                self.contacts.set_damping(k, damping);
            }
        }
    }

    /// Tangential springs at the end that have a normal force; none without friction.
    pub(super) fn loaded_springs(&self) -> impl Iterator<Item = WallTangentialSpring> {
        let springs = self.springs[1].iter().map(TangentialSpring::from_row).zip(&self.active);
        springs.filter(|(tangential, _)| tangential.is_loaded()).map(|(tangential, &k)| {
            let NearWall { particle, wall } = self.near[k as usize];
            WallTangentialSpring { particle, wall, tangential }
        })
    }
}

/// Row of [`Contacts::laws`] of a particle on a wall.
fn law(world: &World, on: &NearWall) -> Row8 {
    let i = on.particle as usize;
    let NormalSpring { k, size, softening, damping, tangential, .. } = world.wall_normal_spring(i);
    let mu = Coefficients::on_wall(world, i, on.wall as usize);
    let radius = world.particles.contact_radius[i];
    Row8([radius, k, size, softening, damping, mu.sticking, mu.sliding, tangential])
}

/// Unit normal to the wall, of a row of [`Contacts::geometry`].
fn normal(Row8([_, _, x, y, z, ..]): &Row8) -> Vec3 {
    Vec3::new(*x, *y, *z)
}

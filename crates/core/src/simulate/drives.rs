//! Walls and held particles that move under loads, a step after another.

use crate::contact::Contacts;
use crate::energy::{Reactions, StepForces};
use crate::geometry::Vec3;
use crate::model::{Ahead, Course, Driven, Motion, Pair, State, World};

/// Driven walls and constraints of a world.
#[derive(Debug, Default)]
pub(super) struct Drives {
    walls: Vec<usize>,
    constraints: Vec<usize>,
    /// Stiffness of the bonds that hold each of these constraints, N/m.
    grips: Vec<f64>,
}

impl Drives {
    /// Drives of `world`, which starts at `state` with steps of `dt` (s).
    pub(super) fn new(world: &mut World, state: &State, dt: f64) -> Self {
        let walls: Vec<usize> = (0..world.walls.len()).filter(|&k| is_driven(Some(&world.walls[k].motion))).collect();
        let constraints = (0..world.constraints.len()).filter(|&k| is_driven(world.constraints[k].motion()));
        let constraints: Vec<usize> = constraints.collect();
        let grips = constraints.iter().map(|&k| stiffness_of_grip(world, k)).collect();
        let drives = Self { walls, constraints, grips };
        let of_walls = drives.walls.iter().map(|&k| driven(&world.walls[k].motion).first(dt, ahead(world, state, k)));
        let of_constraints = drives.held(world).map(|driven| driven.first(dt, |_| Ahead::NOTHING));
        let courses: Vec<Course> = of_walls.chain(of_constraints).collect();
        set(world, &courses);
        drives
    }

    /// Whether nothing is driven.
    pub(super) fn is_empty(&self) -> bool {
        self.walls.is_empty() && self.constraints.is_empty()
    }

    /// Sets the velocities for the step after one of `dt` (s) to `state`, in which the integrator applied these `forces`.
    pub(super) fn advance(
        &self,
        world: &mut World,
        contacts: &Contacts,
        state: &State,
        forces: Option<StepForces>,
        dt: f64,
    ) {
        let reactions = Reactions::new(world, contacts, state, forces);
        let gradient = if self.constraints.is_empty() { Vec::new() } else { reactions.gradient() };
        let of_walls = self.walls.iter().map(|&k| {
            let driven = driven(&world.walls[k].motion);
            let force = reactions.on_wall(k, &Vec3::zeros()).force.dot(&driven.axis);
            let elastic = stiffness_of_wall(world, contacts, state, k);
            driven.next(state.time, dt, force, elastic, ahead(world, state, k))
        });
        let of_constraints =
            self.held(world).zip(self.constraints.iter().zip(&self.grips)).map(|(driven, (&k, &grip))| {
                let force = reactions.on_constraint(&world.constraints[k], &gradient, &Vec3::zeros()).force;
                driven.next(state.time, dt, force.dot(&driven.axis), grip, |_| Ahead::NOTHING)
            });
        let courses: Vec<Course> = of_walls.chain(of_constraints).collect();
        set(world, &courses);
    }

    /// Drives of the constraints.
    fn held<'w>(&self, world: &'w World) -> impl Iterator<Item = &'w Driven> {
        self.constraints.iter().filter_map(|&k| world.constraints[k].motion()).map(driven)
    }

    /// Translations, for a checkpoint.
    pub(super) fn courses(&self, world: &World) -> Vec<Course> {
        let walls = self.walls.iter().map(|&k| driven(&world.walls[k].motion));
        walls.chain(self.held(world)).map(|driven| driven.course).collect()
    }

    /// Goes on with these translations. `None` if there are more or fewer.
    pub(super) fn restore(&self, world: &mut World, courses: &[Course]) -> Option<()> {
        set(world, courses);
        (courses.len() == self.walls.len() + self.constraints.len()).then_some(())
    }
}

fn is_driven(motion: Option<&Motion>) -> bool {
    motion.is_some_and(|motion| motion.driven().is_some())
}

fn driven(motion: &Motion) -> &Driven {
    motion.driven().expect("the list has driven ones alone")
}

/// Sets the translations of walls, then of constraints.
fn set(world: &mut World, courses: &[Course]) {
    let walls = world.walls.iter_mut().map(|wall| &mut wall.motion);
    let constraints = world.constraints.iter_mut().filter_map(|constraint| constraint.motion_mut());
    let all = walls.chain(constraints).filter_map(Motion::driven_mut);
    all.zip(courses).for_each(|(driven, course)| driven.course = *course);
}

/// Stiffness of the contacts with a wall, N/m.
fn stiffness_of_wall(world: &World, contacts: &Contacts, state: &State, k: usize) -> f64 {
    let wall = world.walls[k].at(state.time);
    let of = |i: usize| match wall.gap(&state.p[i], world.particles.contact_radius[i]) {
        Some(_) => world.contact_stiffness_of(i),
        None => 0.0,
    };
    match contacts.near_walls().particles().list() {
        Some(near) => near.iter().map(|&i| of(i as usize)).sum(),
        None => (0..state.len()).map(of).sum(),
    }
}

/// Particles in the way of a wall, as a function of its displacement along its axis, m.
fn ahead(world: &World, state: &State, k: usize) -> impl Fn(f64) -> Ahead {
    move |way| {
        let (wall, axis) = (world.walls[k].at(state.time), driven(&world.walls[k].motion).axis);
        let mut ahead = Ahead::NOTHING;
        for i in (0..state.len()).filter(|&i| world.particles.has_contacts(i)) {
            let radius = world.particles.contact_radius[i];
            // the wall moved by this is the particle moved back by it
            if wall.distance(&(state.p[i] - axis * way)) < radius {
                let gap = (wall.distance(&state.p[i]) - radius).max(0.0);
                ahead.gap = ahead.gap.min(gap);
                ahead.stiffness += world.contact_stiffness_of(i);
            }
        }
        ahead
    }
}

/// Stiffness of the bonds from a constraint's particles to others, N/m: an upper bound of what they do to it.
fn stiffness_of_grip(world: &World, k: usize) -> f64 {
    let mut is_held = vec![false; world.particles.len()];
    world.constraints[k].particles.iter().for_each(|&i| is_held[i as usize] = true);
    let ends = world.whole_bonds().filter(|bond| {
        let [i, j] = bond.ends().map(|i| is_held[i]);
        i != j
    });
    ends.map(|bond| bond.k.n).sum()
}

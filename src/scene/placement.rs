//! Checks that need the particles: where they are, and what is done to them.

use super::check::{At, Fault};
use super::{Body, Scene};
use crate::geometry::grid::pairs_within;
use crate::model::{self, Particles, State, World};

/// Particles may overlap by this share of a radius where they must not: rounding.
const SLACK: f64 = 1e-6;

/// Bodies are apart.
pub(super) fn no_overlap(bodies: &[Body], particles: &Particles, state: &State) -> Result<(), Fault> {
    let (r, body) = (&particles.radius, &particles.body);
    let reach = |i: usize, j: usize| if body[i] == body[j] { 0.0 } else { r[i] + r[j] - SLACK * r[i].min(r[j]) };
    let largest = r.iter().copied().fold(0.0, f64::max);
    let depth = |&[i, j]: &[usize; 2]| r[i] + r[j] - (state.p[j] - state.p[i]).norm();
    let pairs = pairs_within(&state.p, reach, 2.0 * largest).into_iter().map(|pair| pair.map(|i| i as usize));
    let Some(deepest) = pairs.max_by(|a, b| depth(a).total_cmp(&depth(b))) else { return Ok(()) };
    let [first, second] = deepest.map(|i| usize::from(body[i]));
    let message = format!(
        "body {:?} overlaps body {:?}: two of their particles do by {:.3e} m",
        bodies[second].name,
        bodies[first].name,
        depth(&deepest)
    );
    Err(at_body(second).wrong(message).help("move one of the two, or make it smaller"))
}

/// No particle is in a collider.
pub(super) fn clear_of_colliders(bodies: &[Body], world: &World, state: &State) -> Result<(), Fault> {
    let r = &world.particles.radius;
    for (index, collider) in world.colliders.iter().enumerate() {
        let depth = |i: usize| r[i] - collider.distance(&state.p[i], state.time);
        let inside = (0..state.len()).filter(|&i| depth(i) > SLACK * r[i]);
        let Some(deepest) = inside.max_by(|&a, &b| depth(a).total_cmp(&depth(b))) else { continue };
        let body = usize::from(world.particles.body[deepest]);
        let message = format!("body {:?} is {:.6e} m deep in collider {index}", bodies[body].name, depth(deepest));
        let help = "move the body out along the collider's normal, by a little more than that";
        return Err(at_body(body).key("position").wrong(message).help(help));
    }
    Ok(())
}

/// The scene's constraints with the particles that each of them chooses.
pub(super) fn constrain(scene: &Scene, particles: &Particles, state: &State) -> Result<Vec<model::Constraint>, Fault> {
    let mut chosen: Vec<model::Constraint> = Vec::new();
    for (index, constraint) in scene.constraints.iter().enumerate() {
        let at = constraint.chooser(&At::root().key("constraints").key(index));
        let is_candidate = |i: usize| {
            constraint.body.as_ref().is_none_or(|name| scene.bodies[particles.body[i] as usize].name == *name)
        };
        let candidates = (0..state.len()).filter(|&i| is_candidate(i)).map(|i| i as u32).collect();
        let mine = match &constraint.region {
            Some(region) => region.choose(candidates, &state.p),
            None => candidates,
        };
        if mine.is_empty() {
            let nothing = "no particle's centre lies in this region, so that it holds nothing";
            return Err(at.wrong(nothing).help(extent(state)));
        }
        let next = constraint.model(mine);
        if let Some((i, other)) = clash(&chosen, &next, state.len()) {
            let body = &scene.bodies[usize::from(particles.body[i as usize])].name;
            let message = format!("particle {i} of body {body:?} is held by constraint {other} already");
            return Err(at.wrong(message).help("what is held can neither be held again nor pushed at the same time"));
        }
        chosen.push(next);
    }
    Ok(chosen)
}

/// A particle that one of `others`, which is named too, and `next` act on at the same time, and that either of them holds.
fn clash(others: &[model::Constraint], next: &model::Constraint, particles: usize) -> Option<(u32, usize)> {
    let mut is_mine = vec![false; particles];
    next.particles.iter().for_each(|&i| is_mine[i as usize] = true);
    let holds = |constraint: &model::Constraint| constraint.motion().is_some();
    let meets = |other: &model::Constraint| {
        let together = other.times.start < next.times.end && next.times.start < other.times.end;
        together && (holds(other) || holds(next))
    };
    let mut others = others.iter().enumerate().filter(|(_, other)| meets(other));
    others.find_map(|(index, other)| {
        let shared = other.particles.iter().find(|&&i| is_mine[i as usize])?;
        Some((*shared, index))
    })
}

fn at_body(index: usize) -> At {
    At::root().key("bodies").key(index)
}

/// Where particles are, in words.
fn extent(state: &State) -> String {
    let (low, high) = state.p.iter().fold((state.p[0], state.p[0]), |(low, high), p| (low.inf(p), high.sup(p)));
    let [low, high] = [low, high].map(|p| format!("[{:.4}, {:.4}, {:.4}]", p.x, p.y, p.z));
    format!("centres lie between {low} and {high}")
}

//! Checks of particles' positions, of colliders and of constraints.

use bdem_core::geometry::grid::{first_pair_within, pairs_within};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{self, Particles, State, World};

use super::body::Matter;
use super::check::{At, Fault};
use super::outer_faces::OuterFaces;
use super::{Scene, SceneBody, slips};

/// Tolerance of overlaps, as a share of a radius: rounding.
const SLACK: f64 = 1e-6;

/// Check that bodies do not overlap.
pub(super) fn no_overlap(bodies: &[SceneBody], particles: &Particles, state: &State) -> Result<(), Fault> {
    let Some(pair) = first_pair_within(&state.p, overlap(particles), widest(particles)) else { return Ok(()) };
    let pair = pair.map(|i| particles.body[i]);
    let [first, second] = pair.map(usize::from);
    let message = format!(
        "body {:?} overlaps body {:?}: two of their particles do by {:.3e} m",
        bodies[second].name,
        bodies[first].name,
        deepest_overlap(pair, particles, state)
    );
    Err(at_body(second).wrong(message).help("move one of the two, or make it smaller"))
}

/// Overlap (m) of particles i and j that is accepted, as a function of their indices.
fn overlap(Particles { contact_radius: r, body, .. }: &Particles) -> impl Fn(usize, usize) -> f64 {
    |i, j| if body[i] == body[j] { 0.0 } else { (r[i] + r[j] - SLACK * r[i].min(r[j])).max(0.0) }
}

/// Distance (m) beyond which no two particles overlap.
fn widest(particles: &Particles) -> f64 {
    2.0 * particles.radius.iter().copied().fold(0.0, f64::max)
}

/// Greatest overlap (m) of two bodies' particles. One pair of bodies is enough: all pairs of many bodies in one place
/// could exceed the memory.
fn deepest_overlap(pair: [u16; 2], particles: &Particles, state: &State) -> f64 {
    let r = &particles.radius;
    let index: Vec<usize> = (0..state.len()).filter(|&i| pair.contains(&particles.body[i])).collect();
    let places: Vec<Vec3> = index.iter().map(|&i| state.p[i]).collect();
    let overlap = overlap(particles);
    let pairs = pairs_within(&places, |k, l| overlap(index[k], index[l]), widest(particles));
    let pairs = pairs.into_iter().map(|pair| pair.map(|k| index[k as usize]));
    pairs.map(|[i, j]| r[i] + r[j] - (state.p[j] - state.p[i]).norm()).fold(0.0, f64::max)
}

/// Check that no particle lies in a collider.
pub(super) fn clear_of_colliders(scene: &Scene, world: &World, state: &State) -> Result<(), Fault> {
    let r = &world.particles.contact_radius;
    for (index, collider) in world.walls.iter().enumerate() {
        let wall = collider.at(state.time);
        let depth = |i: usize| r[i] - wall.distance(&state.p[i]);
        let inside = (0..state.len()).filter(|&i| world.particles.has_contacts(i) && depth(i) > SLACK * r[i]);
        let Some(deepest) = inside.max_by(|&a, &b| depth(a).total_cmp(&depth(b))) else { continue };
        let body = usize::from(world.particles.body[deepest]);
        let (name, depth) = (&scene.bodies[body].name, depth(deepest));
        let message = format!("body {name:?} is {depth:.6e} m deep in {}", scene.part_name("collider", index));
        let help = "move the body out along the collider's normal, by a little more than that".to_owned();
        // a mesh in another unit is everywhere
        let help = slips::unit_of_wall(scene, index).unwrap_or(help);
        return Err(at_body(body).key("position").wrong(message).help(help));
    }
    Ok(())
}

/// Model of every constraint, with its particles.
pub(super) fn constrain(scene: &Scene, particles: &Particles, state: &State) -> Result<Vec<model::Constraint>, Fault> {
    let mut chosen: Vec<model::Constraint> = Vec::new();
    for (index, constraint) in scene.constraints.iter().enumerate() {
        let at = At::root().key("constraints").key(index);
        let nothing = "no particle's centre lies in this region: the constraint holds nothing";
        let mine = constraint.choice().particles(scene, particles, state, nothing, &at)?;
        let at = constraint.choice().place(&at);
        let body = constraint.body.as_deref();
        let faces = constraint.pressure.map(|_| outer_faces(scene, body, &mine, particles, state, &at));
        let next = constraint.model(mine, (particles, &state.q), faces.transpose()?);
        if let Some((i, other)) = clash(&chosen, &next, state.len()) {
            let body = &scene.bodies[usize::from(particles.body[i as usize])].name;
            let message = format!("particle {i} of body {body:?} is held by constraint {other} already");
            return Err(at
                .wrong(message)
                .help("a held particle can neither be held again nor pushed at the same time"));
        }
        chosen.push(next);
    }
    Ok(chosen)
}

/// Outer faces of the body called `name` at some of its particles.
fn outer_faces(
    scene: &Scene,
    name: Option<&str>,
    mine: &[u32],
    particles: &Particles,
    state: &State,
    at: &At,
) -> Result<Vec<OuterFaces>, Fault> {
    let index =
        scene.bodies.iter().position(|body| Some(body.name.as_str()) == name).expect("checked: the body exists");
    let Matter::Solid(solid) = &scene.matters[index] else {
        let wrong =
            at.wrong(format!("body {:?} has no shape, whose outer faces a pressure acts on", scene.bodies[index].name));
        return Err(wrong.help("name a body that fills a shape"));
    };
    let of_body = |i: u32| usize::from(particles.body[i as usize]) == index;
    let all: Vec<u32> = (0..state.len() as u32).filter(|&i| of_body(i)).collect();
    let (position, turn) = (Vec3::from(scene.bodies[index].position), scene.bodies[index].rotation.quaternion());
    let inward = |&i: &u32| rotation::rotate(&turn.conjugate(), &(state.p[i as usize] - position));
    let centres: Vec<Vec3> = all.iter().map(inward).collect();
    let radius = all.iter().map(|&i| particles.radius[i as usize]).fold(f64::INFINITY, f64::min);
    let faces = OuterFaces::of_particles(&solid.shape, &centres, radius);
    let of = |i: &u32| faces[all.binary_search(i).expect("it is of the body")].rotated(&turn);
    Ok(mine.iter().map(of).collect())
}

/// Particle that `next` and one of `others` act on at the same time, and the other's index. At least one of the two
/// holds it.
fn clash(others: &[model::Constraint], next: &model::Constraint, particles: usize) -> Option<(u32, usize)> {
    let mut is_mine = vec![false; particles];
    next.particles.iter().for_each(|&i| is_mine[i as usize] = true);
    let holds = |constraint: &model::Constraint| constraint.motion().is_some();
    // a pressure acts on all faces of a body, and holders take it
    let presses = |constraint: &model::Constraint| matches!(constraint.action, model::Action::Loads(_));
    let meets = |other: &model::Constraint| {
        let together = other.times.start < next.times.end && next.times.start < other.times.end;
        together && (holds(other) || holds(next)) && !presses(other) && !presses(next)
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

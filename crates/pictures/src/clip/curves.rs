use std::collections::HashSet;

use bdem_core::geometry::Vec3;
use bdem_core::model::World;
use bdem_core::simulate::FractureEvent;
use bdem_run::scene::{Packing, Scene};

/// Yarns of a scene's ropes and woven cloth: chains of two particles or more, joined by bonds that never break.
pub fn yarns(scene: &Scene, world: &World, fractures: &[FractureEvent]) -> Vec<Vec<u32>> {
    let broken: HashSet<u32> = fractures.iter().map(|event| event.bond).collect();
    let has_yarns = |body: u16| matches!(scene.bodies[usize::from(body)].packing, Packing::Rope(_) | Packing::Woven(_));
    let mut next = vec![false; world.particles.len()];
    for bond in world.bonds().iter().filter(|bond| !broken.contains(&bond.id)) {
        // particles along a yarn have consecutive numbers
        if bond.i.abs_diff(bond.j) == 1 && has_yarns(world.particles.body[bond.i as usize]) {
            next[bond.i.min(bond.j) as usize] = true;
        }
    }
    let mut yarns: Vec<Vec<u32>> = Vec::new();
    for i in (0..next.len()).filter(|&i| next[i]) {
        match yarns.last_mut().filter(|yarn| yarn.last() == Some(&(i as u32))) {
            Some(yarn) => yarn.push(i as u32 + 1),
            None => yarns.push(vec![i as u32, i as u32 + 1]),
        }
    }
    yarns
}

/// Points (m) of a yarn with its particles at `places`. Its ends are half a link further out, so that yarns that were one
/// meet.
pub(super) fn points(places: &[Vec3]) -> Vec<[f32; 3]> {
    let mut points = places.to_vec();
    if let ([first, second, ..], [.., before, last]) = (places, places) {
        points[0] = first + (first - second) * 0.5;
        points[places.len() - 1] = last + (last - before) * 0.5;
    }
    points.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect()
}

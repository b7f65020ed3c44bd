use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::Vertex;
use rayon::prelude::*;

use super::cube::{fan, loops};
use super::field::{Block, NODES, Node, SIDE, Sample, blocks, place};
use super::rods::{Rod, mean, rods};
use super::{Corner, Face, SurfaceMesh};

/// Edge of the cubes over the smallest radius.
const RESOLUTION: f64 = 0.5;

/// Closed surfaces around the `chosen` particles of a frame, one for each piece, by marching cubes over a field of spheres and
/// capsules: particles and the `links` between them. `body` has the body of each particle; it may be empty.
pub fn march(particles: &[Vertex], chosen: &[u32], links: &[[u32; 2]], body: &[u16]) -> SurfaceMesh {
    let rods = rods(particles, chosen, links);
    let smallest = rods.iter().flat_map(|rod| rod.radii).fold(f64::INFINITY, f64::min);
    let spacing = RESOLUTION * smallest;
    let patches: Vec<Patch> =
        blocks(&rods, spacing).par_iter().map(|block| Patch::new(block, &rods, spacing)).collect();
    let (spots, triangles) = stitch(patches);
    let corner = |spot: &Spot| corner(particles, &rods[spot.rod as usize], &spot.place);
    let face = |triangle: &[u32; 3]| {
        let particle = rods[spots[triangle[0] as usize].rod as usize].ends[0];
        Face { body: body.get(particle as usize).copied().unwrap_or(0), ..Face::default() }
    };
    SurfaceMesh {
        corners: spots.par_iter().map(corner).collect(),
        faces: triangles.iter().map(face).collect(),
        triangles,
        ..SurfaceMesh::default()
    }
    .with_mean_normals()
}

/// Point of the surface.
struct Spot {
    /// Piece, lower node and axis of the edge that it is on.
    key: (i32, Node, usize),
    /// Position, m.
    place: Vec3,
    /// Index of the rod that it moves with.
    rod: u32,
}

/// Triangles of a block.
#[derive(Default)]
struct Patch {
    spots: Vec<Spot>,
    triangles: Vec<[u32; 3]>,
}

impl Patch {
    fn new(block: &Block, rods: &[Rod], spacing: f64) -> Self {
        let samples = block.samples(rods, spacing);
        let (mut patch, mut known) = (Self::default(), vec![u32::MAX; 3 * samples.len()]);
        for k in 0..SIDE.pow(3) {
            let low = [k / SIDE / SIDE, k / SIDE % SIDE, k % SIDE];
            let steps = |n: usize| [0, 1, 2].map(|axis| low[axis] + (n >> axis & 1));
            let inside = (0..8).fold(0, |bits, n| bits | u8::from(samples[index(steps(n))].value < 0.0) << n);
            loops(inside, |edges| {
                let mut spot = |&edge: &u8| {
                    let (axis, n) = (usize::from(edge) / 8, usize::from(edge) % 8);
                    let ends = [n, n | 1 << axis].map(steps);
                    let known = &mut known[3 * index(ends[0]) + axis];
                    if *known == u32::MAX {
                        *known = patch.spots.len() as u32;
                        patch.spots.push(Spot::new(block, axis, ends, &samples, spacing));
                    }
                    *known
                };
                let spots: Vec<u32> = edges.iter().map(&mut spot).collect();
                patch.triangles.extend(fan(edges).map(|corners| corners.map(|k| spots[k])));
            });
        }
        patch
    }
}

/// Index of the sample at these steps from a block's lowest node.
fn index(steps: [usize; 3]) -> usize {
    (steps[0] * NODES + steps[1]) * NODES + steps[2]
}

impl Spot {
    /// Zero of the field on an edge. It keeps off the ends, where triangles would have no area.
    fn new(block: &Block, axis: usize, ends: [[usize; 3]; 2], samples: &[Sample], spacing: f64) -> Self {
        const OFF: f64 = 0.02;
        let [a, b] = ends.map(|steps| samples[index(steps)]);
        let [from, to] = ends.map(|steps| place(&block.node(steps), spacing));
        let share = (a.value / (a.value - b.value)).clamp(OFF, 1.0 - OFF);
        let rod = if a.value < 0.0 { a.rod } else { b.rod };
        Self { key: (block.piece, block.node(ends[0]), axis), place: from.lerp(&to, share), rod }
    }
}

/// Triangles of all blocks as one mesh, in the order of the blocks. Points that several blocks have become one.
fn stitch(patches: Vec<Patch>) -> (Vec<Spot>, Vec<[u32; 3]>) {
    let (mut spots, mut triangles, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for patch in patches {
        let number = |spot: Spot| {
            *known.entry(spot.key).or_insert_with(|| {
                spots.push(spot);
                spots.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = patch.spots.into_iter().map(number).collect();
        triangles.extend(patch.triangles.iter().map(|corners| corners.map(|k| numbers[k as usize])));
    }
    (spots, triangles)
}

/// Vertex at a place (m), which moves with the particles of a rod by their shares.
fn corner(particles: &[Vertex], rod: &Rod, at: &Vec3) -> Corner {
    let shares = rod.shares(at);
    let both = rod.ends.map(|i| &particles[i as usize]);
    let velocity = |particle: &Vertex| {
        let spin = Vec3::new(particle.wx.into(), particle.wy.into(), particle.wz.into());
        particle.velocity() + spin.cross(&(at - particle.place()))
    };
    let [x, y, z] = at.map(|x| x as f32).into();
    let [vx, vy, vz] = mean(both.map(velocity), shares).map(|v| v as f32).into();
    let [damage, charge] = [both.map(|particle| particle.damage), both.map(|particle| particle.charge)]
        .map(|values| mean(values.map(f64::from), shares) as f32);
    Corner { x, y, z, vx, vy, vz, damage, piece: rod.piece, charge }
}

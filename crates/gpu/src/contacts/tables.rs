//! Numbers in the layout of the shaders of contacts.

use bdem_core::internals::contact::surrounded;
use bdem_core::model::{NormalSpring, World};
use bytemuck::{Pod, Zeroable};

/// Length in units of h: whole units, and the rest.
pub(super) fn parts(length: f64, h: f64) -> (i32, f32) {
    let whole = (length / h).round();
    (whole as i32, (length / h - whole) as f32)
}

/// `Surface` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Surface {
    /// Contact radius, h.
    radius: i32,
    part: f32,
    size: f32,
    mass: f32,
    in_pairs: [f32; 6],
    on_walls: [f32; 5],
    rolling: f32,
}

/// Surfaces of all particles.
pub(super) fn surfaces(world: &World, h: f64) -> Vec<Surface> {
    let of = |i: usize| {
        let particles = &world.particles;
        let (radius, part) = parts(particles.contact_radius[i], h);
        let own_size = if particles.has_contacts(i) { particles.radius[i] } else { 0.0 };
        let (surface, spring) = (world.contact_surface(i), world.wall_normal_spring(i));
        let (elastic, mu) = (surface.elastic, surface.mu);
        let NormalSpring { k, size, softening, damping, tangential, .. } = spring;
        let in_pairs = [surface.k, elastic.normal, elastic.tangential, elastic.curvature, mu.sticking, mu.sliding];
        Surface {
            radius,
            part,
            size: own_size as f32,
            mass: particles.mass[i] as f32,
            in_pairs: in_pairs.map(|value| value as f32),
            on_walls: [k, size, softening, damping, tangential].map(|value| value as f32),
            rolling: world.material_of(i).rolling_friction as f32,
        }
    };
    (0..world.particles.len()).map(of).collect()
}

/// Contact distances of pairs that were bonded nearer than the sum of their radii. Row i has the range of the rows of particle i's
/// pairs, which come behind those of all particles (other particle, and contact distance in h, whole and part), and whether bonds
/// surround it.
pub(super) fn short_bonds(world: &World, h: f64) -> Vec<[u32; 4]> {
    let particles = world.particles.len();
    let mut lists = vec![Vec::new(); particles];
    for &([i, j], reach) in world.short_bonds() {
        let (whole, part) = parts(reach, h);
        for (i, j) in [(i, j), (j, i)] {
            lists[i as usize].push([j, whole.cast_unsigned(), part.to_bits(), 0]);
        }
    }
    let mut first = particles as u32;
    let mut rows: Vec<[u32; 4]> = Vec::new();
    for (list, surrounded) in lists.iter().zip(surrounded(world)) {
        let end = first + list.len() as u32;
        rows.push([first, end, u32::from(surrounded), 0]);
        first = end;
    }
    rows.into_iter().chain(lists.into_iter().flatten()).collect()
}

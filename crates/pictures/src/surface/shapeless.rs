use std::collections::HashMap;

use bdem_core::fracture::Pieces;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::packing::touching_pairs;
use bdem_core::model::{Bond, State, World};
use bdem_core::simulate::FractureEvent;
use bdem_run::output::ply::{Frame, Vertex};

use super::rods::is_valid;
use super::{SurfaceMesh, march};

/// Greatest gap over the radius at which spheres touch, within the tolerance of single precision and of strain.
const GAP: f64 = 0.1;

/// Particles of a run that belong to no mesh, such as yarns and springs, and the links between them.
#[derive(Clone, Debug, Default)]
pub struct Shapeless {
    particles: Vec<u32>,
    links: Vec<Link>,
}

/// Link between two particles.
#[derive(Clone, Debug)]
struct Link {
    ends: [u32; 2],
    /// Time at which its bond broke, s; infinite if it did not.
    until: f64,
}

impl Shapeless {
    /// These particles of a world, ascending, before any breakage. Bonds are links until they break by `fractures`; particles of
    /// rigid bodies are linked where they touch.
    pub fn new(world: &World, state: &State, particles: Vec<u32>, fractures: &[FractureEvent]) -> Self {
        let is_one = |ends: &[u32; 2]| ends.iter().all(|i| particles.binary_search(i).is_ok());
        let until: HashMap<u32, f64> = fractures.iter().map(|row| (row.bond, row.time)).collect();
        let until = |bond: &Bond| until.get(&bond.id).copied().unwrap_or(f64::INFINITY);
        let bonds = world.bonds().iter().map(|bond| Link { ends: [bond.i, bond.j], until: until(bond) });
        let mut links: Vec<Link> = bonds.filter(|link| is_one(&link.ends)).collect();
        for body in &world.rigid {
            let (range, first) = (body.particles.clone(), body.particles.start as u32);
            let pairs = touching_pairs(&state.p[range.clone()], &world.particles.radius[range], GAP);
            let pairs = pairs.into_iter().map(|ends| ends.map(|i| first + i)).filter(is_one);
            links.extend(pairs.map(|ends| Link { ends, until: f64::INFINITY }));
        }
        Self { particles, links }
    }

    /// Surfaces in a frame. `body` has the body of each particle.
    pub fn mesh(&self, frame: &Frame, body: &[u16]) -> SurfaceMesh {
        let time = frame.comment("time").and_then(|time| time.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
        let links = self.links.iter().filter(|link| link.until > time).map(|link| link.ends);
        march(&frame.vertices, &self.particles, &links.collect::<Vec<_>>(), body)
    }
}

/// Surfaces around the particles of a frame without its run. Those that touch and are of one piece are linked. If there are no
/// pieces, linked particles are one, named by the smallest index in it.
///
/// # Errors
/// Reason: there are no particles, or some without a valid position or radius.
pub fn march_touching(particles: &mut [Vertex], has_piece: bool) -> Result<SurfaceMesh, &'static str> {
    if particles.is_empty() || !particles.iter().all(is_valid) {
        return Err("it has no particles, or some without a valid position or radius");
    }
    let places: Vec<Vec3> = particles.iter().map(Vertex::place).collect();
    let radii: Vec<f64> = particles.iter().map(|particle| particle.pscale.into()).collect();
    let links = touching_pairs(&places, &radii, GAP);
    if !has_piece {
        let pieces = Pieces::new(particles.len(), links.iter().copied()).of_particle;
        particles.iter_mut().zip(pieces).for_each(|(particle, piece)| particle.piece = piece as i32);
    }
    Ok(march(particles, &(0..particles.len() as u32).collect::<Vec<_>>(), &links, &[]))
}

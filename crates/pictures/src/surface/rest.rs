use bdem_core::fracture::Pieces;
use bdem_core::geometry::packing::touching_pairs;
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{State, World};
use bdem_run::output::ply::Vertex;

/// Particles at rest: arrays with an entry for each particle.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// Positions, m.
    pub p: Vec<Vec3>,
    /// Unit quaternions, body to world.
    pub q: Vec<Quat>,
    /// Radii, m.
    pub radius: Vec<f64>,
    /// Links between particles.
    pub links: Vec<Link>,
    /// Shapes of the outer surface, where it is not that of the particles.
    pub fillings: Fillings,
}

/// Shapes that particles fill.
#[derive(Clone, Debug, Default)]
pub struct Fillings {
    /// Shape of each body in its pose at rest. None for a body without a shape.
    pub shapes: Vec<Option<Shape>>,
    /// Body of each particle. Empty where no shapes are known.
    pub body: Vec<u16>,
}

impl Fillings {
    /// Shape that a particle fills.
    pub(super) fn shape(&self, i: usize) -> Option<&Shape> {
        self.shapes[usize::from(*self.body.get(i)?)].as_ref()
    }

    /// Shapes that any of these particles fill.
    pub(super) fn of(&self, particles: &[u32]) -> Vec<&Shape> {
        let mut bodies: Vec<u16> = particles.iter().filter_map(|&i| self.body.get(i as usize)).copied().collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies.into_iter().filter_map(|body| self.shapes[usize::from(body)].as_ref()).collect()
    }
}

/// Link between two particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Indices of the particles.
    pub ends: [u32; 2],
    /// Number of their bond. None where they cannot part.
    pub bond: Option<u32>,
}

impl Rest {
    /// Particles of a world before any breakage.
    pub fn of(world: &World, state: &State) -> Self {
        let bonds = world.bonds().iter().map(|bond| Link { ends: [bond.i, bond.j], bond: Some(bond.id) });
        let mut links: Vec<Link> = bonds.collect();
        for body in &world.rigid {
            let (range, first) = (body.particles.clone(), body.particles.start as u32);
            let pairs = touching(&state.p[range.clone()], &world.particles.radius[range]);
            links.extend(pairs.iter().map(|ends| Link { ends: ends.map(|i| first + i), bond: None }));
        }
        Self {
            p: state.p.clone(),
            q: state.q.clone(),
            radius: world.particles.radius.clone(),
            links,
            fillings: Fillings::default(),
        }
    }

    /// Particles of a frame without its run. Those that touch are linked, if they are of one piece.
    pub fn of_frame(particles: &[Vertex]) -> Self {
        let p: Vec<Vec3> = particles.iter().map(place).collect();
        let radius: Vec<f64> = particles.iter().map(|particle| particle.pscale.into()).collect();
        let one_piece = |&[i, j]: &[u32; 2]| particles[i as usize].piece == particles[j as usize].piece;
        let pairs = touching(&p, &radius).into_iter().filter(one_piece);
        let links = pairs.map(|ends| Link { ends, bond: None }).collect();
        Self { q: particles.iter().map(orientation).collect(), p, radius, links, fillings: Fillings::default() }
    }
}

/// Pieces of particles whose file has none: linked particles are one, named by the smallest index in it.
pub(super) fn number_pieces(rest: &Rest, particles: &mut [Vertex]) {
    let pieces = Pieces::new(particles.len(), rest.links.iter().map(|link| link.ends)).of_particle;
    particles.iter_mut().zip(pieces).for_each(|(particle, piece)| particle.piece = piece as i32);
}

/// Pairs of spheres that touch, within the tolerance of single precision and of strain.
fn touching(centres: &[Vec3], radii: &[f64]) -> Vec<[u32; 2]> {
    const GAP: f64 = 0.1;
    touching_pairs(centres, radii, GAP)
}

/// Position of a particle in a frame, m.
pub(super) fn place(particle: &Vertex) -> Vec3 {
    Vec3::new(particle.x.into(), particle.y.into(), particle.z.into())
}

/// Orientation of a particle in a frame, as a unit quaternion; the identity where the frame has none.
pub(super) fn orientation(particle: &Vertex) -> Quat {
    let Vertex { orient_x, orient_y, orient_z, orient_w, .. } = *particle;
    let q = Quat::new(orient_w.into(), orient_x.into(), orient_y.into(), orient_z.into());
    let norm = q.norm();
    if norm > 0.0 { q / norm } else { Quat::identity() }
}

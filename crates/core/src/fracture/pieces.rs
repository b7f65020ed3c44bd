use crate::model::{RigidBody, World};

/// Connected components of particles under bonds. A particle without bonds is a piece of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// Smallest index in each particle's piece, so that a piece keeps its number while others break.
    pub of_particle: Vec<u32>,
    /// Number of pieces.
    pub count: usize,
    /// Particles of the largest piece.
    pub largest: usize,
}

impl Pieces {
    /// Pieces of a world, connected by whole bonds and rigid bodies.
    pub fn of(world: &World) -> Self {
        let bonds = world.whole_bonds().map(|bond| [bond.i, bond.j]);
        let in_row =
            |body: &RigidBody| (body.particles.start as u32 + 1..body.particles.end as u32).map(|i| [i - 1, i]);
        Self::new(world.particles.len(), bonds.chain(world.rigid.iter().flat_map(in_row)))
    }

    /// All particles, piece by piece.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.of_particle.len() as u32).collect();
        order.sort_by_key(|&i| self.of_particle[i as usize]);
        order
    }

    /// Pieces of given pairs by union-find. The root of a piece is its smallest index.
    pub fn new(particles: usize, pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut parent: Vec<u32> = (0..particles as u32).collect();
        for [i, j] in pairs {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j));
            parent[a.max(b) as usize] = a.min(b);
        }
        let of_particle: Vec<u32> = (0..particles as u32).map(|i| root(&mut parent, i)).collect();
        let mut size = vec![0usize; particles];
        for &piece in &of_particle {
            size[piece as usize] += 1;
        }
        let count = size.iter().filter(|&&s| s > 0).count();
        Self { of_particle, count, largest: size.into_iter().max().unwrap_or(0) }
    }
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        // path halving
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

use crate::model::Bond;

/// The pieces that the bonds hold together. A particle without bonds is a piece of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// For each particle the smallest index in its piece, so that a piece keeps its number while others break.
    pub of_particle: Vec<u32>,
    /// How many there are.
    pub count: usize,
    /// Particles in the largest.
    pub largest: usize,
}

impl Pieces {
    /// Union-find over the bonds; roots are always the smallest index.
    pub fn new<'a>(particles: usize, bonds: impl IntoIterator<Item = &'a Bond>) -> Self {
        let mut parent: Vec<u32> = (0..particles as u32).collect();
        for bond in bonds {
            let (a, b) = (root(&mut parent, bond.i), root(&mut parent, bond.j));
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

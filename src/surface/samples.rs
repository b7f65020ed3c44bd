use crate::geometry::Vec3;

use super::blocks::{Block, Node, Reach, meet, nodes_near};

/// How far kernels reach, over the radius. Measured: with these, hexagonal spheres, boxes and sheets have the volume of their
/// particles' shares within two hundredths.
pub(super) const REACH: Reach = Reach { solid: 1.5, support: 2.4 };

/// What a node of the grid knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Nearest particle, by its own radius as the measure; none where nobody is near.
    pub(super) owner: u32,
    /// About the distance (m) to the outer surface, negative inside.
    pub(super) value: f64,
}

/// The particles' part in the outer surface, an entry a particle.
pub(super) struct Outline {
    pub(super) p: Vec<Vec3>,
    /// m.
    pub(super) radius: Vec<f64>,
    /// How far from the mean of the particles nearby the surface is, m.
    pub(super) skin: Vec<f64>,
}

/// How far from the particles the surface is, over the radius, for one that is linked to `links` others: such that alone, in
/// single file and in a sheet or more a particle has the volume 4 sqrt2 r^3, its share in a hexagonal packing.
pub(super) fn skin(links: usize) -> f64 {
    // a ball of that volume; a cylinder of it along a diameter; half the distance of the lattice's layers.
    let [alone, in_file, in_sheet] = [1.1052, 0.9489, 0.8165];
    match links as f64 {
        links @ 0.0..=2.0 => alone + (in_file - alone) * links / 2.0,
        links @ 2.0..=6.0 => in_file + (in_sheet - in_file) * (links - 2.0) / 4.0,
        _ => in_sheet,
    }
}

/// Sums over the particles that a node feels.
#[derive(Clone, Copy)]
struct Sums {
    weight: f64,
    place: Vec3,
    skin: f64,
    /// Square of the distance to the owner, over that of its kernel's reach.
    nearest: f64,
    owner: u32,
}

const NOBODY: Sums = Sums { weight: 0.0, place: Vec3::new(0.0, 0.0, 0.0), skin: 0.0, nearest: 1.0, owner: u32::MAX };

impl Outline {
    /// The nodes of `block` on a grid of `spacing` (m), z running fastest.
    ///
    /// The distance is that of Zhu & Bridson 2005 ("Animating Sand as a Fluid"): from a node to the weighted mean of the
    /// particles nearby, less their mean skin. Where there is none near, as between two walls, it is outside all the same.
    pub(super) fn sample(&self, block: &Block, spacing: f64) -> Vec<Sample> {
        let [nx, ny, nz] = block.counts();
        let mut sums = vec![NOBODY; nx * ny * nz];
        block.particles.iter().for_each(|&i| self.add(i, block, spacing, &mut sums));
        let nodes = (block.low[0]..=block.high[0]).flat_map(|x| {
            let ys = block.low[1]..=block.high[1];
            ys.flat_map(move |y| (block.low[2]..=block.high[2]).map(move |z| [x, y, z]))
        });
        nodes.zip(&sums).map(|(node, sums)| self.judge(&place(&node, spacing), sums, spacing)).collect()
    }

    fn judge(&self, x: &Vec3, sums: &Sums, spacing: f64) -> Sample {
        if sums.owner == u32::MAX {
            return Sample { owner: u32::MAX, value: spacing };
        }
        let from_owner = sums.nearest.sqrt() * REACH.support - REACH.solid;
        let from_mean = (x - sums.place / sums.weight).norm() - sums.skin / sums.weight;
        Sample { owner: sums.owner, value: from_mean.max(from_owner * self.radius[sums.owner as usize]) }
    }

    /// Adds a particle to the nodes that feel it.
    fn add(&self, i: u32, block: &Block, spacing: f64, sums: &mut [Sums]) {
        let (p, reach) = (self.p[i as usize], REACH.support * self.radius[i as usize]);
        let skin = self.skin[i as usize];
        let (low, high) = meet(nodes_near(&p, reach, spacing), (block.low, block.high));
        let [_, ny, nz] = block.counts();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                let row = ((x - block.low[0]) as usize * ny + (y - block.low[1]) as usize) * nz;
                for z in low[2]..=high[2] {
                    let share = (place(&[x, y, z], spacing) - p).norm_squared() / (reach * reach);
                    if share < 1.0 {
                        sums[row + (z - block.low[2]) as usize].add(i, &p, skin, share);
                    }
                }
            }
        }
    }
}

impl Sums {
    fn add(&mut self, i: u32, p: &Vec3, skin: f64, share: f64) {
        let weight = (1.0 - share).powi(3);
        self.weight += weight;
        self.place += p * weight;
        self.skin += weight * skin;
        if share < self.nearest {
            (self.nearest, self.owner) = (share, i);
        }
    }
}

/// Where a node of a grid of `spacing` (m) is.
pub(super) fn place(node: &Node, spacing: f64) -> Vec3 {
    Vec3::from(node.map(|n| n as f64 * spacing))
}

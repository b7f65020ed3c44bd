use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::Shape;

use super::Rest;
use super::blocks::{Block, Node, Reach, meet, nodes_near};
use super::ties::Neighbours;

/// Kernel among particles. Measured: surfaces of hexagonal spheres, boxes and sheets then have the volume of their
/// particles' shares within 2 %.
const AMONG_PARTICLES: Reach = Reach { solid: 1.5, support: 2.4 };

/// Kernel in a shape. Its faces are up to 2.7 radii from the outermost layer of a lattice, its edges sqrt 2 times
/// that.
const IN_SHAPE: Reach = Reach { solid: 3.9, support: 4.0 };

/// Values at a node of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Nearest particle, measured in its own radius. None where no kernel reaches.
    pub(super) owner: u32,
    /// Approximate distance to the outer surface, m, negative inside.
    pub(super) value: f64,
}

/// Outer surface of particles at rest.
pub(super) struct Outline<'a> {
    rest: &'a Rest,
    /// Distance of the surface from the mean of the particles nearby, m, for each particle.
    skin: Vec<f64>,
}

/// Distance of the surface from the particles, over the radius, for a particle with `links` links. Particles then have
/// the volume 4 sqrt2 r^3, their share of a hexagonal packing. This holds alone, in single file, and in sheets or
/// solids.
pub(super) fn skin(links: usize) -> f64 {
    // a ball of that volume; a cylinder of it along a diameter; half the distance of the lattice's layers
    let [alone, in_file, in_sheet] = [1.1052, 0.9489, 0.8165];
    match links as f64 {
        links @ 0.0..=2.0 => alone + (in_file - alone) * links / 2.0,
        links @ 2.0..=6.0 => in_file + (in_sheet - in_file) * (links - 2.0) / 4.0,
        _ => in_sheet,
    }
}

/// Sums over the particles whose kernels reach a node.
#[derive(Clone, Copy)]
struct Sums {
    weight: f64,
    place: Vec3,
    skin: f64,
    /// Square of the distance to the owner, over that of its radius.
    nearest: f64,
    owner: u32,
}

const NOBODY: Sums =
    Sums { weight: 0.0, place: Vec3::new(0.0, 0.0, 0.0), skin: 0.0, nearest: f64::INFINITY, owner: u32::MAX };

impl<'a> Outline<'a> {
    pub(super) fn new(rest: &'a Rest, neighbours: &Neighbours) -> Self {
        let radii = rest.radius.iter().zip(0..);
        Self { rest, skin: radii.map(|(radius, i)| radius * skin(neighbours.count(i))).collect() }
    }

    /// Samples at the nodes of `block` on a grid of `spacing` (m), with z running fastest.
    pub(super) fn sample(&self, block: &Block, spacing: f64) -> Vec<Sample> {
        let [nx, ny, nz] = block.counts();
        let mut sums = vec![NOBODY; nx * ny * nz];
        block.particles.iter().for_each(|&i| self.add(i as usize, block, spacing, &mut sums));
        let shapes = self.rest.fillings.of(&block.particles);
        let nodes = (block.low[0]..=block.high[0]).flat_map(|x| {
            let ys = block.low[1]..=block.high[1];
            ys.flat_map(move |y| (block.low[2]..=block.high[2]).map(move |z| [x, y, z]))
        });
        nodes.zip(&sums).map(|(node, sums)| self.sample_at(&place(&node, spacing), sums, &shapes, spacing)).collect()
    }

    /// Sample at `x`, with the distance to the shapes that the particles fill. Without a shape the distance is that of
    /// Zhu & Bridson 2005 ("Animating Sand as a Fluid"): from a node to the weighted mean of the particles nearby,
    /// less their mean skin. A node that no kernel reaches is outside, even within a shape.
    fn sample_at(&self, x: &Vec3, sums: &Sums, shapes: &[&Shape], spacing: f64) -> Sample {
        if sums.owner == u32::MAX {
            return Sample { owner: u32::MAX, value: spacing };
        }
        let owner = sums.owner as usize;
        let from_outline = match self.rest.fillings.shape(owner) {
            Some(_) => shapes.iter().map(|shape| shape.distance(x)).fold(f64::INFINITY, f64::min),
            None => (x - sums.place / sums.weight).norm() - sums.skin / sums.weight,
        };
        let from_owner = (sums.nearest.sqrt() - reach(self.rest, owner).solid) * self.rest.radius[owner];
        Sample { owner: sums.owner, value: from_outline.max(from_owner) }
    }

    /// Contribution of a particle to the nodes that its kernel reaches.
    fn add(&self, i: usize, block: &Block, spacing: f64, sums: &mut [Sums]) {
        let (p, radius, skin, support) =
            (self.rest.p[i], self.rest.radius[i], self.skin[i], reach(self.rest, i).support);
        let (low, high) = meet(nodes_near(&p, support * radius, spacing), (block.low, block.high));
        let [_, ny, nz] = block.counts();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                let row = ((x - block.low[0]) as usize * ny + (y - block.low[1]) as usize) * nz;
                for z in low[2]..=high[2] {
                    let away = (place(&[x, y, z], spacing) - p).norm_squared() / (radius * radius);
                    if away < support * support {
                        sums[row + (z - block.low[2]) as usize].add(i as u32, &p, skin, away, support);
                    }
                }
            }
        }
    }
}

/// Ranges of a particle's kernel, over its radius.
pub(super) fn reach(rest: &Rest, i: usize) -> Reach {
    if rest.fillings.shape(i).is_some() { IN_SHAPE } else { AMONG_PARTICLES }
}

impl Sums {
    /// Contribution of particle `i`. `away` is the square of the distance, as for [`Self::nearest`].
    fn add(&mut self, i: u32, p: &Vec3, skin: f64, away: f64, support: f64) {
        let weight = (1.0 - away / (support * support)).powi(3);
        self.weight += weight;
        self.place += p * weight;
        self.skin += weight * skin;
        if away < self.nearest {
            (self.nearest, self.owner) = (away, i);
        }
    }
}

/// Position of a node on a grid of `spacing` (m).
pub(super) fn place(node: &Node, spacing: f64) -> Vec3 {
    Vec3::from(node.map(|n| n as f64 * spacing))
}

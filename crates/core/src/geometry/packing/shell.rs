use std::f64::consts::PI;

use super::random::FILLED;
use super::relaxation::{MARGIN, Relaxation};
use super::scattered;
use crate::geometry::keyed::{mix, uniform};
use crate::geometry::{Vec3, shape::Shape, spread};
use crate::parallel;

/// Area per sphere of a hexagonal plane, in squared radii: 2 sqrt(3).
const CELL: f64 = 3.464_101_615_137_754_6;

/// Initial points of a layer over the spheres of a hexagonal plane. Fewer than fit, so that they do not order: above 0.9
/// grains of lattice form, with gaps between them that guide cracks.
const CROWD: f64 = 0.8;

/// Spheres of one size in layers that follow a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// Radius of the spheres, m.
    pub radius: f64,
    /// Number of layers under each surface.
    pub layers: u32,
    /// Whether the rest of the shape is filled too.
    pub fill: bool,
}

impl Shell {
    /// Estimated number of spheres of [`Self::pack`] in `shape`.
    pub fn estimate(&self, shape: &Shape, volume: f64) -> f64 {
        /// Volume (m3) of a shape per sphere in it, over the radius cubed. The layers of thin walls are the densest.
        const SHARE: f64 = 6.2;
        if self.fill { volume / (SHARE * self.radius.powi(3)) } else { self.estimate_layers(shape) }
    }

    fn estimate_layers(&self, shape: &Shape) -> f64 {
        /// Share of the initial points that remain.
        const KEPT: f64 = 0.97;
        KEPT * self.layer_volume(shape) / self.share()
    }

    /// Volume of the layers under the surface of `shape`, m3, to about a hundredth, by evenly spread points.
    pub fn layer_volume(&self, shape: &Shape) -> f64 {
        /// Number of points.
        const POINTS: usize = 1 << 17;
        let (low, high) = shape.bounds();
        let depth = 2.0 * self.radius * f64::from(self.layers);
        let is_in_layer = |n: usize| {
            let p = low + spread::in_cube(n as u32).component_mul(&(high - low));
            shape.is_between(&p, -depth, 0.0)
        };
        parallel::count(POINTS, 256, is_in_layer) as f64 / POINTS as f64 * (high - low).product()
    }

    /// Centres (m) of the spheres under the surface of `shape`, sorted by x. The outermost touch it, and each layer is a
    /// diameter below the last. Layers are blue noise: alike in all directions, with five neighbours within 2.6 radii. None
    /// overlap. They depend on `seed` alone. `progress` is told the share that is done, now and then.
    ///
    /// Where the shape is filled, walls of up to `2 layers + 1` spheres have evenly spaced layers, from one surface to
    /// the other. Thicker parts are packed at random below the layers.
    pub fn pack(&self, shape: &Shape, seed: u64, progress: &mut dyn FnMut(f64)) -> Vec<Vec3> {
        let mut spheres = if self.fill { self.filling(shape, seed) } else { self.layered(shape, seed) };
        spheres.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x));
        let (centres, depths): (Vec<_>, Vec<_>) = spheres.into_iter().unzip();
        let radii = vec![self.radius; centres.len()];
        Relaxation::on_layers(shape, centres, radii, depths).run(progress).0
    }

    /// Initial points of the layers, with their depths (m).
    fn layered(&self, shape: &Shape, seed: u64) -> Vec<(Vec3, Option<f64>)> {
        let radius = self.radius;
        let layer = |layer: u32| {
            let depth = radius * f64::from(2 * layer + 1);
            let near = |p: &Vec3| shape.is_between(p, -depth - radius, -depth + radius);
            let points = spread_out(shape, self.share(), seed.wrapping_add(layer.into()), near);
            points.into_iter().map(move |(_, p)| (p, Some(self.depth(layer))))
        };
        (0..self.layers).flat_map(layer).collect()
    }

    /// Initial points of the whole shape, with the depths (m) of those that belong to a layer.
    fn filling(&self, shape: &Shape, seed: u64) -> Vec<(Vec3, Option<f64>)> {
        /// Ratio of the initial points to those of layers a diameter apart: walls, and what is filled at random, have more.
        const DENSEST: f64 = 1.4;
        let points = spread_out(shape, self.share() / DENSEST, seed, |p| shape.contains(p));
        let place = |&(choice, p): &(f64, Vec3)| {
            let (density, depth) = self.place(shape, &p);
            (choice * DENSEST < density).then_some((p, depth))
        };
        parallel::flat_map(points.len(), 64, |range, placed| placed.extend(points[range].iter().filter_map(place)))
    }

    /// Density of the spheres near a point (m) of the shape, over that of layers a diameter apart, and the depth (m) of
    /// the point's layer, if it has one.
    fn place(&self, shape: &Shape, p: &Vec3) -> (f64, Option<f64>) {
        let gap = 2.0 * self.radius * (1.0 + MARGIN);
        // from there on it is not a wall but a block
        let longest = gap + f64::from(4 * self.layers + 4) * self.radius;
        let [depth, length] = shape.chord(p, longest);
        let free = (length - gap).max(0.0);
        let layers = 1 + (free / (NARROWEST * self.radius)) as u32;
        if layers == 1 {
            // two layers in one another
            return (1.0, Some(self.depth(0).min(0.5 * length)));
        }
        if layers <= 2 * self.layers + 1 {
            let spacing = (free / f64::from(layers - 1)).min(WIDEST * self.radius);
            let first = 0.5 * (length - spacing * f64::from(layers - 1));
            let layer = ((depth - first) / spacing).round().clamp(0.0, f64::from((layers - 1) / 2));
            let density = 2.0 * self.radius * f64::from(layers) / length;
            return (density, Some((first + spacing * layer).min(0.5 * length)));
        }
        let layer = (0.5 * depth / self.radius) as u32;
        if layer < self.layers {
            return (1.0, Some(self.depth(layer)));
        }
        let random = FILLED / (4.0 / 3.0 * PI) * 2.0 * CELL / CROWD;
        (random, None)
    }

    /// Depth (m) of a layer, counted from the surface.
    fn depth(&self, layer: u32) -> f64 {
        self.radius * (1.0 + MARGIN) * f64::from(2 * layer + 1)
    }

    /// Initial volume (m3) of a full layer per sphere.
    fn share(&self) -> f64 {
        2.0 * self.radius.powi(3) * CELL / CROWD
    }
}

/// Points (m) of the bounding box of `shape`, one for each `share` (m3), except those that are not `good`, and a number in
/// [0, 1) for each. All four are spread evenly, since layers do not even out what a large part has too many.
fn spread_out(shape: &Shape, share: f64, seed: u64, good: impl Fn(&Vec3) -> bool + Sync) -> Vec<(f64, Vec3)> {
    let first = [0u64, 1, 2, 3].map(|axis| uniform(mix(seed), axis));
    scattered(shape, share, |id, low, size| {
        let [x, y, z, choice] = spread::in_hypercube(id as u32);
        // without it the sequence's own lattice would show
        let jitter = |axis: usize| libm::cbrt(share) / size[axis] * uniform(seed, 3 * id + axis as u64);
        let shift = |axis: usize| first[axis] + jitter(axis);
        let along = Vec3::new(x + shift(0), y + shift(1), z + shift(2)).map(f64::fract);
        Some(((choice + first[3]).fract(), low + size.component_mul(&along))).filter(|(_, p)| good(p))
    })
}

/// Smallest distance of layers, in radii: that of close-packed planes is 1.63.
const NARROWEST: f64 = 1.65;

/// Greatest distance of layers, in radii: beyond it bonds do not reach from one to the next.
const WIDEST: f64 = 2.05;

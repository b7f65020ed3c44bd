//! Spheres in a shape that are pushed apart until none overlap.

use rayon::prelude::*;

use crate::geometry::grid::pairs_within;
use crate::geometry::{Vec3, shape::Shape};

/// Spheres are pushed as if they were larger by this share, so that those that nearly fit are clear of one another.
const MARGIN: f64 = 0.006;

/// Share of its radius by which a sphere may be in the wall until it is put in front of it at last. Pairs keep twice as much
/// of their margin, so that none come to overlap by that.
const IN_WALL: f64 = 0.25 * MARGIN;

/// Neighbours are kept that lie within reach when each sphere moves by half of this share of the largest radius.
const SKIN: f64 = 0.3;

/// Share of its way that a sphere goes on by.
const MOMENTUM: f64 = 0.9;

/// Share of an overlap by which each of the two moves.
const STEP: f64 = 0.25;

pub struct Relaxation<'a> {
    shape: &'a Shape,
    /// m.
    centres: Vec<Vec3>,
    /// Of the spheres as they are pushed, m.
    radii: Vec<f64>,
    /// How deep under the surface each is kept, m; empty where they are free within.
    depths: Vec<f64>,
    /// The last way of each, m.
    ways: Vec<Vec3>,
    neighbours: Neighbours,
}

/// Who may come to touch whom, and the wall.
#[derive(Default)]
struct Neighbours {
    /// The others of sphere i are `others[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    others: Vec<u32>,
    near_wall: Vec<bool>,
    /// Unit vectors to the surface for spheres that are kept at a depth; else empty.
    outward: Vec<Vec3>,
    /// Centres (m) for which this holds.
    at: Vec<Vec3>,
    /// How far each centre may have gone from there, m.
    leeway: f64,
}

impl<'a> Relaxation<'a> {
    /// Spheres of `radii` (m) about `centres` (m) in `shape`.
    pub fn new(shape: &'a Shape, centres: Vec<Vec3>, radii: Vec<f64>) -> Self {
        let radii = radii.into_iter().map(|r| r * (1.0 + MARGIN)).collect();
        let ways = vec![Vec3::zeros(); centres.len()];
        Self { shape, centres, radii, depths: Vec::new(), ways, neighbours: Neighbours::default() }
    }

    /// The same on surfaces within `shape`: each sphere's centre stays so many times its diameter, and a radius, under the
    /// surface of the shape.
    pub fn on_layers(shape: &'a Shape, centres: Vec<Vec3>, radii: Vec<f64>, layers: &[u32]) -> Self {
        let mut spheres = Self::new(shape, centres, radii);
        spheres.depths = spheres.radii.iter().zip(layers).map(|(r, &layer)| r * f64::from(2 * layer + 1)).collect();
        spheres
    }

    /// Pushes, and takes spheres out, until none overlap. Gives the centres and radii (m) of those that the shape holds.
    pub fn run(mut self) -> (Vec<Vec3>, Vec<f64>) {
        /// Share of its radius by which a sphere may stick out: what is left where walls on either side are a diameter apart.
        const SLACK: f64 = 1e-6;
        /// Iterations between removals.
        const ITERATIONS: usize = 20;
        /// Rounds before the first removal, in which points that were strewn spread out.
        const FIRST: usize = 3;
        for round in 0.. {
            (0..ITERATIONS).for_each(|_| self.iterate());
            if round >= FIRST && !self.thin_out() {
                break;
            }
        }
        self.leave_wall();
        let spheres = self.centres.into_iter().zip(self.radii.into_iter().map(|r| r / (1.0 + MARGIN)));
        spheres.filter(|(centre, radius)| self.shape.holds(centre, radius * (1.0 - SLACK))).unzip()
    }

    /// Moves each sphere by the sum of its overlaps, and on by the way that it came.
    fn iterate(&mut self) {
        if !self.neighbours.hold(&self.centres) {
            self.neighbours = Neighbours::find(self.shape, &self.centres, &self.radii, !self.depths.is_empty());
        }
        let moved = |(i, way): (usize, &Vec3)| self.back_to_layer(i, way * MOMENTUM + self.push(i) * STEP);
        self.ways = self.ways.par_iter().enumerate().with_min_len(CHUNK).map(moved).collect();
        self.centres.par_iter_mut().zip(&self.ways).with_min_len(CHUNK).for_each(|(p, way)| *p += way);
    }

    /// Takes out spheres under pressure: the more the higher the mean is, and at last single ones that still overlap. False
    /// where nothing overlaps.
    fn thin_out(&mut self) -> bool {
        /// Mean pressure from where on only what overlaps counts.
        const LOOSE: f64 = 0.01;
        /// Spheres taken out per sphere and mean pressure. Seven overlaps of a share x each are a pressure of 7x, and
        /// 3x too many spheres; a quarter of these go.
        const SHARE: f64 = 0.1;
        /// Share of the spheres that overlap, once the others are loose.
        const LAST: f64 = 0.05;
        let overlaps: Vec<(f64, f64)> = (0..self.centres.len()).into_par_iter().map(|i| self.overlap(i)).collect();
        let wrong = overlaps.iter().filter(|(deepest, _)| *deepest > 0.5 * MARGIN).count();
        let pressures: Vec<f64> = overlaps.into_iter().map(|(_, sum)| sum).collect();
        let mean = pressures.iter().sum::<f64>() / pressures.len() as f64;
        let excess = if mean > LOOSE { SHARE * mean * pressures.len() as f64 } else { LAST * wrong as f64 };
        if wrong > 0 {
            self.remove(&pressures, excess.ceil() as usize);
        }
        wrong > 0
    }

    /// Sum of the overlaps (m) of a sphere, each along the way out of it.
    fn push(&self, i: usize) -> Vec3 {
        let p = self.centres[i];
        let from = |j: usize| {
            let (d, reach) = (p - self.centres[j], self.radii[i] + self.radii[j]);
            let squared = d.norm_squared();
            if squared >= reach * reach {
                return Vec3::zeros();
            }
            let length = squared.sqrt().max(1e-9 * reach);
            d * (reach / length - 1.0)
        };
        self.neighbours.of(i).map(from).sum::<Vec3>() + self.push_of_wall(i)
    }

    /// The way of a sphere that would go `way` (m) and is kept at its depth.
    fn back_to_layer(&self, i: usize, way: Vec3) -> Vec3 {
        match (self.depths.get(i), self.neighbours.outward.get(i)) {
            (Some(depth), Some(outward)) => way - outward * (self.shape.distance(&(self.centres[i] + way)) + depth),
            _ => way,
        }
    }

    /// The wall does not give way, so that a sphere takes its part too.
    fn push_of_wall(&self, i: usize) -> Vec3 {
        let depth = self.depth_in_wall(i);
        if depth > 0.0 { self.shape.normal(&self.centres[i]) * (-2.0 * depth) } else { Vec3::zeros() }
    }

    /// m, zero where the sphere is clear of it. Of spheres as large as they are, so that shapes hold one of their own size.
    fn depth_in_wall(&self, i: usize) -> f64 {
        let near = self.neighbours.near_wall[i];
        if near { (self.shape.distance(&self.centres[i]) + self.radii[i] / (1.0 + MARGIN)).max(0.0) } else { 0.0 }
    }

    /// Puts spheres that are a little in the wall in front of it.
    fn leave_wall(&mut self) {
        /// Each takes the nearest wall, which in a corner is another one then; and a curved one is missed by the square.
        const TIMES: usize = 8;
        for _ in 0..TIMES {
            let way = |i: usize| 0.5 * self.push_of_wall(i);
            let ways: Vec<Vec3> = (0..self.centres.len()).into_par_iter().map(way).collect();
            self.centres.iter_mut().zip(ways).for_each(|(p, way)| *p += way);
        }
    }

    /// The deepest overlap of a sphere and the sum of all, as shares of the distance at which two touch; the wall
    /// counts twice.
    fn overlap(&self, i: usize) -> (f64, f64) {
        let pair = |j: usize| 1.0 - (self.centres[i] - self.centres[j]).norm() / (self.radii[i] + self.radii[j]);
        let in_wall = self.depth_in_wall(i) / self.radii[i] * (0.5 * MARGIN / IN_WALL);
        let overlaps = self.neighbours.of(i).map(pair).chain([in_wall]);
        overlaps.fold((0.0, 0.0), |(deepest, sum): (f64, f64), x| (deepest.max(x), sum + x.max(0.0)))
    }

    /// Takes out `count` spheres, those with the highest pressures, but no two that are neighbours.
    fn remove(&mut self, pressures: &[f64], count: usize) {
        let mut order: Vec<usize> = (0..pressures.len()).collect();
        order.sort_by(|&a, &b| pressures[b].total_cmp(&pressures[a]));
        let (mut gone, mut beside) = (vec![false; order.len()], vec![false; order.len()]);
        let mut left = count;
        for i in order {
            if left > 0 && !beside[i] {
                gone[i] = true;
                self.neighbours.of(i).for_each(|j| beside[j] = true);
                left -= 1;
            }
        }
        keep(&mut self.centres, &gone);
        keep(&mut self.radii, &gone);
        keep(&mut self.depths, &gone);
        keep(&mut self.ways, &gone);
        self.neighbours = Neighbours::default();
    }
}

/// Spheres that a thread takes at a time.
const CHUNK: usize = 512;

impl Neighbours {
    /// Of spheres of `radii` (m) about `centres` (m); on request with the ways to the surface.
    fn find(shape: &Shape, centres: &[Vec3], radii: &[f64], with_outward: bool) -> Self {
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let skin = SKIN * largest;
        let pairs = pairs_within(centres, |i, j| radii[i] + radii[j] + skin, 2.0 * largest + skin);
        let mut starts = vec![0; centres.len() + 2];
        pairs.as_flattened().iter().for_each(|&i| starts[i as usize + 2] += 1);
        (2..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut others = vec![0; 2 * pairs.len()];
        for (i, j) in pairs.iter().flat_map(|&[i, j]| [(i, j), (j, i)]) {
            let next = &mut starts[i as usize + 1];
            others[*next] = j;
            *next += 1;
        }
        let leeway = 0.5 * skin;
        let near_wall = centres.par_iter().zip(radii).map(|(p, r)| shape.distance(p) > -r - leeway).collect();
        let layered = if with_outward { centres } else { &[] };
        let outward = layered.par_iter().map(|p| shape.normal(p)).collect();
        Self { starts, others, near_wall, outward, at: centres.to_vec(), leeway }
    }

    /// Whether nobody is missing yet.
    fn hold(&self, centres: &[Vec3]) -> bool {
        let near = |(p, at): (&Vec3, &Vec3)| (p - at).norm_squared() < self.leeway * self.leeway;
        self.at.len() == centres.len() && centres.par_iter().zip(&self.at).with_min_len(CHUNK).all(near)
    }

    fn of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others[self.starts[i]..self.starts[i + 1]].iter().map(|&j| j as usize)
    }
}

/// Keeps what is not gone.
fn keep<T: Copy>(items: &mut Vec<T>, gone: &[bool]) {
    *items = items.iter().zip(gone).filter(|(_, gone)| !**gone).map(|(item, _)| *item).collect();
}

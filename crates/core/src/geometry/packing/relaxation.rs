//! Relaxation of spheres in a shape until none overlap.

use super::container::{Container, MAX_PLANE_WITHIN};
use crate::geometry::grid::pairs_within;
use crate::geometry::{Vec3, shape::Shape};
use crate::parallel;

/// Relative increase of the radii during relaxation, which leaves gaps in the result.
pub(super) const MARGIN: f64 = 0.006;

/// Depth in the surface, over the radius, from which a sphere is finally moved out. Pairs keep twice as much of their
/// margin, so that this causes no overlap.
const IN_WALL: f64 = 0.25 * MARGIN;

/// Distance beyond contact of kept neighbours, over the largest radius: valid while each sphere moves by less than half
/// of it.
const SKIN: f64 = 0.3;

/// Mean pressure below which only overlaps count.
const MIN_PRESSURE: f64 = 0.01;

/// Share of the last displacement added to the next.
const MOMENTUM: f64 = 0.9;

/// Distance at which spheres of layers repel each other in the first round, over that of their contact. It evens out the
/// random points before they touch: blue noise, in which gaps are alike and rows do not form.
const REPULSION: f64 = 1.3;

/// Displacement of each of two spheres over their overlap.
const STEP: f64 = 0.25;

pub(super) struct Relaxation<'a> {
    container: Container<'a>,
    /// Centres, m.
    centres: Vec<Vec3>,
    /// Increased radii, m.
    radii: Vec<f64>,
    /// Constant depth of each below the surface, m; none of free spheres. Empty where all are free.
    depths: Vec<Option<f64>>,
    /// Last displacement of each, m.
    displacements: Vec<Vec3>,
    neighbours: Contacts,
    /// Displacement over the radius up to which the surface counts as a plane, and its maximum.
    plane_within: f64,
    max_plane_within: f64,
    /// Distance at which spheres of layers repel each other, over that of their contact.
    reach: f64,
    /// Mean pressure and number of overlapping spheres after the last round.
    disorder: (f64, usize),
}

/// Neighbour lists.
#[derive(Default)]
struct Contacts {
    /// Contacts of sphere i: `others[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    others: Vec<u32>,
    /// Centres (m) at the time of the search.
    at: Vec<Vec3>,
    /// Bound on displacements since, m.
    margin: f64,
}

impl<'a> Relaxation<'a> {
    /// Spheres with `radii` (m) at `centres` (m) in `shape`.
    pub(super) fn new(shape: &'a Shape, centres: Vec<Vec3>, radii: Vec<f64>) -> Self {
        // of the original radii, so that a shape holds a sphere of its own size
        let container = Container::new(shape, radii.clone());
        let radii = radii.into_iter().map(|r| r * (1.0 + MARGIN)).collect();
        let displacements = vec![Vec3::zeros(); centres.len()];
        let neighbours = Contacts::default();
        Self {
            container,
            disorder: (1.0, centres.len()),
            centres,
            radii,
            depths: Vec::new(),
            displacements,
            neighbours,
            plane_within: MAX_PLANE_WITHIN,
            max_plane_within: MAX_PLANE_WITHIN,
            reach: 1.0,
        }
    }

    /// Spheres of which some keep a constant depth (m) below the surface of `shape`.
    pub(super) fn on_layers(shape: &'a Shape, centres: Vec<Vec3>, radii: Vec<f64>, depths: Vec<Option<f64>>) -> Self {
        /// Maximum displacement over the radius up to which the surface counts as a plane. Layers have as many spheres on the
        /// surface as there are, and search for it most of the time. At first they overlap by more than this.
        const MAX_PLANE_WITHIN: f64 = 0.1;
        let mut spheres = Self::new(shape, centres, radii);
        (spheres.plane_within, spheres.max_plane_within) = (MAX_PLANE_WITHIN, MAX_PLANE_WITHIN);
        spheres.container.follow(&depths);
        spheres.depths = depths;
        spheres.reach = REPULSION;
        spheres
    }

    /// Pushes and removes spheres until none overlap. Returns centres and radii (m) of those inside the shape. `progress`
    /// is told the share that is done after each round.
    pub(super) fn run(mut self, progress: &mut dyn FnMut(f64)) -> (Vec<Vec3>, Vec<f64>) {
        /// Permitted protrusion over the radius: the remainder between opposite walls a diameter apart.
        const TOLERANCE: f64 = 1e-6;
        /// Iterations between removals.
        const ITERATIONS: usize = 20;
        /// Rounds before the first removal, in which the random points spread.
        const FREE_ROUNDS: u32 = 3;
        for round in 0u32.. {
            (0..ITERATIONS).for_each(|_| self.iterate());
            self.reach = 1.0;
            if round >= FREE_ROUNDS && !self.thin_out() {
                break;
            }
            let done = f64::from(round + 1);
            progress(done / (done + self.rounds_left()));
        }
        self.move_out_of_wall();
        let spheres = self.centres.into_iter().zip(self.radii.into_iter().map(|r| r / (1.0 + MARGIN)));
        let shape = self.container.shape();
        spheres.filter(|(centre, radius)| shape.holds(centre, radius * (1.0 - TOLERANCE))).unzip()
    }

    /// Estimated number of rounds left, as measured in shapes of 1e3 to 1e6 spheres: the pressure halves in about five,
    /// and the number of overlapping spheres falls fourfold in each of the last.
    fn rounds_left(&self) -> f64 {
        const ROUNDS_TO_HALVE: f64 = 5.0;
        let (pressure, overlapping) = self.disorder;
        let halvings = libm::log2((pressure / MIN_PRESSURE).max(1.0)).min(4.0);
        ROUNDS_TO_HALVE * halvings + 2.0 + 0.5 * libm::log2(1.0 + overlapping as f64)
    }

    /// Moves each sphere by the sum of its overlaps, with momentum.
    fn iterate(&mut self) {
        if !self.neighbours.are_valid(&self.centres) {
            self.neighbours = Contacts::find(&self.centres, &self.radii, self.reach);
        }
        self.container.update(&self.centres, self.plane_within);
        let moved = |i: usize| self.back_to_layer(i, self.displacements[i] * MOMENTUM + self.push(i) * STEP);
        self.displacements = parallel::map(self.displacements.len(), CHUNK, moved);
        let parts = (parallel::chunks_mut(&mut self.centres, CHUNK), parallel::chunks(&self.displacements, CHUNK));
        parallel::for_each(parts, |_, (centres, displacements)| {
            centres.iter_mut().zip(displacements).for_each(|(p, displacement)| *p += displacement);
        });
    }

    /// Removes spheres under pressure, in proportion to the mean; finally those that still overlap. Returns whether any
    /// overlap.
    fn thin_out(&mut self) -> bool {
        /// Removed spheres per sphere and mean pressure. Seven overlaps of a share x each are a pressure of 7x, and 3x
        /// too many spheres; a quarter of these is removed.
        const REMOVAL_RATE: f64 = 0.1;
        /// Removed share of overlapping spheres at low pressure.
        const FINAL_SHARE: f64 = 0.05;
        /// Errors of a wall's plane over the mean pressure: less than the overlaps.
        const PLANE_ERROR: f64 = 0.2;
        /// Minimum of these errors over the radius.
        const MIN_PLANE_WITHIN: f64 = 0.002;
        self.container.update(&self.centres, 0.0);
        let overlaps = parallel::map(self.centres.len(), CHUNK, |i| self.overlap(i));
        let wrong = overlaps.iter().filter(|(deepest, _)| *deepest > 0.5 * MARGIN).count();
        let pressures: Vec<f64> = overlaps.into_iter().map(|(_, sum)| sum).collect();
        let mean = pressures.iter().sum::<f64>() / pressures.len() as f64;
        self.disorder = (mean, wrong);
        self.plane_within = (PLANE_ERROR * mean).clamp(MIN_PLANE_WITHIN, self.max_plane_within);
        let excess =
            if mean > MIN_PRESSURE { REMOVAL_RATE * mean * pressures.len() as f64 } else { FINAL_SHARE * wrong as f64 };
        if wrong > 0 {
            self.remove(&pressures, excess.ceil() as usize);
        }
        wrong > 0
    }

    /// Sum of the overlaps (m) of a sphere, as vectors.
    fn push(&self, i: usize) -> Vec3 {
        let p = self.centres[i];
        let from = |j: usize| {
            let (d, reach) = (p - self.centres[j], self.reach_of(i, j));
            let squared = d.norm_squared();
            if squared >= reach * reach {
                return Vec3::zeros();
            }
            let length = squared.sqrt().max(1e-9 * reach);
            d * (reach / length - 1.0)
        };
        self.neighbours.of(i).map(from).sum::<Vec3>() + self.push_of_wall(i)
    }

    /// Distance (m) at which two spheres repel each other.
    fn reach_of(&self, i: usize, j: usize) -> f64 {
        let is_layered = |i: usize| self.depths.get(i).is_some_and(Option::is_some);
        let contact = self.radii[i] + self.radii[j];
        if is_layered(i) && is_layered(j) { self.reach * contact } else { contact }
    }

    /// The displacement of a sphere that keeps its depth.
    fn back_to_layer(&self, i: usize, displacement: Vec3) -> Vec3 {
        let Some(Some(depth)) = self.depths.get(i) else { return displacement };
        let (distance, normal) = self.container.distance_and_normal(i, &(self.centres[i] + displacement));
        displacement - normal * (distance + depth)
    }

    /// Overlap with the surface, as a vector. It counts twice, since the surface is fixed.
    fn push_of_wall(&self, i: usize) -> Vec3 {
        let (depth, normal) = self.container.overlap(i, &self.centres[i]);
        normal * (-2.0 * depth)
    }

    /// Moves spheres slightly in the surface out of it.
    fn move_out_of_wall(&mut self) {
        /// Number of iterations: each treats the nearest wall, of several in a corner, and is quadratic in the error
        /// for a curved one.
        const ITERATIONS: usize = 8;
        for _ in 0..ITERATIONS {
            self.container.update(&self.centres, 0.0);
            let displacements = parallel::map(self.centres.len(), CHUNK, |i| 0.5 * self.push_of_wall(i));
            self.centres.iter_mut().zip(displacements).for_each(|(p, displacement)| *p += displacement);
        }
    }

    /// Deepest overlap of a sphere and the sum of all, over the contact distance. The wall counts twice.
    fn overlap(&self, i: usize) -> (f64, f64) {
        let pair = |j: usize| 1.0 - (self.centres[i] - self.centres[j]).norm() / (self.radii[i] + self.radii[j]);
        let in_wall = self.container.overlap(i, &self.centres[i]).0 / self.radii[i] * (0.5 * MARGIN / IN_WALL);
        let overlaps = self.neighbours.of(i).map(pair).chain([in_wall]);
        overlaps.fold((0.0, 0.0), |(deepest, sum): (f64, f64), x| (deepest.max(x), sum + x.max(0.0)))
    }

    /// Removes `count` spheres of the highest pressures, but no two neighbours.
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
        self.container.remove(&gone);
        keep(&mut self.centres, &gone);
        keep(&mut self.radii, &gone);
        keep(&mut self.depths, &gone);
        keep(&mut self.displacements, &gone);
        self.neighbours = Contacts::default();
    }
}

/// Spheres per task.
const CHUNK: usize = 512;

impl Contacts {
    /// Pairs of spheres with `radii` (m) at `centres` (m) that are nearer than `reach` times their contact distance.
    fn find(centres: &[Vec3], radii: &[f64], reach: f64) -> Self {
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let skin = SKIN * largest;
        let pairs = pairs_within(centres, |i, j| reach * (radii[i] + radii[j]) + skin, 2.0 * reach * largest + skin);
        let mut starts = vec![0; centres.len() + 2];
        pairs.as_flattened().iter().for_each(|&i| starts[i as usize + 2] += 1);
        (2..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut others = vec![0; 2 * pairs.len()];
        for (i, j) in pairs.iter().flat_map(|&[i, j]| [(i, j), (j, i)]) {
            let next = &mut starts[i as usize + 1];
            others[*next] = j;
            *next += 1;
        }
        Self { starts, others, at: centres.to_vec(), margin: 0.5 * skin }
    }

    /// Whether the lists are complete for `centres`.
    fn are_valid(&self, centres: &[Vec3]) -> bool {
        let is_near = |i: usize| (centres[i] - self.at[i]).norm_squared() < self.margin * self.margin;
        self.at.len() == centres.len() && parallel::find_first(centres.len(), CHUNK, |i| !is_near(i)).is_none()
    }

    fn of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others[self.starts[i]..self.starts[i + 1]].iter().map(|&j| j as usize)
    }
}

/// Removes the items that are `gone`.
pub(super) fn keep<T: Copy>(items: &mut Vec<T>, gone: &[bool]) {
    *items = items.iter().zip(gone).filter(|(_, gone)| !**gone).map(|(item, _)| *item).collect();
}

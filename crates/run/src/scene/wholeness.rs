//! Pieces that bodies are in at the start.

use std::collections::HashMap;

use bdem_core::fracture::Pieces;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::CellGrid;
use bdem_core::geometry::shape::Shape as Solid;
use bdem_core::model::{State, World};
use rayon::prelude::*;

use super::body::Matter;
use super::check::{At, Fault};
use super::packing::Packing;
use super::usual::two_digits_below;
use super::{Scene, SceneError};

/// Pieces of a bonded body at the start, and its walls.
#[derive(Clone, Debug, PartialEq)]
pub struct Wholeness {
    /// Index of the body.
    pub body: usize,
    /// Number of its particles.
    pub particles: usize,
    /// Number of its pieces, connected by bonds.
    pub pieces: usize,
    /// Number of separate parts of its shape.
    pub parts: usize,
    /// Number of particles in the largest piece of each part.
    pub connected: usize,
    /// Thickness of its thinnest walls, m: see [`Thicknesses::thinnest`](bdem_core::geometry::shape::Thicknesses::thinnest).
    pub wall: f64,
    /// Radius of its largest particles, m.
    pub radius: f64,
}

impl Wholeness {
    /// Whether each part of the shape is one piece.
    pub fn is_whole(&self) -> bool {
        self.pieces <= self.parts
    }

    /// Whether its pieces need a warning: they are more than the few loose spheres of most random packings.
    fn is_broken(&self) -> bool {
        /// Share of a body's particles that may be loose.
        const LOOSE: f64 = 0.005;
        !self.is_whole() && (self.particles - self.connected) as f64 > LOOSE * self.particles as f64
    }

    /// Number of particles across the thinnest walls.
    pub fn across(&self) -> f64 {
        0.5 * self.wall / self.radius
    }

    /// Particle radius (m), to two digits, that makes the thinnest walls two particles thick. Where they are that thick
    /// already, as beside tips and edges, half of the radius.
    fn better_radius(&self) -> f64 {
        let radius = 0.25 * self.wall;
        let radius = if radius < 0.99 * self.radius { radius } else { 0.5 * self.radius };
        two_digits_below(radius)
    }
}

impl Scene {
    /// Pieces of each body that bonds should connect, as built in `world` with its initial `state`: bodies with a shape
    /// that are neither granular nor rigid. Bonds of glue count.
    pub fn wholeness(&self, world: &World, state: &State) -> Vec<Wholeness> {
        let pieces = Pieces::of(world);
        (0..self.bodies.len()).filter_map(|index| self.wholeness_of(index, world, state, &pieces)).collect()
    }

    fn wholeness_of(&self, index: usize, world: &World, state: &State, pieces: &Pieces) -> Option<Wholeness> {
        let (body, Matter::Solid(solid)) = (&self.bodies[index], &self.matters[index]) else { return None };
        if !body.bonded || body.rigid {
            return None;
        }
        let first = |of: usize| world.particles.body.partition_point(|&b| usize::from(b) < of);
        let mine = first(index)..first(index + 1);
        let radius = world.particles.radius[mine.clone()].iter().copied().fold(0.0, f64::max);
        let roots = &pieces.of_particle[mine.clone()];
        let sizes = sizes(roots);
        let parts = if sizes.len() == 1 {
            roots.to_vec()
        } else {
            let shape = body.posed(solid.shape.clone());
            parts(&shape, &state.p[mine.clone()], roots, &sizes, radius)
        };
        let mut largest: HashMap<u32, usize> = HashMap::new();
        for (part, piece) in parts.iter().zip(roots) {
            let largest = largest.entry(*part).or_default();
            *largest = sizes[piece].max(*largest);
        }
        Some(Wholeness {
            body: index,
            particles: mine.len(),
            pieces: sizes.len(),
            parts: largest.len(),
            connected: largest.values().sum(),
            wall: solid.thicknesses().thinnest(),
            radius,
        })
    }

    /// Warnings about bodies that are not whole at the start.
    ///
    /// # Errors
    /// For a body whose largest pieces have less than half of its particles.
    pub fn check_whole(&self, bodies: &[Wholeness]) -> Result<Vec<SceneError>, SceneError> {
        let broken = bodies.iter().filter(|whole| whole.is_broken() && !self.bodies[whole.body].is_cut());
        let judge = |whole: &Wholeness| {
            let error = self.source.locate(self.in_pieces(whole));
            if 2 * whole.connected < whole.particles { Err(error) } else { Ok(error) }
        };
        broken.map(judge).collect()
    }

    fn in_pieces(&self, whole: &Wholeness) -> Fault {
        let Wholeness { body, particles, pieces, parts, connected, wall, .. } = whole;
        let (name, across) = (&self.bodies[*body].name, whole.across());
        let has_parts = if *parts > 1 { format!(", and its shape has {parts} parts") } else { String::new() };
        let wall = (wall * 1e9).round() / 1e9;
        let message = format!(
            "body {name:?} is in {pieces} pieces at the start{has_parts}: {connected} of its {particles} particles are \
             connected; its thinnest walls are {wall:?} m or {across:.1} particles thick"
        );
        let radius = format!("particles of radius {:?} should do", whole.better_radius());
        let is_filled = matches!(&self.bodies[*body].packing, Packing::Shell(shell) if shell.fill);
        let help = if is_filled {
            radius
        } else {
            radius + ", or packing = { shell = { fill = true } }, which follows the surface"
        };
        At::root().key("bodies").key(body).key("shape").wrong(message).help(help)
    }
}

/// Number of particles of each piece.
fn sizes(roots: &[u32]) -> HashMap<u32, usize> {
    let mut sizes = HashMap::new();
    roots.iter().for_each(|root| *sizes.entry(*root).or_default() += 1);
    sizes
}

/// Part of `shape` of each particle at `p` (m). Two pieces are in one part where a straight line between near particles of
/// them is inside. `roots` are the particles' pieces, and `sizes` the particles of these.
fn parts(shape: &Solid, p: &[Vec3], roots: &[u32], sizes: &HashMap<u32, usize>, radius: f64) -> Vec<u32> {
    /// Number of lines from all pieces, about, and limits on the starts in each.
    const LINES: usize = 4096;
    const STARTS: [usize; 2] = [4, 32];
    /// Lengths of short and long lines in radii. In the sparsest walls particles are some ten radii from each other.
    const REACHES: [f64; 2] = [4.0, 16.0];
    let each = (LINES / sizes.len()).clamp(STARTS[0], STARTS[1]);
    let mut pieces: HashMap<u32, Vec<u32>> = HashMap::new();
    (0..).zip(roots).for_each(|(i, root)| pieces.entry(*root).or_default().push(i));
    let starts: Vec<u32> = pieces.values().flat_map(|of| of.iter().step_by(of.len().div_ceil(each))).copied().collect();
    let grids = REACHES.map(|reach| (reach * radius, CellGrid::new(p, reach * radius)));
    let lines = |i: u32| {
        let mut lines = grids.iter().map(|(reach, grid)| lines(shape, i, p, roots, grid, *reach, radius));
        lines.find(|lines| !lines.is_empty()).unwrap_or_default()
    };
    let joined: Vec<[u32; 2]> = starts.into_par_iter().flat_map_iter(lines).collect();
    let in_piece = pieces.values().flat_map(|of| of.windows(2).map(|pair| [pair[0], pair[1]]));
    Pieces::new(p.len(), in_piece.chain(joined)).of_particle
}

/// Lines from particle `i` to the nearest ones of other pieces within `reach` (m), as far as they stay inside.
fn lines(shape: &Solid, i: u32, p: &[Vec3], roots: &[u32], grid: &CellGrid, reach: f64, radius: f64) -> Vec<[u32; 2]> {
    /// Number of lines that are tried.
    const TRIED: usize = 4;
    /// Least depth of lines below the surface, over the radius: less than that of any particle.
    const MARGIN: f64 = 0.01;
    let from = &p[i as usize];
    let distance = |j: u32| (p[j as usize] - from).norm();
    let is_other = |j: &u32| roots[*j as usize] != roots[i as usize] && distance(*j) < reach;
    let mut others: Vec<u32> = grid.near(from).filter(is_other).collect();
    others.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
    others.dedup();
    others.truncate(TRIED);
    others.retain(|j| shape.connects([from, &p[*j as usize]], MARGIN * radius));
    others.into_iter().map(|j| [i, j]).collect()
}

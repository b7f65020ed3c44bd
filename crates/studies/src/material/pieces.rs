use std::collections::{BTreeMap, HashSet};

use bdem_core::fracture::Pieces;
use bdem_core::geometry::Vec3;
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

/// Body in pieces.
#[derive(Clone, Debug)]
pub struct Shards {
    /// Place of each particle at rest, m.
    places: Vec<Vec3>,
    /// Number of the piece that it ends in.
    pieces: Vec<u32>,
}

impl Shards {
    /// Those of a scene of one body after its last frame.
    ///
    /// # Errors
    /// When the scene is wrong, or the solver gives up.
    pub fn of(scene: &Scene) -> Result<Self, RunError> {
        let (world, state) = scene.build()?;
        let places = state.p.clone();
        let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
        let mut progress = Progress::default();
        for _ in 0..scene.time.frames {
            simulation.advance_frame(&mut progress)?;
        }
        Ok(Self { places, pieces: Pieces::of(&simulation.world).of_particle })
    }

    /// Share of the particles of the finer that are in the same piece in both. The piece of a place in the coarser is that of
    /// its nearest particle. Pieces are matched by greatest overlap, each with one.
    pub fn alike(&self, other: &Self) -> f64 {
        let [coarse, fine] = if self.places.len() < other.places.len() { [self, other] } else { [other, self] };
        let nearest = |place: &Vec3| {
            let distance = |k: &usize| (coarse.places[*k] - place).norm_squared();
            (0..coarse.places.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
        };
        let mut overlaps = BTreeMap::new();
        for (place, &piece) in fine.places.iter().zip(&fine.pieces) {
            *overlaps.entry([coarse.pieces[nearest(place)], piece]).or_insert(0) += 1;
        }
        let mut overlaps: Vec<([u32; 2], usize)> = overlaps.into_iter().collect();
        overlaps.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let mut matched = [HashSet::new(), HashSet::new()];
        let same = overlaps.iter().filter(|([a, b], _)| {
            let is_free = !matched[0].contains(a) && !matched[1].contains(b);
            is_free && matched[0].insert(*a) && matched[1].insert(*b)
        });
        same.map(|(_, count)| count).sum::<usize>() as f64 / fine.places.len() as f64
    }
}

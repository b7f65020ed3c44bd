use bdem_core::geometry::Vec3;

use super::Labelled;

/// Particles by cubic cells of space.
pub(super) struct Cells {
    low: Vec3,
    side: f64,
    counts: [usize; 3],
    /// Particles of cell `k` are at `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
    particles: Vec<u32>,
}

impl Cells {
    /// Cells of `side` (m), or larger where there would be many more cells than particles.
    pub(super) fn new(places: &[Vec3], side: f64) -> Self {
        let empty = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (low, high) = places.iter().fold(empty, |(low, high), p| (low.inf(p), high.sup(p)));
        let most = 64.0 * (places.len() as f64 + 1000.0);
        let number = |side: f64| (high - low).map(|length| (length / side).floor() + 1.0);
        let mut side = side;
        while number(side).product() > most {
            side *= 1.5;
        }
        let counts = number(side);
        let counts = [counts.x as usize, counts.y as usize, counts.z as usize];
        let mut cells =
            Self { low, side, counts, starts: vec![0; counts.iter().product::<usize>() + 1], particles: Vec::new() };
        let keys: Vec<usize> = places.iter().map(|p| cells.key(p)).collect();
        keys.iter().for_each(|key| cells.starts[key + 1] += 1);
        (1..cells.starts.len()).for_each(|k| cells.starts[k] += cells.starts[k - 1]);
        let mut order: Vec<u32> = (0..places.len() as u32).collect();
        order.sort_by_key(|&i| keys[i as usize]);
        cells.particles = order;
        cells
    }

    fn key(&self, p: &Vec3) -> usize {
        let cell = |axis: usize| (((p[axis] - self.low[axis]) / self.side) as usize).min(self.counts[axis] - 1);
        self.index([cell(0), cell(1), cell(2)])
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Cells that a cube about `p` (m) meets.
    pub(super) fn near(&self, p: &Vec3, reach: f64) -> impl Iterator<Item = usize> + '_ {
        let range = |axis: usize| {
            let at = |x: f64| ((x - self.low[axis]) / self.side).floor();
            let (from, to) = (at(p[axis] - reach).max(0.0), at(p[axis] + reach).min(self.counts[axis] as f64 - 1.0));
            from as usize..(to + 1.0).max(0.0) as usize
        };
        let [xs, ys, zs] = [range(0), range(1), range(2)];
        zs.flat_map(move |z| {
            let xs = xs.clone();
            ys.clone().flat_map(move |y| xs.clone().map(move |x| self.index([x, y, z])))
        })
    }

    /// Particles in a cell.
    pub(super) fn particles(&self, cell: usize) -> &[u32] {
        &self.particles[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Content of each cell.
    pub(super) fn contents(&self, particles: &Labelled) -> Vec<Content> {
        let label = |i: &u32| Content::One(particles.labels[*i as usize]);
        let content = |cell: usize| self.particles(cell).iter().map(label).fold(Content::None, Content::with);
        (0..self.starts.len() - 1).map(content).collect()
    }
}

/// Labels of a set of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// There are no particles.
    None,
    /// All have this label.
    One(u32),
    /// There are several labels.
    Several,
}

impl Content {
    /// Labels of two sets together.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, content) | (content, Self::None) => content,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Several,
        }
    }
}

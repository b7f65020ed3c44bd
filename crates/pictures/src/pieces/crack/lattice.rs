use bdem_core::geometry::Vec3;

/// Limit on the nodes, of which each takes five bytes.
const MAX_NODES: f64 = 1e9;

/// Body-centred cubic lattice over a box: the corners of its cells, then their centres.
pub(super) struct Lattice {
    low: Vec3,
    spacing: f64,
    /// Corners along each axis; as many centres.
    size: [usize; 3],
}

/// Kind of a node, 0 for corners and 1 for centres, and its cell.
pub(super) type Coordinates = (usize, [i64; 3]);

impl Lattice {
    /// Lattice over the bounding box of points and some more than `margin` (m) around it.
    ///
    /// # Errors
    /// Number of nodes, if there are too many.
    pub(super) fn around<'a>(points: impl Iterator<Item = &'a Vec3>, margin: f64, spacing: f64) -> Result<Self, f64> {
        /// Offset of the lattice along each axis, over its spacing. It keeps nodes off the planes of symmetric bodies.
        const OFFSET: [f64; 3] = [0.105, 0.209, 0.314];
        let empty = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (low, high) = points.fold(empty, |(low, high), p| (low.inf(p), high.sup(p)));
        let pad = margin + 3.0 * spacing;
        let counts = (high - low).map(|side| ((side + 2.0 * pad) / spacing).ceil() + 2.0);
        let nodes = 2.0 * counts.product();
        if nodes >= MAX_NODES || nodes.is_nan() {
            return Err(nodes);
        }
        let low = low - Vec3::repeat(pad) + Vec3::from(OFFSET) * spacing;
        Ok(Self { low, spacing, size: [counts.x as usize, counts.y as usize, counts.z as usize] })
    }

    /// Edge of a cell, m.
    pub(super) fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        2 * self.corners()
    }

    fn corners(&self) -> usize {
        self.size.iter().product()
    }

    /// Position (m) of a node.
    pub(super) fn place(&self, node: usize) -> Vec3 {
        let (kind, cell) = self.coordinates(node);
        self.low + Vec3::from(cell.map(|n| n as f64 + 0.5 * kind as f64)) * self.spacing
    }

    pub(super) fn coordinates(&self, node: usize) -> Coordinates {
        let (kind, k) = (node / self.corners(), node % self.corners());
        let [x, y, _] = self.size;
        (kind, [k % x, k / x % y, k / x / y].map(|n| n as i64))
    }

    /// Node at coordinates, if there is one.
    pub(super) fn node(&self, (kind, cell): Coordinates) -> Option<usize> {
        let is_within = |axis: usize| cell[axis] >= 0 && cell[axis] < self.size[axis] as i64;
        let [x, y, z] = cell.map(|n| n as usize);
        (0..3).all(is_within).then(|| kind * self.corners() + (z * self.size[1] + y) * self.size[0] + x)
    }

    /// The fourteen neighbours of a node: six of its kind, eight of the other. None beyond the box.
    pub(super) fn neighbours(&self, node: usize) -> impl Iterator<Item = Option<usize>> + '_ {
        let (kind, cell) = self.coordinates(node);
        let back = if kind == 0 { -1 } else { 0 };
        let alike = (0..6).map(move |k| {
            let mut next = cell;
            next[k / 2] += if k % 2 == 0 { 1 } else { -1 };
            (kind, next)
        });
        let others = (0..8).map(move |k: usize| {
            let step = |axis: usize| cell[axis] + back + (k >> axis & 1) as i64;
            (1 - kind, [step(0), step(1), step(2)])
        });
        alike.chain(others).map(|coordinates| self.node(coordinates))
    }

    /// Nodes in the box between two points (m).
    pub(super) fn within(&self, low: &Vec3, high: &Vec3) -> impl Iterator<Item = usize> + '_ {
        let (low, high) = ((low - self.low) / self.spacing, (high - self.low) / self.spacing);
        (0..2).flat_map(move |kind| {
            let shift = 0.5 * kind as f64;
            let range = |axis: usize| {
                let last = self.size[axis] as f64 - 1.0;
                let [from, to] = [(low[axis] - shift).ceil().max(0.0), (high[axis] - shift).floor().min(last)];
                from as i64..(to + 1.0).max(0.0) as i64
            };
            let [xs, ys, zs] = [range(0), range(1), range(2)];
            zs.flat_map(move |z| {
                let xs = xs.clone();
                ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
            })
            .filter_map(move |cell| self.node((kind, cell)))
        })
    }
}

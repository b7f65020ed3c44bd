use bdem_core::geometry::grid::CellGrid;
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Mat3, Quat, Vec3, rotation};
use bdem_core::model::Wrench;
use rayon::prelude::*;

/// Edge of a cell over the radius.
const CELL: f64 = 0.5;

/// Cells of a grid over the bounding box of a shape.
struct Cells {
    low: Vec3,
    /// Edges of a cell, m.
    step: Vec3,
    counts: [usize; 3],
    /// Whether the middle of each cell is in the shape, by planes of x.
    planes: Vec<Vec<bool>>,
}

/// Outer faces of a body that are nearest to one of its particles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OuterFaces {
    /// Integral of the outward normal, m2.
    area: Vec3,
    /// Integral of `x n^T` with the place x from the particle's centre, m3.
    moment: Mat3,
}

impl OuterFaces {
    /// Outer faces of `shape` at each of the `centres` (m) of its particles, of about `radius` (m).
    ///
    /// They are those of a grid's cells. Stepped faces have the area vector of the smooth ones with the same edge: the loads of a
    /// pressure add up to no force and no torque, and on a side of the body to the pressure times its projected area.
    pub(super) fn of_particles(shape: &Shape, centres: &[Vec3], radius: f64) -> Vec<Self> {
        /// Distance in which a face's particle is looked for at first, in radii.
        const NEAR: f64 = 3.0;
        let cells = Cells::new(shape, radius);
        let grid = CellGrid::new(centres, NEAR * radius);
        let mut faces = vec![Self::default(); centres.len()];
        cells.each_face(|at, area| {
            let off = |i: &u32| (centres[*i as usize] - at).norm_squared();
            let closer = |a: &u32, b: &u32| off(a).total_cmp(&off(b)).then(a.cmp(b));
            let found = grid.near(&at).min_by(closer).or_else(|| (0..centres.len() as u32).min_by(closer));
            for i in found.into_iter().map(|i| i as usize) {
                faces[i].area += area;
                faces[i].moment += (at - centres[i]) * area.transpose();
            }
        });
        faces
    }

    /// The same in a frame turned by `turn`.
    pub(super) fn rotated(&self, turn: &Quat) -> Self {
        let matrix = Mat3::from_columns(&[0, 1, 2].map(|axis| rotation::rotate(turn, &Vec3::ith(axis, 1.0))));
        Self { area: matrix * self.area, moment: matrix * self.moment * matrix.transpose() }
    }

    /// Load of a pressure (Pa) on them, without its component along the unit vector `across`, if there is one.
    pub(super) fn load(&self, pressure: f64, across: Option<Vec3>) -> Wrench {
        let kept = Mat3::identity() - across.map_or(Mat3::zeros(), |axis| axis * axis.transpose());
        let m = self.moment * kept;
        let torque = Vec3::new(m.m23 - m.m32, m.m31 - m.m13, m.m12 - m.m21);
        Wrench { force: kept * self.area, torque } * -pressure
    }
}

impl Cells {
    fn new(shape: &Shape, radius: f64) -> Self {
        let (low, high) = shape.bounds();
        let counts = (high - low).map(|side| (side / (CELL * radius)).ceil().max(1.0));
        let step = (high - low).component_div(&counts);
        let counts = [counts.x, counts.y, counts.z].map(|count| count as usize);
        let middle = |cell: [usize; 3]| low + Vec3::from_fn(|axis, _| (cell[axis] as f64 + 0.5) * step[axis]);
        let [across, along] = [counts[1], counts[2]];
        let plane =
            |x: usize| (0..across * along).map(|k| shape.contains(&middle([x, k / along, k % along]))).collect();
        let planes = (0..counts[0]).into_par_iter().map(plane).collect();
        Self { low, step, counts, planes }
    }

    fn is_in(&self, cell: [usize; 3]) -> bool {
        let [x, y, z] = cell;
        (0..3).all(|axis| cell[axis] < self.counts[axis]) && self.planes[x][y * self.counts[2] + z]
    }

    /// Calls `add` with the middle (m) and the area vector (m2) of each face between the inside and the outside.
    fn each_face(&self, mut add: impl FnMut(Vec3, Vec3)) {
        let [nx, ny, nz] = self.counts;
        let area = Vec3::new(self.step.y * self.step.z, self.step.z * self.step.x, self.step.x * self.step.y);
        let cells = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])));
        for cell in cells.filter(|cell| self.is_in(*cell)) {
            let corner = self.low + Vec3::from_fn(|axis, _| cell[axis] as f64 * self.step[axis]);
            for axis in 0..3 {
                let (mut before, mut after) = (cell, cell);
                // below 0 it wraps to a cell beyond all
                before[axis] = cell[axis].wrapping_sub(1);
                after[axis] += 1;
                let face =
                    |ahead: f64| corner + Vec3::from_fn(|k, _| self.step[k] * if k == axis { ahead } else { 0.5 });
                if !self.is_in(before) {
                    add(face(0.0), Vec3::ith(axis, -area[axis]));
                }
                if !self.is_in(after) {
                    add(face(1.0), Vec3::ith(axis, area[axis]));
                }
            }
        }
    }
}

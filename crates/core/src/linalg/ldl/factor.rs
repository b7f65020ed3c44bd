use super::elimination::Reach;
use super::{Elimination, Entry};
use crate::geometry::Vec3;

/// Numbers of L and D.
#[derive(Clone, Debug)]
pub struct Factor<E> {
    /// Rows of the entries of L, column by column, ascending.
    row: Vec<u32>,
    entry: Vec<E>,
    /// Inverse of D.
    inverse: Vec<E>,
}

impl<E: Entry> Factor<E> {
    /// Factor of the matrix with `diagonal`, one a node, and `off`, one an edge: the entry in the row of the edge's first end
    /// and the column of its second. Entries of edges between the same nodes are added. None where a pivot is singular.
    ///
    /// # Panics
    /// When there are more or fewer entries than nodes and edges.
    pub fn new(elimination: &Elimination, diagonal: &[E], off: &[E]) -> Option<Self> {
        let n = elimination.nodes();
        assert_eq!(diagonal.len(), n, "one diagonal entry a node");
        let start = &elimination.column_start;
        let mut factor =
            Self { row: vec![0; start[n]], entry: vec![E::zero(); start[n]], inverse: Vec::with_capacity(n) };
        let mut end = start[..n].to_vec();
        let mut work = vec![E::zero(); n];
        let mut reach = Reach::new(n);
        for place in 0..n {
            for below in elimination.row(place) {
                let entry = off[below.edge as usize];
                work[below.column as usize] += if below.from_first { entry } else { entry.transposed() };
            }
            let mut pivot = diagonal[elimination.order[place] as usize];
            for &column in reach.update(elimination, place) {
                let column = column as usize;
                let value = std::mem::replace(&mut work[column], E::zero());
                for k in start[column]..end[column] {
                    work[factor.row[k] as usize] -= factor.entry[k] * value;
                }
                let entry = value.transposed() * factor.inverse[column];
                pivot -= entry * value;
                factor.row[end[column]] = place as u32;
                factor.entry[end[column]] = entry;
                end[column] += 1;
            }
            factor.inverse.push(pivot.inverse()?);
        }
        Some(factor)
    }

    /// Replaces the right side `b`, one vector a node, by the solution.
    ///
    /// # Panics
    /// When the factor is of another elimination.
    pub fn solve(&self, elimination: &Elimination, b: &mut [Vec3]) {
        let (n, start) = (elimination.nodes(), &elimination.column_start);
        assert_eq!((b.len(), self.entry.len()), (n, start[n]), "the factor is of this elimination");
        let mut x: Vec<Vec3> = elimination.order.iter().map(|&node| b[node as usize]).collect();
        for column in 0..n {
            let value = x[column];
            for k in start[column]..start[column + 1] {
                x[self.row[k] as usize] -= self.entry[k].times(&value);
            }
            x[column] = self.inverse[column].times(&value);
        }
        for column in (0..n).rev() {
            for k in start[column]..start[column + 1] {
                let above = self.entry[k].transposed().times(&x[self.row[k] as usize]);
                x[column] -= above;
            }
        }
        elimination.order.iter().zip(x).for_each(|(&node, x)| b[node as usize] = x);
    }
}

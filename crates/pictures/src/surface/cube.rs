//! Loops of surface through a cube. Node `n` of its eight has its position in the bits of `n`: x in the lowest, then
//! y, then z.

/// Nodes around each face of a cube, counterclockwise as seen from outside: at low x, at high x, then y, then z.
const FACES: [[usize; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Number of points of a cube: two on each of 24 numbers of edges, half of which are edges, and one on each face.
const POINTS: usize = 48 + FACES.len();

/// Bits of all edges: see [`edge`].
pub(super) const ALL_OPEN: u32 = 0x0f_33_55;

/// Point of the surface on a cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Point {
    /// Point on the edge along `axis` from the node `low`, on the side of that node or of the other.
    Edge { axis: usize, low: usize, is_high: bool },
    /// Point in the middle of a face, where a crack ends.
    Front { face: usize },
}

impl Point {
    fn new(number: usize) -> Self {
        match number.checked_sub(48) {
            Some(face) => Self::Front { face },
            None => Self::Edge { axis: number / 16, low: number / 2 % 8, is_high: number % 2 == 1 },
        }
    }

    /// Faces that the point lies in, as bits.
    fn faces(self) -> u8 {
        match self {
            Self::Front { face } => 1 << face,
            Self::Edge { axis, low, .. } => (0..3)
                .filter(|&across| across != axis)
                .fold(0, |faces, across| faces | 1 << (2 * across + (low >> across & 1))),
        }
    }
}

/// Number of the edge between two nodes.
pub(super) fn edge(a: usize, b: usize) -> usize {
    8 * (a ^ b).trailing_zeros() as usize + (a & b)
}

/// Number of the point on the edge from `node` to `other`, on the side of `node`.
fn point(node: usize, other: usize) -> usize {
    2 * edge(node, other) + usize::from(node > other)
}

/// Calls `found` with the points of each loop of surface on a cube. They run counterclockwise as seen from outside of
/// the solid.
///
/// `is_inside` has a bit for each node. `is_open` has one for each edge with both ends inside and no cut.
///
/// On each face, consecutive nodes joined by open edges make a run. One segment bounds a run that does not go all
/// around, from the cut before it to the cut behind. The cube on the other side of the face finds the same segments in
/// reverse. So all triangles together are closed, for any cuts.
pub(super) fn loops(is_inside: u8, is_open: u32, mut found: impl FnMut(&[Point])) {
    const NONE: u8 = u8::MAX;
    let mut next = [NONE; POINTS];
    for (number, face) in FACES.iter().enumerate() {
        let open = |k: usize| is_open >> edge(face[k % 4], face[(k + 1) % 4]) & 1 == 1;
        for first in 0..4 {
            if is_inside >> face[first] & 1 == 0 || open(first + 3) {
                continue;
            }
            let last = (first..first + 3).find(|&k| !open(k)).unwrap_or(first + 3);
            let from = point(face[first], face[(first + 3) % 4]);
            let to = point(face[last % 4], face[(last + 1) % 4]);
            if last == first + 3 {
                // the crack ends within the face
                next[from] = 48 + number as u8;
                next[48 + number] = to as u8;
            } else {
                next[from] = to as u8;
            }
        }
    }
    let mut points = Vec::with_capacity(POINTS);
    for start in 0..POINTS {
        points.clear();
        let mut at = start;
        while next[at] != NONE {
            points.push(Point::new(at));
            at = std::mem::replace(&mut next[at], NONE) as usize;
        }
        if !points.is_empty() {
            found(&points);
        }
    }
}

/// Point of a loop from which a fan of triangles has no edge in a face of the cube. Another cube may have an edge
/// there.
pub(super) fn apex(points: &[Point]) -> Option<usize> {
    let count = points.len();
    let apart = |a: usize, b: usize| points[a % count].faces() & points[b % count].faces() == 0;
    (0..count).find(|&apex| (apex + 2..apex + count - 1).all(|other| apart(apex, other)))
}

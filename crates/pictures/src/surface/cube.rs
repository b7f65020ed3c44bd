//! Loops of surface through a cube. Node `n` of its eight has its position in the bits of `n`: x in the lowest, then
//! y, then z. The edge along `axis` from the node `low` has the number `8 axis + low`.

/// Nodes around each face of a cube, counterclockwise as seen from outside: at low x, at high x, then y, then z.
const FACES: [[usize; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Numbers of edges.
const EDGES: usize = 24;

/// Number of the edge between two nodes.
fn edge(a: usize, b: usize) -> usize {
    8 * (a ^ b).trailing_zeros() as usize + (a & b)
}

/// Faces that an edge lies in, as bits.
fn faces(edge: u8) -> u8 {
    let (axis, low) = (edge / 8, edge % 8);
    (0..3).filter(|&across| across != axis).fold(0, |faces, across| faces | 1 << (2 * across + (low >> across & 1)))
}

/// Calls `found` with the edges that each loop of surface on a cube crosses, counterclockwise as seen from outside of the
/// solid. `is_inside` has a bit for each node.
///
/// On each face, consecutive nodes inside make a run. One segment bounds each run that does not go all around, from the edge before
/// it to the edge behind. The cube on the other side of the face finds the same segments in reverse. So all triangles together
/// are closed.
pub(super) fn loops(is_inside: u8, mut found: impl FnMut(&[u8])) {
    const NONE: u8 = u8::MAX;
    let mut next = [NONE; EDGES];
    for face in FACES {
        let inside = |k: usize| is_inside >> face[k % 4] & 1 == 1;
        for first in (0..4).filter(|&k| inside(k) && !inside(k + 3)) {
            let last = (first..first + 3).find(|&k| !inside(k + 1)).expect("the node before the run is outside");
            let from = edge(face[first], face[(first + 3) % 4]);
            next[from] = edge(face[last % 4], face[(last + 1) % 4]) as u8;
        }
    }
    let mut edges = Vec::with_capacity(EDGES);
    for start in 0..EDGES {
        edges.clear();
        let mut at = start;
        while next[at] != NONE {
            edges.push(at as u8);
            at = std::mem::replace(&mut next[at], NONE) as usize;
        }
        if !edges.is_empty() {
            found(&edges);
        }
    }
}

/// Triangles of a loop, as indices of its edges: a fan of which no side lies in a face of the cube, where another cube may have a
/// side too. Each loop of a cube has one, by enumeration.
pub(super) fn fan(edges: &[u8]) -> impl Iterator<Item = [usize; 3]> {
    let count = edges.len();
    let apart = |a: usize, b: usize| faces(edges[a % count]) & faces(edges[b % count]) == 0;
    let is_apex = |apex: &usize| (apex + 2..apex + count - 1).all(|other| apart(*apex, other));
    let apex = (0..count).find(is_apex).unwrap_or(0);
    (1..count - 1).map(move |k| [0, k, k + 1].map(|step| (apex + step) % count))
}

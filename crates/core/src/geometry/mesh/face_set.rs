use super::nearest::nearest_in;
use crate::geometry::Vec3;
use crate::geometry::bounds::Bounds;

/// Triangles of any number, open or closed, in a hierarchy of boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceSet {
    faces: Vec<[Vec3; 3]>,
    /// Indices of the faces, in the order of the leaves.
    order: Vec<u32>,
    /// The root is the first.
    nodes: Vec<Node>,
}

/// Box of the faces of a part of the order, and its children; none of a leaf.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    bounds: [Vec3; 2],
    part: [u32; 2],
    children: Option<[u32; 2]>,
}

/// Maximum number of faces of a leaf.
const LEAF: usize = 4;

impl FaceSet {
    /// Set of these faces, each of three corners (m).
    pub fn new(faces: Vec<[Vec3; 3]>) -> Self {
        let mut set = Self { order: (0..faces.len() as u32).collect(), faces, nodes: Vec::new() };
        if !set.faces.is_empty() {
            set.split(0, set.faces.len());
        }
        set
    }

    /// Face nearest to `p` (m) and its point there, nearer than `within` (m); of equally near ones the first.
    pub fn nearest(&self, p: &Vec3, within: f64) -> Option<(usize, Vec3)> {
        let mut best = (within * within, None);
        self.search(0, p, &mut best);
        best.1
    }

    /// Whether the segment between two points (m) crosses a face. A point on the plane of a face counts to its front.
    pub fn crosses(&self, [a, b]: [&Vec3; 2]) -> bool {
        let bounds = [a.inf(b), a.sup(b)];
        let mut open = vec![0];
        while let Some(node) = open.pop().and_then(|node| self.nodes.get(node as usize)) {
            let apart = |k: usize| node.bounds[1][k] < bounds[0][k] || bounds[1][k] < node.bounds[0][k];
            if (0..3).any(apart) {
                continue;
            }
            match node.children {
                Some(children) => open.extend(children),
                None if self.faces_of(node).any(|face| is_crossed(&self.faces[face], [a, b])) => return true,
                None => {}
            }
        }
        false
    }

    fn faces_of(&self, node: &Node) -> impl Iterator<Item = usize> + '_ {
        let [from, to] = node.part.map(|place| place as usize);
        self.order[from..to].iter().map(|&face| face as usize)
    }

    fn search(&self, node: usize, p: &Vec3, best: &mut (f64, Option<(usize, Vec3)>)) {
        let Some(node) = self.nodes.get(node) else { return };
        let Some(children) = node.children else {
            for face in self.faces_of(node) {
                let nearest = nearest_in(&self.faces[face], p);
                let distance = (nearest - p).norm_squared();
                let is_first = best.1.is_some_and(|(known, _)| distance == best.0 && face < known);
                if distance < best.0 || is_first {
                    *best = (distance, Some((face, nearest)));
                }
            }
            return;
        };
        let distance = |child: u32| {
            let [low, high] = self.nodes[child as usize].bounds;
            Bounds { low, high }.squared_distance(p)
        };
        let [a, b] = children;
        let sorted = if distance(a) <= distance(b) { [a, b] } else { [b, a] };
        for child in sorted {
            if distance(child) <= best.0 {
                self.search(child as usize, p, best);
            }
        }
    }

    /// Adds the node of a part of the order, halved along its longest side. Returns its index.
    fn split(&mut self, from: usize, to: usize) -> u32 {
        let Self { faces, order, nodes } = self;
        let corners = || order[from..to].iter().flat_map(|&face| &faces[face as usize]);
        let first = faces[order[from] as usize][0];
        let (low, high) = corners().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
        let node = nodes.len();
        nodes.push(Node { bounds: [low, high], part: [from as u32, to as u32], children: None });
        if to - from > LEAF {
            let axis = (high - low).imax();
            let middle = |face: &u32| faces[*face as usize].iter().map(|p| p[axis]).sum::<f64>();
            order[from..to].sort_by(|a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
            let half = from.midpoint(to);
            let children = [self.split(from, half), self.split(half, to)];
            self.nodes[node].children = Some(children);
        }
        node as u32
    }
}

/// Whether the segment from `p` to `q` crosses a face.
fn is_crossed([a, b, c]: &[Vec3; 3], [p, q]: [&Vec3; 2]) -> bool {
    /// Share of the face by which it counts as wider, so that its rounding leaves no gap to the next.
    const ROUNDING: f64 = 1e-9;
    let normal = (b - a).cross(&(c - a));
    let [above, below] = [p, q].map(|p| normal.dot(&(p - a)));
    if (above >= 0.0) == (below >= 0.0) {
        return false;
    }
    let at = p + (q - p) * (above / (above - below));
    let size = normal.norm_squared();
    let share = |from: &Vec3, to: &Vec3| normal.dot(&(to - from).cross(&(at - from))) / size;
    share(a, b) >= -ROUNDING && share(b, c) >= -ROUNDING && share(c, a) >= -ROUNDING
}

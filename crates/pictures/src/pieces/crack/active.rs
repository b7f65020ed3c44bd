use bdem_core::geometry::Vec3;

use super::lattice::Lattice;

/// Nodes within `margin` (m) of a particle, near the triangles of the mesh (m), and in all that these enclose, in
/// ascending order. An empty node in a loose packing would be a cavity of the body.
pub(super) fn active_nodes(lattice: &Lattice, particles: &[Vec3], margin: f64, triangles: &[[Vec3; 3]]) -> Vec<usize> {
    /// Reach around triangles over the spacing: a point of the mesh is in a tetrahedron whose nodes are all nearer.
    const REACH: f64 = 1.05;
    let mut active = vec![false; lattice.len()];
    for p in particles {
        let reach = Vec3::repeat(margin);
        let is_near = |node: &usize| (lattice.place(*node) - p).norm_squared() < margin * margin;
        lattice.within(&(p - reach), &(p + reach)).filter(is_near).for_each(|node| active[node] = true);
    }
    for corners in triangles {
        let reach = REACH * lattice.spacing();
        let (low, high) = (corners[0].inf(&corners[1]).inf(&corners[2]), corners[0].sup(&corners[1]).sup(&corners[2]));
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let normal = normal.try_normalize(0.0).unwrap_or_default();
        let is_near = |node: &usize| (lattice.place(*node) - corners[0]).dot(&normal).abs() < reach;
        let [low, high] = [low - Vec3::repeat(reach), high + Vec3::repeat(reach)];
        lattice.within(&low, &high).filter(is_near).for_each(|node| active[node] = true);
    }
    let reached = reached_from_outside(lattice, &active);
    (0..lattice.len()).filter(|&node| active[node] || !reached[node]).collect()
}

/// Nodes that are not active, and are joined to the border of the box through such nodes.
fn reached_from_outside(lattice: &Lattice, active: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; lattice.len()];
    let is_border = |node: &usize| !active[*node] && lattice.neighbours(*node).any(|next| next.is_none());
    let mut queue: Vec<usize> = (0..lattice.len()).filter(is_border).collect();
    queue.iter().for_each(|&node| reached[node] = true);
    while let Some(node) = queue.pop() {
        for next in lattice.neighbours(node).flatten() {
            if !active[next] && !reached[next] {
                reached[next] = true;
                queue.push(next);
            }
        }
    }
    reached
}

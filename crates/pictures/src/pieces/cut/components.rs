use bdem_run::mesh::Polygons;

use crate::pieces::disjoint_sets::DisjointSets;

/// Faces of the connected components of a mesh, by the points that they share.
pub(in crate::pieces) fn components(mesh: &Polygons) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(mesh.points.len());
    for face in mesh.faces() {
        face[1..].iter().for_each(|corner| sets.join(face[0].point, corner.point));
    }
    let mut components: Vec<Vec<usize>> = Vec::new();
    let mut known = vec![None; mesh.points.len()];
    for (index, face) in mesh.faces().enumerate() {
        let component = known[sets.find(face[0].point) as usize].get_or_insert(components.len());
        if *component == components.len() {
            components.push(Vec::new());
        }
        components[*component].push(index);
    }
    components
}

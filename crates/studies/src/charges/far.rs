use bdem_core::charge::{Charges, DdefSettings, Field, Grid, Method, field_at};
use bdem_core::geometry::Vec3;
use rayon::prelude::*;

/// Near part of the domain-discretised field of charges `q` (C) at `x` (m): its far part is ignored (\[MSC\] section 5).
pub(super) fn near_field(x: &[Vec3], q: &[f64], settings: &DdefSettings) -> Field {
    let grid = Grid::new(x.iter().copied(), settings.points, settings.adjacency);
    let mut charges = vec![Vec::new(); grid.tetrahedra().len()];
    let mut at = 0;
    for (i, x) in x.iter().enumerate() {
        at = grid.locate(x, at);
        charges[at].push(i);
    }
    let occupied: Vec<usize> = (0..charges.len()).filter(|&tetrahedron| !charges[tetrahedron].is_empty()).collect();
    let near = |tetrahedron: usize, vertices: &[u32; 4]| {
        vertices.iter().any(|vertex| grid.near(tetrahedron).binary_search(vertex).is_ok())
    };
    let of_tetrahedron = |&tetrahedron: &usize| {
        let vertices = grid.tetrahedra()[tetrahedron].vertices;
        let sources: Vec<usize> = occupied
            .iter()
            .filter(|&&other| near(other, &vertices))
            .flat_map(|&other| charges[other].clone())
            .collect();
        charges[tetrahedron].iter().map(|&i| (i, at_charge(x, q, i, &sources))).collect::<Vec<_>>()
    };
    let mut e = vec![Vec3::zeros(); x.len()];
    for (i, field) in occupied.par_iter().map(of_tetrahedron).collect::<Vec<_>>().into_iter().flatten() {
        e[i] = field;
    }
    Field { potential: vec![0.0; e.len()], e }
}

/// Exact field of `sources` at charge `i`, without its own, V/m.
fn at_charge(x: &[Vec3], q: &[f64], i: usize, sources: &[usize]) -> Vec3 {
    let (x_near, q_near): (Vec<Vec3>, Vec<f64>) =
        sources.iter().filter(|&&source| source != i).map(|&source| (x[source], q[source])).unzip();
    let charges = Charges::new(&x_near, &q_near, 0.0).expect("finite charges");
    field_at(&charges, &[x[i]], &Method::Exact).expect("charges are apart").e[0]
}

use bdem_core::charge::Method;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Edges;
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::model::{AxialSpring, ChargeGroup, World, WorldBuilder};

/// Mass of a vertex, kg. [MSC] prints none. With six springs a vertex its statements on stability fit 0.03 to 0.24 kg.
const MASS: f64 = 0.1;

/// Radius of a vertex, m, which has no contacts. Explicit steps of a hundred of them fail.
const RADIUS: f64 = 1.0;

/// Mean radius of the surface in place of the bunny, m. The paper's meshes have no printed size. At 10 m the errors of Figs 12
/// and 13 are of the order of the paper's, and the charges of Fig 5 stretch the springs several times over.
pub(super) const SPHERE: f64 = 10.0;

/// Edges of `surface` as springs of a stiffness (N/m) at rest, with like charges (C) on a mass each.
pub(crate) fn charged_surface(surface: &Triangulated, stiffness: f64, charge: f64) -> WorldBuilder {
    let Edges { vertices, pairs, .. } = Edges::new(&surface.x, &surface.faces).expect("a surface");
    let spring = AxialSpring::elastic(stiffness);
    let mut builder = World::builder();
    let material = builder.material(spring.material("springs", RADIUS, MASS));
    let ids: Vec<u32> = vertices.iter().map(|&x| builder.particle(x, RADIUS, material)).collect();
    for &vertex in &ids {
        builder.without_contacts(vertex);
    }
    for [i, j] in pairs {
        builder.spring(i, j, spring);
    }
    builder.charges(ChargeGroup::uniform(ids, charge));
    builder.field(Method::Exact, 0.0);
    builder
}

/// Torus of Figs 4, 9 and 16: 145 vertices. The paper prints no radii: 3 m and 0.55 m, which let 6 uC stretch it moderately.
pub(super) fn torus(stiffness: f64, charge: f64) -> WorldBuilder {
    charged_surface(&triangulate::torus([29, 5], 3.0, 0.55), stiffness, charge)
}

/// Closed surface in place of the bunny of Figs 5, 11, 12 and 13, which is not ours: an uneven sphere of 642 vertices, or of
/// 42 if `small`.
pub(super) fn sphere(small: bool, stiffness: f64, charge: f64) -> WorldBuilder {
    let mut surface = triangulate::sphere(if small { 1 } else { 3 });
    let radius = |x: &Vec3| SPHERE * (1.0 + 0.2 * libm::sin(4.0 * x.x) * libm::cos(3.0 * x.y) + 0.1 * x.z);
    surface.x.iter_mut().for_each(|x| *x *= radius(x));
    charged_surface(&surface, stiffness, charge)
}

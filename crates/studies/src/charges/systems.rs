use bdem_core::charge::Method;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::spring::{SpringState, SpringSystem, Springs};

/// Mass of a vertex, kg. The paper prints none. With six springs a vertex its statements on stability fit 0.03 to 0.24 kg.
const MASS: f64 = 0.1;

/// Mean radius of the surface in place of the bunny, m. The paper's meshes have no printed size. At 10 m the errors of Figs 12
/// and 13 are of the order of the paper's, and the charges of Fig 5 stretch the springs several times over.
pub(super) const SPHERE: f64 = 10.0;

/// System and its state at the beginning, at rest.
#[derive(Clone)]
pub(super) struct Start {
    pub system: SpringSystem,
    pub state: SpringState,
}

impl Start {
    /// Edges of `surface` as springs of a stiffness (N/m), with like charges (C) on a mass each.
    fn new(surface: &Triangulated, stiffness: f64, charge: f64) -> Self {
        let n = surface.x.len();
        let springs = Springs::of_triangles(&surface.x, &surface.faces, stiffness, 0.0).expect("edges of a surface");
        let mut system = SpringSystem::new(springs, vec![MASS; n], vec![charge; n]).expect("positive masses");
        system.method = Method::Exact;
        Self::of(system, surface.x.clone())
    }

    /// `system` at rest at `x` (m).
    pub(super) fn of(system: SpringSystem, x: Vec<Vec3>) -> Self {
        let v = vec![Vec3::zeros(); x.len()];
        let state = system.state(x, v).expect("vertices are apart");
        Self { system, state }
    }
}

/// Torus of Figs 4, 9 and 16: 145 vertices. The paper prints no radii: 3 m and 0.55 m, which let 6 uC stretch it moderately.
pub(super) fn torus(stiffness: f64, charge: f64) -> Start {
    Start::new(&triangulate::torus([29, 5], 3.0, 0.55), stiffness, charge)
}

/// Closed surface in place of the bunny of Figs 5, 11, 12 and 13, which is not ours: an uneven sphere of 642 vertices, or of
/// 42 if `small`.
pub(super) fn sphere(small: bool, stiffness: f64, charge: f64) -> Start {
    let mut surface = triangulate::sphere(if small { 1 } else { 3 });
    let radius = |x: &Vec3| SPHERE * (1.0 + 0.2 * libm::sin(4.0 * x.x) * libm::cos(3.0 * x.y) + 0.1 * x.z);
    surface.x.iter_mut().for_each(|x| *x *= radius(x));
    Start::new(&surface, stiffness, charge)
}

use std::sync::Arc;

use bdem_core::geometry::mesh::{Mesh, MeshError};
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Vec3, packing};
use bdem_run::mesh::Triangles;

use crate::common::solids::{cube, sphere, together, torus, volume};

fn mesh((corners, faces): &Triangles) -> Result<Mesh, MeshError> {
    Mesh::new(corners, faces)
}

#[test]
fn distances_and_normals_are_those_of_the_solid() {
    let (cuboid, box_mesh) = (Shape::Box { size: [1.0; 3] }, mesh(&cube(1.0)).unwrap());
    let ball = mesh(&sphere(0.5, 150)).unwrap();
    for n in 0..500 {
        let p = Vec3::new(0.7548, 0.5698, 0.4302).map(|step| (f64::from(n) * step).fract() * 2.0 - 1.0);
        assert!((box_mesh.distance(&p) - cuboid.distance(&p)).abs() < 1e-12, "{p}");
        assert!((ball.distance(&p) - (p.norm() - 0.5)).abs() < 5e-4, "{p}");
        let (step, normal) = (1e-6, ball.normal(&p));
        let rise = ball.distance(&(p + normal * step)) - ball.distance(&(p - normal * step));
        assert!((rise / step - 2.0).abs() < 1e-3, "{p}: {rise}");
    }
    assert_eq!(box_mesh.normal(&Vec3::new(0.5, 0.1, 0.2)), Vec3::x());
}

#[test]
fn winding_numbers_are_whole_but_for_what_is_taken_together() {
    let ring = Shape::Torus { radius: 0.6, tube_radius: 0.25 };
    let mesh = mesh(&torus(0.6, 0.25, 200)).unwrap();
    for n in 0..2000 {
        let p = Vec3::new(0.7548, 0.5698, 0.4302).map(|step| (f64::from(n) * step).fract() * 2.0 - 1.0);
        let distance = ring.distance(&p);
        let whole = f64::from(distance < 0.0);
        assert!(
            distance.abs() < 1e-3 || (mesh.winding_number(&p) - whole).abs() < 0.04,
            "{p}: {}",
            mesh.winding_number(&p)
        );
    }
}

#[test]
fn small_holes_and_what_is_no_face_do_no_harm() {
    let (corners, mut faces) = sphere(0.5, 40);
    faces.remove(1000);
    faces.extend([[3, 3, 9], [5, 5, 5]]);
    let torn = Mesh::new(&corners, &faces).unwrap();
    assert!((torn.volume() / volume(&sphere(0.5, 40)) - 1.0).abs() < 0.01);
    assert!(torn.contains(&Vec3::zeros()) && !torn.contains(&Vec3::x()));
    assert_eq!(packing::hexagonal(&Shape::Mesh(Arc::new(torn)), 0.05).len(), {
        let whole = mesh(&sphere(0.5, 40)).unwrap();
        packing::hexagonal(&Shape::Mesh(Arc::new(whole)), 0.05).len()
    });
}

#[test]
fn parts_that_overlap_are_one_solid() {
    let pair = together(cube(1.0), cube(1.0), Vec3::x() * 0.6);
    let shape = Shape::Mesh(Arc::new(mesh(&pair).unwrap()));
    // through both of the faces within, but not out of the solid
    assert!(shape.holds(&Vec3::new(0.3, 0.0, 0.0), 0.49));
    assert!(shape.holds(&Vec3::new(0.45, 0.1, 0.2), 0.29));
    assert!(!shape.holds(&Vec3::new(0.3, 0.1, 0.2), 0.33));
    assert!(!shape.holds(&Vec3::new(-0.4, 0.0, 0.0), 0.2));
    let exact = Shape::Box { size: [1.6, 1.0, 1.0] };
    let (ours, theirs) = (packing::hexagonal(&shape, 0.05).len(), packing::hexagonal(&exact, 0.05).len());
    assert!(ours.abs_diff(theirs) * 100 <= theirs, "{ours} of {theirs}");
}

#[test]
fn what_bounds_no_solid_is_refused() {
    let (corners, faces) = cube(1.0);
    let turned = |face: &[u32; 3]| [face[0], face[2], face[1]];
    let but = |faces: Vec<[u32; 3]>| Mesh::new(&corners, &faces).unwrap_err();
    assert_eq!(but(faces.iter().map(turned).collect()), MeshError::InsideOut);
    assert_eq!(but(faces[2..].to_vec()), MeshError::Open { edges: 4 });
    assert_eq!(but(faces[..2].to_vec()), MeshError::Open { edges: 4 });
    let one_square_turned: Vec<_> = faces[..2].iter().map(turned).chain(faces[2..].iter().copied()).collect();
    assert_eq!(but(one_square_turned), MeshError::Open { edges: 4 });
    assert_eq!(but(faces[..2].iter().map(turned).chain(faces[..2].iter().copied()).collect()), MeshError::Flat);
    assert_eq!(but(vec![]), MeshError::Empty);
    assert_eq!(but(vec![[1, 1, 2]]), MeshError::Empty);
    assert_eq!(but(vec![[0, 1, 2], [0, 8, 2]]), MeshError::OutOfRange { triangle: 1, vertex: 8, vertices: 8 });
    let off = |x: f64| Mesh::new(&[Vec3::zeros(), Vec3::new(0.0, x, 0.0), Vec3::x()], &[[0, 1, 2]]).unwrap_err();
    assert_eq!(
        (off(f64::NAN), off(f64::INFINITY)),
        (MeshError::NotANumber { vertex: 1 }, MeshError::NotANumber { vertex: 1 })
    );
    let bowl = sphere(0.5, 40);
    let half = bowl.1.iter().copied().filter(|face| face.iter().all(|&i| bowl.0[i as usize].z < 1e-9)).collect();
    assert_eq!(mesh(&(bowl.0, half)).unwrap_err(), MeshError::Open { edges: 40 });
}

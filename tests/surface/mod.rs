//! Tests of `crates/pictures/src/surface`.

use std::collections::HashMap;
use std::f64::consts::{PI, SQRT_2};

use bdem_core::fracture::Pieces;
use bdem_core::geometry::packing::hexagonal;
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::simulate::FractureEvent;
use bdem_pictures::surface::{Shapeless, SurfaceMesh, march, march_touching};
use bdem_run::output::ply::{Frame, Vertex};
use bdem_run::scene::Scene;
use rayon::ThreadPoolBuilder;

use crate::common::scenes;

/// Radius of the particles, m.
const RADIUS: f64 = 0.01;

const SOLIDS: [&str; 4] = [
    "shape = { sphere = { radius = 0.1 } }",
    "shape = { sphere = { radius = 0.06 } }",
    "shape = { box = { size = [0.2, 0.2, 0.2] } }\nrotation = { axis = [1.0, 2.0, 3.0], degrees = 25.0 }",
    "shape = { box = { size = [0.3, 0.2, 0.06] } }",
];

/// A scene of `bodies`: the rest of their tables, after name, material and radius.
fn scene(bodies: &[&str]) -> Scene {
    let mut text = r#"
        scene = { name = "test" }
        time = { frame_rate = 100.0, frames = 1 }
        materials.glass = { density = 2500.0, young_modulus = 1e7, poisson_ratio = 0.2 }
    "#
    .to_owned();
    for (i, body) in bodies.iter().enumerate() {
        text += &format!(
            "[[bodies]]\nname = \"body{i}\"\nmaterial = \"glass\"\nparticle_radius = {RADIUS}\npacking = {{ hexagonal = {{ fit = false }} }}\n{body}\n"
        );
    }
    scenes::scene(&text, &[])
}

/// Surfaces around all particles of bodies as they start, of which those bonds broke at 1 s of which `breaks` says so by the
/// places of their ends; and how many particles each piece has, in a frame at `time` (s).
fn surfaces(bodies: &[&str], breaks: impl Fn(&Vec3, &Vec3) -> bool, time: f64) -> (SurfaceMesh, HashMap<i32, usize>) {
    let (world, state) = scenes::built(&scene(bodies));
    let is_broken = |bond: &bdem_core::model::Bond| breaks(&state.p[bond.i as usize], &state.p[bond.j as usize]);
    let event = |bond: &bdem_core::model::Bond| FractureEvent { bond: bond.id, time: 1.0, ..FractureEvent::default() };
    let fractures: Vec<FractureEvent> = world.bonds().iter().filter(|bond| is_broken(bond)).map(event).collect();
    let whole = world.bonds().iter().filter(|bond| time < 1.0 || !is_broken(bond)).map(|bond| [bond.i, bond.j]);
    let pieces = Pieces::new(state.len(), whole).of_particle;
    let vertices: Vec<Vertex> =
        (0..state.len()).map(|i| particle(&state.p[i], &state.q[i], world.particles.radius[i], pieces[i])).collect();
    let mut counts = HashMap::new();
    vertices.iter().for_each(|vertex| *counts.entry(vertex.piece).or_insert(0) += 1);
    let all = (0..state.len() as u32).collect();
    let frame = Frame { vertices, comments: vec![format!("time: {time} s")], ..Frame::default() };
    let mesh = Shapeless::new(&world, &state, all, &fractures).mesh(&frame, &world.particles.body);
    expect_closed(&mesh);
    (mesh, counts)
}

fn whole(bodies: &[&str]) -> (SurfaceMesh, HashMap<i32, usize>) {
    surfaces(bodies, |_, _| false, 0.0)
}

fn particle(p: &Vec3, q: &Quat, radius: f64, piece: u32) -> Vertex {
    let [x, y, z] = [p.x, p.y, p.z].map(|x| x as f32);
    let [orient_x, orient_y, orient_z, orient_w] = [q.i, q.j, q.k, q.w].map(|x| x as f32);
    let (pscale, piece) = (radius as f32, piece as i32);
    Vertex { x, y, z, orient_x, orient_y, orient_z, orient_w, pscale, piece, ..Vertex::default() }
}

/// Fails unless each edge has two triangles, which use it in opposite directions, and no triangle is of two pieces.
fn expect_closed(mesh: &SurfaceMesh) {
    let mut edges = HashMap::new();
    for triangle in &mesh.triangles {
        for k in 0..3 {
            *edges.entry((triangle[k], triangle[(k + 1) % 3])).or_insert(0) += 1;
        }
        let pieces = triangle.map(|i| mesh.corners[i as usize].piece);
        assert!(pieces[0] == pieces[1] && pieces[1] == pieces[2], "{triangle:?} is of {pieces:?}");
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "edge from {a} to {b}");
    }
}

/// The volume (m3) of each piece, by the divergence theorem.
fn volumes(mesh: &SurfaceMesh) -> HashMap<i32, f64> {
    let place = |i: u32| {
        let corner = &mesh.corners[i as usize];
        Vec3::new(corner.x.into(), corner.y.into(), corner.z.into())
    };
    let mut volumes = HashMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(place);
        *volumes.entry(mesh.corners[triangle[0] as usize].piece).or_insert(0.0) += a.dot(&b.cross(&c)) / 6.0;
    }
    volumes
}

/// A particle's share of a hexagonal packing, m3.
fn share() -> f64 {
    4.0 * SQRT_2 * RADIUS.powi(3)
}

/// Error of the volume of a body that is whole, over that of its particles' shares.
fn volume_error(body: &str) -> f64 {
    let (mesh, counts) = whole(&[body]);
    let volumes = volumes(&mesh);
    assert_eq!(volumes.len(), 1, "{body}");
    volumes[&0] / (counts[&0] as f64 * share()) - 1.0
}

#[test]
fn solids_have_their_particles_volume() {
    for body in SOLIDS {
        let error = volume_error(body);
        assert!(error.abs() < 0.04, "{body}: {error}");
    }
}

/// Cubes of half a radius cut some 12 % off a ball, of which the skins make up 5.
#[test]
fn thin_ones_have_it_too() {
    let sheet = "shape = { box = { size = [0.4, 0.4, 0.0201] } }";
    let file = "shape = { box = { size = [0.4, 0.0201, 0.0201] } }";
    let alone = "shape = { sphere = { radius = 0.0101 } }";
    for body in [sheet, file, alone] {
        let error = volume_error(body);
        assert!(error.abs() < 0.08, "{body}: {error}");
    }
}

#[test]
fn bodies_that_touch_stay_apart() {
    let left = "shape = { sphere = { radius = 0.05 } }";
    for gap in [0.0, 0.1] {
        let right = format!("{left}\nposition = [{}, 0.0, 0.0]", 0.1 * (1.0 + gap));
        let (mesh, _) = whole(&[left, &right]);
        let bodies: Vec<u16> = (0..mesh.triangles.len()).map(|k| mesh.face(k).body).collect();
        assert!(bodies.contains(&0) && bodies.contains(&1));
        let volumes: Vec<f64> = volumes(&mesh).into_values().collect();
        assert_eq!(volumes.len(), 2);
        assert!((volumes[0] / volumes[1] - 1.0).abs() < 0.02, "{volumes:?}");
    }
}

/// Bonds hold until they break, and then each piece has a surface of its own.
#[test]
fn pieces_have_their_volume_each_once_they_part() {
    let cut = |a: &Vec3, b: &Vec3| (a.x < 1e-6) != (b.x < 1e-6);
    for (time, pieces) in [(0.5, 1), (1.0, 2)] {
        let (mesh, counts) = surfaces(&SOLIDS[3..], cut, time);
        let volumes = volumes(&mesh);
        assert_eq!((counts.len(), volumes.len()), (pieces, pieces));
        for (piece, count) in counts {
            let error = volumes[&piece] / (count as f64 * share()) - 1.0;
            assert!(error.abs() < 0.05, "a piece of {count}: {error}");
        }
    }
}

/// A link of five radii is a capsule: a cylinder as thick as a file of particles, with round ends.
#[test]
fn links_are_capsules() {
    let length = 5.0 * RADIUS;
    let ends = [Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0).normalize() * length];
    let mut particles = ends.map(|p| particle(&p, &Quat::identity(), RADIUS, 0));
    particles[1].vx = 3.0;
    let mesh = march(&particles, &[0, 1], &[[0, 1]], &[]);
    expect_closed(&mesh);
    // the skin of a particle with one link
    let skin = 0.5 * (1.125 + 0.975) * RADIUS;
    let volume = PI * skin * skin * (length + 4.0 / 3.0 * skin);
    // chords of cubes of half a radius: (h / R)^2 / 4 of what is round
    assert!((volumes(&mesh)[&0] / volume - 1.0).abs() < 0.07, "{:?} of {volume}", volumes(&mesh));
    for corner in &mesh.corners {
        let along = Vec3::new(corner.x.into(), corner.y.into(), corner.z.into()).dot(&ends[1]) / (length * length);
        assert!((f64::from(corner.vx) - 3.0 * along.clamp(0.0, 1.0)).abs() < 1e-4, "{corner:?}");
    }
}

#[test]
fn particles_of_unknown_origin_are_meshed_where_they_touch() {
    let ball = hexagonal(&Shape::Sphere { radius: 0.08 }, RADIUS);
    let count = ball.len() as f64;
    let other = ball.iter().map(|p| p + Vec3::x() * 0.3);
    let mut particles: Vec<_> =
        ball.iter().copied().chain(other).map(|p| particle(&p, &Quat::identity(), RADIUS, 0)).collect();
    for (i, particle) in particles.iter_mut().enumerate() {
        particle.charge = if i < ball.len() { -2e-6 } else { 1e-6 };
    }
    let mesh = march_touching(&mut particles, false).expect("they are valid");
    expect_closed(&mesh);
    let charge = |piece: i32| if piece == 0 { -2e-6 } else { 1e-6 };
    assert!(mesh.corners.iter().all(|corner| (corner.charge - charge(corner.piece)).abs() < 1e-12));
    let volumes = volumes(&mesh);
    assert_eq!(volumes.len(), 2);
    assert!(volumes.values().all(|volume| (volume / (count * share()) - 1.0).abs() < 0.04), "{volumes:?}");
}

#[test]
fn threads_change_no_bit() {
    let cut = || surfaces(&SOLIDS[2..3], |a, b| a.x * b.x < 0.0, 1.0).0;
    let on = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(cut);
    assert_eq!(on(1), on(2));
}

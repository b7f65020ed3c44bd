//! Tests of `crates/pictures/src/surface`.

mod body;
mod cracks;
mod foreign;
mod outer;

use std::collections::{BTreeSet, HashMap};
use std::f64::consts::SQRT_2;
use std::path::Path;

use bdem_core::fracture::Pieces;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{State, World};
use bdem_pictures::surface::{Rest, SurfaceMesh, SurfaceMesher};
use bdem_run::output::ply::Vertex;
use bdem_run::scene::Scene;

/// Radius of the particles, m.
const RADIUS: f64 = 0.01;

/// What a scene of bodies becomes; see [`scene`].
fn build(bodies: &[&str]) -> (World, State) {
    scene(bodies).build().unwrap_or_else(|e| panic!("{e}"))
}

/// A scene of `bodies`: the rest of their tables, after name, material and radius.
fn scene(bodies: &[&str]) -> Scene {
    let mut text = r#"
        scene = { name = "test" }
        time = { frame_rate = 100.0, frames = 1 }
        materials.glass = { density = 2500.0, young_modulus = 1e7, poisson_ratio = 0.2 }
    "#
    .to_owned();
    for (i, body) in bodies.iter().enumerate() {
        text += &format!("[[bodies]]\nname = \"body{i}\"\nmaterial = \"glass\"\nparticle_radius = {RADIUS}\n{body}\n");
    }
    Scene::parse(Path::new("test.toml"), &text, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// A frame of particles that have moved since the start: broken bonds, and where everything is.
struct Broken {
    rest: Rest,
    particles: Vec<Vertex>,
    bonds: BTreeSet<u32>,
}

impl Broken {
    /// As it starts, but for the bonds that `breaks` says of where they are.
    fn new(bodies: &[&str], breaks: impl Fn(&Vec3, &Vec3) -> bool) -> Self {
        let (world, state) = build(bodies);
        let ends = |ends: [u32; 2]| ends.map(|i| state.p[i as usize]);
        let broken = |bond: &&bdem_core::model::Bond| {
            let [a, b] = ends([bond.i, bond.j]);
            breaks(&a, &b)
        };
        let bonds: BTreeSet<u32> = world.bonds().iter().filter(broken).map(|bond| bond.id).collect();
        let whole = world.bonds().iter().filter(|bond| !bonds.contains(&bond.id)).map(|bond| [bond.i, bond.j]);
        let pieces = Pieces::new(state.len(), whole).of_particle;
        let particle = |i: usize| particle(&state.p[i], &state.q[i], world.particles.radius[i], pieces[i]);
        let particles = (0..state.len()).map(particle).collect();
        Self { rest: Rest::of(&world, &state), particles, bonds }
    }

    /// Moves the particles that are `chosen` at rest.
    fn shift(mut self, chosen: impl Fn(&Vec3) -> bool, by: Vec3) -> Self {
        for (particle, _) in self.particles.iter_mut().zip(&self.rest.p).filter(|(_, p)| chosen(p)) {
            particle.x += by.x as f32;
            particle.y += by.y as f32;
            particle.z += by.z as f32;
        }
        self
    }

    fn surface(&self) -> SurfaceMesh {
        self.surface_at(RESOLUTION)
    }

    /// With cubes of `resolution` radii.
    fn surface_at(&self, resolution: f64) -> SurfaceMesh {
        let body = SurfaceMesher::new(self.rest.clone(), resolution);
        let mesh = body.surface(&self.particles, |bond| self.bonds.contains(&bond));
        expect_closed(&mesh);
        mesh
    }

    /// How many particles each piece has.
    fn pieces(&self) -> HashMap<i32, usize> {
        let mut pieces = HashMap::new();
        self.particles.iter().for_each(|particle| *pieces.entry(particle.piece).or_insert(0) += 1);
        pieces
    }
}

/// Cubes over radius.
const RESOLUTION: f64 = 0.6;

fn particle(p: &Vec3, q: &Quat, radius: f64, piece: u32) -> Vertex {
    let [x, y, z] = [p.x, p.y, p.z].map(|x| x as f32);
    let [orient_x, orient_y, orient_z, orient_w] = [q.i, q.j, q.k, q.w].map(|x| x as f32);
    Vertex {
        x,
        y,
        z,
        orient_x,
        orient_y,
        orient_z,
        orient_w,
        pscale: radius as f32,
        piece: piece as i32,
        ..Vertex::default()
    }
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

fn place(mesh: &SurfaceMesh, i: u32) -> Vec3 {
    let corner = &mesh.corners[i as usize];
    Vec3::new(corner.x.into(), corner.y.into(), corner.z.into())
}

/// The volume (m3) of each piece, by the divergence theorem.
fn volumes(mesh: &SurfaceMesh) -> HashMap<i32, f64> {
    let mut volumes = HashMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|i| place(mesh, i));
        *volumes.entry(mesh.corners[triangle[0] as usize].piece).or_insert(0.0) += a.dot(&b.cross(&c)) / 6.0;
    }
    volumes
}

/// A particle's share of a hexagonal packing, m3.
fn share() -> f64 {
    4.0 * SQRT_2 * RADIUS.powi(3)
}

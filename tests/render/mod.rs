//! Tests of `crates/pictures/src/render`, which look at pixels.

mod animation;
mod camera;
mod colours;
mod floor;
mod kept;
mod shade;
mod sheet;
mod studio;
mod surface;
mod wall;

use bdem_core::geometry::Vec3;
use bdem_pictures::pieces::ColliderMesh;
use bdem_pictures::render::{Camera, ColourBy, ColourScale, Floor, Lens, Look, Margins, Picture, Size, balls};
use bdem_pictures::surface::{SurfaceMesh, march_touching};
use bdem_run::output::ply::{Frame, Vertex};

use crate::common::scenes::scene;

const SIZE: Size = Size { width: 160, height: 120 };
const LENS: Lens = Lens { field_of_view: 30.0, size: SIZE };
const MARGINS: Margins = Margins { top: 20.0, bottom: 10.0, sides: 15.0 };

fn vertex(place: [f32; 3], pscale: f32, piece: i32) -> Vertex {
    let [x, y, z] = place;
    Vertex { x, y, z, pscale, piece, ..Vertex::default() }
}

fn frame(vertices: Vec<Vertex>) -> Frame {
    Frame { vertices, ..Frame::default() }
}

/// Colliders that are shown of a scene with these `[[colliders]]` and a grain.
pub(crate) fn colliders(text: &str) -> Vec<ColliderMesh> {
    let grain = r#"
        scene = { name = "test" }
        time = { frame_rate = 100.0, frames = 1 }
        materials.glass = { density = 2500.0, young_modulus = 1e7, poisson_ratio = 0.2 }
        [[bodies]]
        name = "grain"
        material = "glass"
        particle_radius = 0.01
        shape = { sphere = { radius = 0.0101 } }
    "#;
    ColliderMesh::all(&scene(&format!("{grain}{text}"), &[]))
}

/// A look at frames through `camera`, with no floor.
fn look(camera: Camera) -> Look {
    let scale = ColourScale { low: 0.0, high: 1.0 };
    Look {
        camera,
        up: Vec3::z(),
        floor: None,
        colliders: Vec::new(),
        colour: ColourBy::Piece,
        scale,
        looks: Vec::new(),
    }
}

/// A look at all of `frame`.
fn look_at(frame: &Frame) -> Look {
    look(Camera::around(balls(frame).iter(), &Vec3::z(), &LENS, &MARGINS))
}

fn floor_at(offset: f64) -> Option<Floor> {
    Some(Floor { normal: Vec3::z(), offset })
}

/// 3 x 3 x 2 balls in two pieces on a floor, and a single one above it.
fn crumbs() -> Frame {
    let cell = |i: usize| {
        let [x, y, z] = [i % 3, i / 3 % 3, i / 9].map(|x| 0.02 * x as f32 + 0.01);
        let piece = if x < 0.04 { 0 } else { 2 };
        Vertex { damage: 0.1 * (i % 10) as f32, ..vertex([x, y, z], 0.01, piece) }
    };
    frame((0..18).map(cell).chain([vertex([0.0, -0.02, 0.06], 0.01, 18)]).collect())
}

/// The surfaces of what touches in a frame.
fn surface_of(frame: &Frame) -> SurfaceMesh {
    march_touching(&mut frame.vertices.clone(), true).expect("they are valid")
}

fn is_backdrop(pixel: [u8; 3], picture: &Picture) -> bool {
    // what is seen of nothing lies in the corner
    Some(pixel) == picture.pixel(0, 0)
}

/// Columns and rows, first and last, of all that is not backdrop.
fn extent(picture: &Picture) -> Option<([u32; 2], [u32; 2])> {
    let width = picture.size().width as usize;
    let drawn = picture.pixels().iter().enumerate().filter(|(_, pixel)| !is_backdrop(**pixel, picture));
    drawn.fold(None, |extent, (i, _)| {
        let (x, y) = ((i % width) as u32, (i / width) as u32);
        let ([left, right], [top, bottom]) = extent.unwrap_or(([x, x], [y, y]));
        Some(([left.min(x), right.max(x)], [top.min(y), bottom.max(y)]))
    })
}

/// Red, green and blue together.
fn brightness([red, green, blue]: [u8; 3]) -> u32 {
    u32::from(red) + u32::from(green) + u32::from(blue)
}

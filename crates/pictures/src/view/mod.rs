//! Frames as one HTML page, which any browser plays from a disk without a network. `page.html` is its template.
//!
//! ```text
//! pack    compact form of frames
//! wall    colliders
//! rigid   pieces that do not bend, at rest and their poses
//! ```

mod collider;
mod pack;
mod rigid;

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bdem_core::geometry::Vec3;
use bdem_run::output::ply::{Frame, Vertex};
use bdem_run::scene;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::render::{Ball, Floor, srgb};
use crate::surface::SurfaceMesh;

pub use collider::Collider;
use pack::{Mesher, Point};
pub use rigid::{RestPieces, RigidPiece};

const PAGE: &str = include_str!("page.html");

/// Common properties of all frames, as the page reads them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scope {
    /// Name of the run.
    pub name: String,
    /// Number of particles.
    pub particles: usize,
    /// Whether surfaces are shown in place of particles.
    pub surface: bool,
    /// Lowest corner of the box around all positions of all frames, m.
    pub low: [f32; 3],
    /// Size of that box, m. Until [`close`](Self::close) its upper corner.
    pub size: [f32; 3],
    /// Index of the axis that is up.
    pub up: usize,
    /// Numbers and times of the frames, in the order of the page.
    pub frames: Vec<Moment>,
    /// Ranges of the colour bars.
    pub ranges: Ranges,
    /// Floor. That of the frames is below their lowest particle.
    pub floor: Option<Floor>,
    /// Pieces that do not bend. None where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestPieces>,
    /// Colliders on the page.
    pub colliders: Vec<Collider>,
    /// Colours of looks, red, green and blue from 0 to 1: those of each body's outside and inside. Empty where none are known.
    pub looks: Vec<[f32; 3]>,
}

/// Number and time (s) of a frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Moment {
    /// Number of the frame.
    pub number: u32,
    /// Time, s.
    pub time: f64,
}

/// Ranges of the properties, from zero to the maximum of all frames. That of charges is symmetric about zero.
#[derive(Clone, Debug, Serialize)]
pub struct Ranges {
    /// Range of damage: the broken share of a particle's first bonds.
    pub damage: Range,
    /// Range of the largest sigma over a particle's bonds, Pa.
    pub stress: Range,
    /// Range of the speed, m/s.
    pub speed: Range,
    /// None where the particles have no charges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charge: Option<Range>,
}

/// Range of a property.
#[derive(Clone, Debug, Serialize)]
pub struct Range {
    /// Name and unit of the property.
    pub what: &'static str,
    /// Smallest value.
    pub least: f32,
    /// Largest value.
    pub most: f32,
}

impl Range {
    /// Range of a property that no particle has yet.
    fn of(what: &'static str) -> Self {
        Self { what, least: 0.0, most: 0.0 }
    }

    fn extend(&mut self, value: f32) {
        self.most = self.most.max(value);
    }

    fn extend_both(&mut self, value: f32) {
        self.extend(value.abs());
        self.least = -self.most;
    }
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            damage: Range { most: 1.0, ..Range::of("broken share of the bonds") },
            stress: Range::of("stress, Pa"),
            speed: Range::of("speed, m/s"),
            charge: None,
        }
    }
}

impl Scope {
    /// Sets the looks of the bodies.
    pub fn set_looks(&mut self, looks: &[scene::Look]) {
        let shown = looks.iter().flat_map(|look| [look.outside, look.inside]);
        self.looks = shown.take(pack::MAX_LOOKS).map(|colour| colour.map(|part| srgb(part as f32))).collect();
    }

    /// Extend the scope by a frame, with its number and time in `moment`.
    ///
    /// # Errors
    /// When the number of particles differs from that of earlier frames.
    pub fn add_frame(&mut self, frame: &Frame, moment: Moment) -> Result<(), String> {
        let vertices = &frame.vertices;
        if self.frames.is_empty() {
            (self.particles, self.low) = (vertices.len(), [f32::INFINITY; 3]);
            self.size = [f32::NEG_INFINITY; 3];
            self.up = ["x", "y", "z"].iter().position(|axis| frame.comment("up axis") == Some(axis)).unwrap_or(2);
            self.floor = Some(Floor { normal: Vec3::ith(self.up, 1.0), offset: f64::INFINITY });
        }
        if vertices.len() != self.particles {
            return Err(format!(
                "frame {} has {} particles, but the first has {}",
                moment.number,
                vertices.len(),
                self.particles
            ));
        }
        if frame.has_charge {
            self.ranges.charge.get_or_insert(Range::of("charge, C"));
        }
        for vertex in vertices {
            let reach = if self.surface { SKIN * vertex.pscale } else { 0.0 };
            for (k, x) in [vertex.x, vertex.y, vertex.z].into_iter().enumerate() {
                (self.low[k], self.size[k]) = (self.low[k].min(x - reach), self.size[k].max(x + reach));
            }
            if let Some(floor) = &mut self.floor {
                floor.offset = floor.offset.min(Ball::from(vertex).bottom(&floor.normal));
            }
            self.ranges.stress.extend(vertex.stress);
            self.ranges.speed.extend(Point::from(vertex).speed);
            self.ranges.charge.iter_mut().for_each(|charge| charge.extend_both(vertex.charge));
        }
        self.frames.push(moment);
        Ok(())
    }

    /// End of the frames: the upper corner in `size` becomes the size.
    pub fn close(&mut self) {
        let least = f32::MIN_POSITIVE;
        (0..3).for_each(|k| self.size[k] = (self.size[k] - self.low[k]).max(least));
    }
}

/// Greatest distance of surfaces from particles' centres, in radii.
const SKIN: f32 = 1.5;

/// Content of a frame on the page.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Particles as balls.
    Particles(Frame),
    /// Surfaces of the pieces.
    Surface(SurfaceMesh),
    /// Poses of all pieces, and surfaces of those that bend.
    Pieces(Vec<RigidPiece>, SurfaceMesh),
}

/// Write the page. `frame` returns the content of the frames in `scope`, by their index.
///
/// # Errors
/// When the file cannot be written, or a frame cannot be read.
pub fn write_page(
    out: &mut impl Write,
    scope: &Scope,
    mut frame: impl FnMut(usize) -> io::Result<Shown>,
) -> io::Result<()> {
    let (head, rest) = PAGE.split_once("{{RUN}}").expect("the page has a place for it");
    let (middle, tail) = rest.split_once("{{FRAMES}}").expect("the page has a place for them");
    // a name that closes a script would close this one
    let run = serde_json::to_string(scope)?.replace('<', "\\u003c");
    write!(out, "{head}{run}{middle}")?;
    if let Some(rest) = &scope.rest {
        write_data(out, "framerest", &rest.bytes(scope))?;
    }
    let mut mesher = Mesher::default();
    for k in 0..scope.frames.len() {
        let bytes = match frame(k)? {
            Shown::Particles(frame) => {
                if k == 0 {
                    write_data(out, "radii", &radii(&frame.vertices))?;
                }
                scope.pack(frame.vertices.iter().map(Point::from))
            }
            Shown::Surface(mesh) => mesher.pack(scope, k as u32, &mesh),
            Shown::Pieces(pieces, bent) => {
                let mut bytes = rigid::pack(&pieces);
                if !bent.triangles.is_empty() {
                    bytes.extend(mesher.pack(scope, k as u32, &bent));
                }
                bytes
            }
        };
        write_data(out, &format!("frame{k}"), &bytes)?;
    }
    for (k, collider) in scope.colliders.iter().enumerate() {
        write_data(out, &format!("collider{k}"), &collider.bytes())?;
    }
    out.write_all(tail.as_bytes())
}

fn radii(vertices: &[Vertex]) -> Vec<u8> {
    vertices.iter().flat_map(|vertex| vertex.pscale.to_le_bytes()).collect()
}

fn write_data(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    let text = STANDARD.encode(packed.finish()?);
    writeln!(out, "<script id=\"{id}\" type=\"application/octet-stream\">{text}</script>")
}

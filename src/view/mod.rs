//! Frames as one HTML file that any browser plays, from a disk and without a network: `page.html` around what it shows.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::output::ply::{Frame, Vertex};

const PAGE: &str = include_str!("page.html");

/// What all frames have in common, as the page reads it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scope {
    /// The run's.
    pub name: String,
    pub particles: usize,
    /// The corner of the box around all particles of all frames, and how far it goes, m.
    pub low: [f32; 3],
    pub size: [f32; 3],
    /// Which axis is up.
    pub up: usize,
    pub frames: Vec<Moment>,
    pub ranges: Ranges,
}

/// A frame's number and time, s.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Moment {
    pub number: u32,
    pub time: f64,
}

/// From zero to the most of all frames.
#[derive(Clone, Debug, Serialize)]
pub struct Ranges {
    pub damage: Range,
    pub stress: Range,
    pub speed: Range,
}

#[derive(Clone, Debug, Serialize)]
pub struct Range {
    pub what: &'static str,
    pub most: f32,
}

impl Default for Ranges {
    fn default() -> Self {
        let range = |what| Range { what, most: 0.0 };
        Self {
            damage: Range { what: "broken share of the bonds", most: 1.0 },
            stress: range("stress, Pa"),
            speed: range("speed, m/s"),
        }
    }
}

impl Scope {
    /// Makes room for a frame. `moment` says when it is.
    ///
    /// # Errors
    /// When it has not as many particles as those before.
    pub fn take_in(&mut self, frame: &Frame, moment: Moment) -> Result<(), String> {
        let vertices = &frame.vertices;
        if self.frames.is_empty() {
            (self.particles, self.low) = (vertices.len(), [f32::INFINITY; 3]);
            self.size = [f32::NEG_INFINITY; 3];
            self.up = ["x", "y", "z"].iter().position(|axis| frame.comment("up axis") == Some(axis)).unwrap_or(2);
        }
        if vertices.len() != self.particles {
            return Err(format!(
                "frame {} has {} particles, and the first has {}",
                moment.number,
                vertices.len(),
                self.particles
            ));
        }
        for vertex in vertices {
            for (k, x) in [vertex.x, vertex.y, vertex.z].into_iter().enumerate() {
                (self.low[k], self.size[k]) = (self.low[k].min(x), self.size[k].max(x));
            }
            self.ranges.stress.most = self.ranges.stress.most.max(vertex.stress);
            self.ranges.speed.most = self.ranges.speed.most.max(speed(vertex));
        }
        self.frames.push(moment);
        Ok(())
    }

    /// All frames have been taken in: `size`, which was the other corner until now, becomes one.
    pub fn close(&mut self) {
        let least = f32::MIN_POSITIVE;
        (0..3).for_each(|k| self.size[k] = (self.size[k] - self.low[k]).max(least));
    }

    /// A frame in few bytes: for all particles the places (16 bits each), then the numbers of their pieces (16 bits), damage,
    /// stress and speed (8 bits).
    fn pack(&self, frame: &Frame) -> Vec<u8> {
        let vertices = &frame.vertices;
        let share = |x: f32, most: f32| if most > 0.0 { (x / most).clamp(0.0, 1.0) } else { 0.0 };
        let place = |v: &Vertex| {
            let p = [v.x, v.y, v.z];
            [0, 1, 2].map(|k| (65535.0 * share(p[k] - self.low[k], self.size[k])).round() as u16)
        };
        let mut bytes: Vec<u8> = vertices.iter().flat_map(place).flat_map(u16::to_le_bytes).collect();
        // a prime, so that numbers which are alike in their last bits are not alike here
        bytes.extend(vertices.iter().flat_map(|v| ((v.piece.unsigned_abs() % 65521) as u16).to_le_bytes()));
        let byte = |x: f32, most: f32| (255.0 * share(x, most)).round() as u8;
        let ranges = &self.ranges;
        bytes.extend(vertices.iter().map(|v| byte(v.damage, ranges.damage.most)));
        bytes.extend(vertices.iter().map(|v| byte(v.stress, ranges.stress.most)));
        bytes.extend(vertices.iter().map(|v| byte(speed(v), ranges.speed.most)));
        bytes
    }
}

fn speed(vertex: &Vertex) -> f32 {
    nalgebra::Vector3::new(vertex.vx, vertex.vy, vertex.vz).norm()
}

/// Writes the page; `frame` gives the frames that `scope` has taken in, by their place in it.
///
/// # Errors
/// When the disk refuses, or a frame cannot be had.
pub fn write_page(
    out: &mut impl Write,
    scope: &Scope,
    mut frame: impl FnMut(usize) -> io::Result<Frame>,
) -> io::Result<()> {
    let (head, rest) = PAGE.split_once("{{RUN}}").expect("the page has a place for it");
    let (middle, tail) = rest.split_once("{{FRAMES}}").expect("the page has a place for them");
    // what closes a script in a name would close this one
    let run = serde_json::to_string(scope)?.replace('<', "\\u003c");
    write!(out, "{head}{run}{middle}")?;
    for k in 0..scope.frames.len() {
        let frame = frame(k)?;
        if k == 0 {
            let radii: Vec<u8> = frame.vertices.iter().flat_map(|v| v.pscale.to_le_bytes()).collect();
            write_data(out, "radii", &radii)?;
        }
        write_data(out, &format!("frame{k}"), &scope.pack(&frame))?;
    }
    out.write_all(tail.as_bytes())
}

fn write_data(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    let text = STANDARD.encode(packed.finish()?);
    writeln!(out, "<script id=\"{id}\" type=\"application/octet-stream\">{text}</script>")
}

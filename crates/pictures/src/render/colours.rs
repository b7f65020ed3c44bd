use std::collections::BTreeMap;

use bdem_core::geometry::keyed::mix;
use bdem_run::output::ply::{Frame, Vertex};
use bdem_run::scene;

use crate::surface::{Corner, Face, SurfaceMesh};

use super::subject::{Coat, Skin};

/// Red, green and blue, each from 0 to 1, linear in light.
pub(super) type Rgb = [f32; 3];

/// Quantity shown by the colour of a particle or of a surface.
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Piece; the largest is grey
    #[default]
    Piece,
    /// Broken share of a particle's first bonds
    Damage,
    /// Greatest stress of a particle's bonds
    Stress,
    /// Speed
    Speed,
    /// Electric charge
    Charge,
    /// Outer surface or crack, of surfaces
    Face,
    /// One colour
    Plain,
    /// Looks of the materials, of cut pieces
    Look,
}

impl ColourBy {
    /// Value of the quantity, where it has one.
    pub fn value(self, vertex: &Vertex) -> Option<f32> {
        match self {
            Self::Piece | Self::Face | Self::Plain | Self::Look => None,
            Self::Damage => Some(vertex.damage),
            Self::Stress => Some(vertex.stress),
            Self::Charge => Some(vertex.charge),
            Self::Speed => {
                let [x, y, z] = [vertex.vx, vertex.vy, vertex.vz].map(f64::from);
                Some((x * x + y * y + z * z).sqrt() as f32)
            }
        }
    }
}

/// Range of the colour bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourScale {
    /// Lower end, in the unit of the quantity.
    pub low: f64,
    /// Upper end, in the unit of the quantity.
    pub high: f64,
}

impl ColourScale {
    /// Range from 0 to the 99th percentile of the particles in these frames, in two digits; for damage, to 1. That of charges
    /// begins at the opposite of its end: their sign may change in other frames.
    pub fn of<'a>(colour: ColourBy, frames: impl Iterator<Item = &'a Frame>) -> Self {
        if colour == ColourBy::Damage {
            return Self { low: 0.0, high: 1.0 };
        }
        let highest = frames.map(|frame| exceeded_by_few(colour, frame)).fold(0.0, f64::max);
        let high = if highest > 0.0 { two_digits(highest) } else { 1.0 };
        Self { low: if colour == ColourBy::Charge { -high } else { 0.0 }, high }
    }

    /// Position on the colour bar, from 0 at the low end to 1 at the high end.
    fn share(&self, value: f32) -> f64 {
        let share = (f64::from(value) - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Colour at a position of the colour bar, from 0 to 1. A range symmetric about zero goes from blue over white to red:
    /// RdBu (C. Brewer, M. Harrower). Others have viridis (S. van der Walt, N. Smith), which is perceptually uniform.
    pub(super) fn colour(&self, share: f64) -> Rgb {
        let colour = if self.low == -self.high {
            colorous::RED_BLUE.eval_continuous(1.0 - share)
        } else {
            colorous::VIRIDIS.eval_continuous(share)
        };
        colour.as_array().map(|byte| linear(f32::from(byte) / 255.0))
    }
}

fn exceeded_by_few(colour: ColourBy, frame: &Frame) -> f64 {
    let values = frame.vertices.iter().filter_map(|vertex| colour.value(vertex));
    let mut values: Vec<f32> = values.map(f32::abs).collect();
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f32::total_cmp);
    let few = values.len() / 100;
    values.iter().rev().nth(few).copied().unwrap_or(0.0).into()
}

/// Least number of two digits that is not below `value`, which is above 0.
fn two_digits(value: f64) -> f64 {
    let digit = libm::pow(10.0, libm::log10(value).floor() - 1.0);
    (value / digit - 1e-9).ceil() * digit
}

/// Colours of particles and surfaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Painter<'a> {
    colour: ColourBy,
    scale: ColourScale,
    /// Look of each body's material.
    looks: &'a [scene::Look],
    /// Piece with the most particles.
    largest: Option<i32>,
}

impl<'a> Painter<'a> {
    pub(super) fn new(colour: ColourBy, scale: ColourScale, looks: &'a [scene::Look], frame: &Frame) -> Self {
        Self { colour, scale, looks, largest: largest_piece(frame) }
    }

    /// Skin of each particle of a frame.
    pub(super) fn particles(&self, frame: &Frame) -> Vec<Skin> {
        frame.vertices.iter().map(|vertex| self.skin(vertex)).collect()
    }

    /// Skin of each vertex of a mesh.
    pub(super) fn corners(&self, mesh: &SurfaceMesh) -> Vec<Skin> {
        mesh.corners.iter().map(|corner| self.corner(corner)).collect()
    }

    /// Coat of each triangle of a mesh. Empty where the vertices' count.
    pub(super) fn faces(&self, mesh: &SurfaceMesh) -> Vec<Coat> {
        let coat = |face: Face| match self.colour {
            ColourBy::Look => self.coat(face),
            _ => Coat { colour: if face.is_crack { CRACK } else { NEUTRAL }, ..Coat::default() },
        };
        let are_coated = matches!(self.colour, ColourBy::Face | ColourBy::Look);
        let triangles = if are_coated { mesh.triangles.len() } else { 0 };
        (0..triangles).map(|k| coat(mesh.face(k))).collect()
    }

    /// Skin of a crumb of a body: that of the body's inside.
    pub(super) fn crumb(&self, vertex: &Vertex, body: u16) -> Skin {
        match self.colour {
            ColourBy::Look => {
                Skin { coat: self.coat(Face { is_crack: true, body, ..Face::default() }), piece: vertex.piece }
            }
            _ => self.skin(vertex),
        }
    }

    /// Coat of a face by its material's look.
    fn coat(&self, face: Face) -> Coat {
        /// Roughness of which the gloss is the usual one.
        const USUAL: f64 = 0.5;
        let look = self.looks.get(usize::from(face.body)).copied().unwrap_or_default();
        let (colour, roughness) =
            if face.is_crack { (look.inside, scene::Look::INSIDE_ROUGHNESS) } else { (look.outside, look.roughness) };
        Coat { colour: colour.map(|part| part as f32), gloss: (1.0 - roughness) / USUAL }
    }

    fn corner(&self, corner: &Corner) -> Skin {
        let Corner { vx, vy, vz, damage, piece, charge, .. } = *corner;
        self.skin(&Vertex { vx, vy, vz, damage, piece, charge, ..Vertex::default() })
    }

    fn skin(&self, vertex: &Vertex) -> Skin {
        let is_other = self.colour == ColourBy::Piece && Some(vertex.piece) != self.largest;
        let colour = match self.colour.value(vertex) {
            Some(value) => self.scale.colour(self.scale.share(value)),
            None if is_other => of_piece(vertex.piece),
            None => NEUTRAL,
        };
        Skin { coat: Coat { colour, ..Coat::default() }, piece: vertex.piece }
    }
}

/// Colour without a meaning.
pub(super) const NEUTRAL: Rgb = [0.62, 0.57, 0.50];

/// Colour of cracks.
pub(super) const CRACK: Rgb = [0.66, 0.16, 0.07];

/// Piece with the most particles; of several, the least.
fn largest_piece(frame: &Frame) -> Option<i32> {
    let mut sizes: BTreeMap<i32, usize> = BTreeMap::new();
    frame.vertices.iter().for_each(|vertex| *sizes.entry(vertex.piece).or_default() += 1);
    sizes.into_iter().max_by_key(|(piece, size)| (*size, std::cmp::Reverse(*piece))).map(|(piece, _)| piece)
}

/// Colour of a piece, independent of the other pieces: a pseudorandom hue, and one of three lightnesses.
fn of_piece(piece: i32) -> Rgb {
    let bits = mix(piece as u64);
    let share = (bits >> 32) as f64 / (1_u64 << 32) as f64;
    vivid([0.62, 0.70, 0.78][(bits % 3) as usize], share)
}

/// Colour at a position of the colour wheel, from 0 to 1, with this lightness.
pub(super) fn vivid(lightness: f64, share: f64) -> Rgb {
    oklch(lightness, 0.14, std::f64::consts::TAU * share)
}

/// Linear light of a colour in Oklab (B. Ottosson, 2020), by lightness, chroma and hue (rad); clipped.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (a, b) = (chroma * libm::cos(hue), chroma * libm::sin(hue));
    let cubed = |x: f64| x * x * x;
    let l = cubed(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cubed(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cubed(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
    .map(|x| x.clamp(0.0, 1.0) as f32)
}

/// Linear light of an sRGB value (IEC 61966-2-1).
pub(super) fn linear(srgb: f32) -> f32 {
    if srgb <= 0.040_45 { srgb / 12.92 } else { libm::powf((srgb + 0.055) / 1.055, 2.4) }
}

/// sRGB value of linear light.
pub(crate) fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}

use std::collections::HashSet;

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::Frame;
use rayon::prelude::*;

use crate::surface::SurfaceMesh;

use super::colours::{Painter, Rgb};
use super::facets::Facets;
use super::raster::{Hit, draw};
use super::view::View;
use super::{Ball, balls};

/// Subject of a picture. Its things are numbered: first balls, then facets, then those of walls.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    balls: Vec<Ball>,
    /// The balls as they are drawn: all but the first of several in nearly one place have no radius.
    drawn: Vec<Ball>,
    facets: Facets,
    /// Skins of the balls, then of the facets' vertices.
    skins: Vec<Skin>,
    /// Coats of the facets. Empty where their vertices' are blended.
    coats: Vec<Coat>,
    /// Sides of the open crack at each facet, its own first; equal where there is none. Empty where no facet has any.
    lips: Vec<[u32; 2]>,
    walls: Facets,
}

/// Colour of all walls: darker than things without a quantity.
const WALL: Rgb = [0.26, 0.28, 0.31];

/// Colour of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coat {
    pub colour: Rgb,
    /// Specular light over the usual one.
    pub gloss: f64,
}

impl Default for Coat {
    fn default() -> Self {
        Self { colour: [1.0; 3], gloss: 1.0 }
    }
}

/// Surface of a ball or of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skin {
    pub coat: Coat,
    /// Piece that it belongs to. Edges are drawn where two meet.
    pub piece: i32,
}

impl Subject {
    /// Particles of a frame.
    pub(super) fn of_particles(frame: &Frame, painter: &Painter) -> Self {
        let balls = balls(frame);
        Self { drawn: without_twins(&balls), balls, skins: painter.particles(frame), ..Self::default() }
    }

    /// Surfaces of pieces, and the particles `loose` of a frame, of these bodies (one a particle of the frame).
    pub(super) fn of_pieces(
        mesh: &SurfaceMesh,
        frame: &Frame,
        loose: &[u32],
        bodies: &[u16],
        painter: &Painter,
    ) -> Self {
        let crumb = |&i: &u32| painter.crumb(&frame.vertices[i as usize], bodies[i as usize]);
        let balls: Vec<Ball> = loose.iter().map(|&i| Ball::from(&frame.vertices[i as usize])).collect();
        let skins = loose.iter().map(crumb).chain(painter.corners(mesh)).collect();
        let (drawn, facets, coats) = (without_twins(&balls), mesh.into(), painter.faces(mesh));
        let lips = mesh.faces.iter().map(|face| face.lip).collect();
        Self { drawn, balls, facets, skins, coats, lips, ..Self::default() }
    }

    /// The same subject with these walls.
    pub(super) fn among(self, walls: Facets) -> Self {
        Self { walls, ..self }
    }

    /// Hits of the samples of `view`, row by row.
    pub(super) fn draw(&self, view: &impl View) -> Vec<Hit> {
        let [width, height] = view.size();
        let mut hits = vec![Hit::NONE; width * height];
        draw(view, self.drawn.par_iter().copied(), 0, &mut hits);
        self.facets.draw(view, self.balls.len() as u32, &mut hits);
        self.walls.draw(view, (self.balls.len() + self.facets.len()) as u32, &mut hits);
        hits
    }

    /// Bounding balls of all things but walls, which may be large.
    pub(super) fn balls_around(&self) -> impl Iterator<Item = Ball> {
        let points = self.facets.places.iter().map(|place| Ball { centre: *place, radius: 0.0 });
        self.drawn.iter().copied().filter(Ball::is_drawn).chain(points)
    }

    /// Outward unit normal and coat of thing `i` at `place` (m).
    pub(super) fn touch(&self, i: usize, place: &Vec3) -> (Vec3, Coat) {
        if let Some(ball) = self.balls.get(i) {
            return ((place - ball.centre).normalize(), self.skins[i].coat);
        }
        let facet = i - self.balls.len();
        if let Some(wall) = facet.checked_sub(self.facets.len()) {
            let normal = self.walls.normal(wall, self.walls.shares(wall, place));
            return (normal, Coat { colour: WALL, ..Coat::default() });
        }
        let shares = self.facets.shares(facet, place);
        let normal = self.facets.normal(facet, shares);
        if let Some(coat) = self.coats.get(facet) {
            return (normal, *coat);
        }
        let colours = self.facets.corners(facet).map(|corner| self.skins[self.balls.len() + corner].coat.colour);
        let colour = |k: usize| colours.iter().zip(shares).map(|(colour, share)| colour[k] * share as f32).sum();
        (normal, Coat { colour: std::array::from_fn(colour), ..Coat::default() })
    }

    /// Whether there is an edge between two things: they are of two pieces, or on both sides of an open crack.
    pub(super) fn are_apart(&self, i: usize, j: usize) -> bool {
        let [[own, other], across] = [i, j].map(|i| self.lip(i).unwrap_or_default());
        self.piece(i) != self.piece(j) || (own != other && across == [other, own])
    }

    fn lip(&self, i: usize) -> Option<[u32; 2]> {
        self.lips.get(i.checked_sub(self.balls.len())?).copied()
    }

    /// Piece of thing `i`; walls have none.
    fn piece(&self, i: usize) -> Option<i32> {
        let skin = match i.checked_sub(self.balls.len()) {
            None => i,
            Some(facet) if facet < self.facets.len() => self.balls.len() + self.facets.corners(facet)[0],
            Some(_) => return None,
        };
        Some(self.skins[skin].piece)
    }
}

/// Balls of which all but the first of several in nearly one place have no radius: each would cover all samples again. A
/// ball that is left out sticks out by a thousandth of its radius or two, less than a sample.
fn without_twins(balls: &[Ball]) -> Vec<Ball> {
    /// Size of a place, over the radius.
    const PLACE: f64 = 1e-3;
    let mut seen = HashSet::with_capacity(balls.len());
    let key = |ball: &Ball| {
        // radii within a thousandth of each other are one
        let size = (ball.radius as f32).to_bits() >> 13;
        let place = ball.centre / (f64::from(f32::from_bits(size << 13)) * PLACE);
        (size, [place.x, place.y, place.z].map(|x| x.floor() as i64))
    };
    let alone =
        |ball: &Ball| if !ball.is_drawn() || seen.insert(key(ball)) { *ball } else { Ball { radius: 0.0, ..*ball } };
    balls.iter().map(alone).collect()
}

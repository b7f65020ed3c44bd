use bdem_core::geometry::Vec3;
use bdem_run::output::ply::Frame;
use bdem_run::scene;
use rayon::prelude::*;

use crate::pieces::ColliderMesh;
use crate::surface::SurfaceMesh;

use super::camera::{Camera, SAMPLES, level};
use super::colours::{ColourBy, ColourScale, Painter, Rgb};
use super::facets::Facets;
use super::floor::Floor;
use super::occlusion::Occlusion;
use super::picture::{Picture, develop};
use super::raster::Hit;
use super::subject::Subject;
use super::sun::Sun;
use super::view::View;
use super::{Ball, balls};

/// Colour of the background, and of a floor in full light: there is no border between the two.
pub(super) const BACKDROP: Rgb = [0.80, 0.82, 0.84];
/// Sunlight on a surface that faces the sun, over white.
const SUN: f64 = 0.80;
/// Light of the whole sky on a surface that faces up, over white.
const SKY: f64 = 0.52;
/// Light from below, over the sky's.
const BOUNCE: f64 = 0.55;
/// Specular sunlight of a ball, over white. It shows the shape of dark balls.
const GLOSS: f64 = 0.12;
/// Light at the edge of a piece, over that within.
const EDGE: f64 = 0.45;
/// Range of occlusion, in mean radii of the particles.
const OCCLUSION_RADII: f64 = 6.0;

/// Look of a run's frames.
#[derive(Clone, Debug)]
pub struct Look {
    /// Camera of all pictures.
    pub camera: Camera,
    /// Unit vector upwards.
    pub up: Vec3,
    /// Floor, if one is drawn.
    pub floor: Option<Floor>,
    /// Colliders.
    pub colliders: Vec<ColliderMesh>,
    /// Quantity shown by the colours.
    pub colour: ColourBy,
    /// Range of the colour bar.
    pub scale: ColourScale,
    /// Looks of the bodies' materials.
    pub looks: Vec<scene::Look>,
}

impl Look {
    /// Unit vector to the sun: from above, slightly from the left and the front.
    pub fn sun(&self) -> Vec3 {
        let [side, front] = level(&self.up);
        (self.up * 1.1 - side * 0.6 + front * 0.45).normalize()
    }

    /// Picture of a frame's particles.
    pub fn picture(&self, frame: &Frame) -> Picture {
        self.draw(frame, Subject::of_particles(frame, &self.painter(frame)))
    }

    /// Picture of the surfaces of pieces, and of the particles `loose` of a frame. `bodies` has the body of each of its particles.
    pub fn pieces_picture(&self, frame: &Frame, mesh: &SurfaceMesh, loose: &[u32], bodies: &[u16]) -> Picture {
        self.draw(frame, Subject::of_pieces(mesh, frame, loose, bodies, &self.painter(frame)))
    }

    fn painter(&self, frame: &Frame) -> Painter<'_> {
        Painter::new(self.colour, self.scale, &self.looks, frame)
    }

    fn draw(&self, frame: &Frame, subject: Subject) -> Picture {
        let time = frame.time().unwrap_or(0.0);
        let subject = &subject.among(Facets::of_colliders(&self.colliders, time, &self.camera));
        let mut hits = subject.draw(&self.camera);
        self.floor.iter().for_each(|floor| floor.draw(&self.camera, &mut hits));
        let shade = Shade {
            look: self,
            subject,
            sun: Sun::on(subject, self.sun()),
            occlusion: Occlusion::new(&self.camera, &hits, OCCLUSION_RADII * mean_radius(&balls(frame))),
            hits: &hits,
        };
        shade.picture()
    }
}

fn mean_radius(balls: &[Ball]) -> f64 {
    let drawn = || balls.iter().filter(|ball| ball.is_drawn()).map(|ball| ball.radius);
    drawn().sum::<f64>() / drawn().count() as f64
}

/// Sources of a sample's light.
struct Shade<'a> {
    look: &'a Look,
    subject: &'a Subject,
    hits: &'a [Hit],
    sun: Sun,
    occlusion: Occlusion<'a>,
}

impl Shade<'_> {
    fn picture(&self) -> Picture {
        let [width, height] = self.look.camera.size().map(|samples| samples / SAMPLES);
        let develop = develop();
        let mut pixels = vec![[0; 3]; width * height];
        pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = develop(self.mean(x, y));
            }
        });
        Picture::from_pixels(super::Size { width: width as u32, height: height as u32 }, pixels)
    }

    /// Mean light of a pixel's samples.
    fn mean(&self, x: usize, y: usize) -> Rgb {
        let [left, top] = [SAMPLES * x, SAMPLES * y];
        let samples = || (0..SAMPLES * SAMPLES).map(|k| [left + k % SAMPLES, top + k / SAMPLES]);
        // large parts of a picture are floor in full light
        let is_floor = samples().all(|[x, y]| self.hit(x, y).id == Hit::FLOOR);
        if is_floor && self.light(left, top) == BACKDROP {
            return BACKDROP;
        }
        let sum = samples().fold([0.0; 3], |mut sum, [x, y]| {
            sum.iter_mut().zip(self.light(x, y)).for_each(|(sum, light)| *sum += light);
            sum
        });
        sum.map(|light| light / (SAMPLES * SAMPLES) as f32)
    }

    fn light(&self, x: usize, y: usize) -> Rgb {
        let (hit, camera) = (self.hit(x, y), &self.look.camera);
        let place = camera.ray(x, y) * f64::from(hit.depth);
        match (hit.thing(), self.look.floor) {
            (Some(i), _) => {
                let (normal, coat) = self.subject.touch(i, &(camera.in_world(&place) + camera.eye));
                let normal = camera.of_world(&normal);
                let edge = if self.is_at_edge(i, x, y) { EDGE } else { 1.0 };
                let direct = self.direct(&place, &normal, [x, y]);
                let light = edge * self.falling(&place, &normal, direct, [x, y]);
                let gloss = coat.gloss * edge * direct * self.mirrored(&place, &normal);
                coat.colour.map(|part| part * light as f32 + gloss as f32)
            }
            (None, Some(floor)) if hit.id == Hit::FLOOR => {
                let full = SUN * floor.normal.dot(&self.sun.towards).max(0.0) + self.sky(&floor.normal);
                let normal = camera.of_world(&floor.normal);
                let light = self.falling(&place, &normal, self.direct(&place, &normal, [x, y]), [x, y]) / full;
                BACKDROP.map(|part| part * light as f32)
            }
            _ => BACKDROP,
        }
    }

    fn hit(&self, x: usize, y: usize) -> &Hit {
        &self.hits[y * self.look.camera.size()[0] + x]
    }

    /// Sunlight, from 0 to 1, on the point of a sample with this unit normal. Both are in the camera's axes.
    fn direct(&self, place: &Vec3, normal: &Vec3, sample: [usize; 2]) -> f64 {
        let camera = &self.look.camera;
        let (in_world, upwards) = (camera.in_world(place) + camera.eye, camera.in_world(normal));
        let facing = upwards.dot(&self.sun.towards);
        if facing > 0.0 { facing * self.sun.reaching(&in_world, &upwards, sample) } else { 0.0 }
    }

    /// Light on a point, with the share `direct` of the sun's.
    fn falling(&self, place: &Vec3, normal: &Vec3, direct: f64, sample: [usize; 2]) -> f64 {
        let open = self.occlusion.open(place, normal, sample);
        open * (self.sky(&self.look.camera.in_world(normal)) + SUN * direct * (0.5 + 0.5 * open))
    }

    /// Specular share of the sunlight towards the eye (J. Blinn, 1977).
    fn mirrored(&self, place: &Vec3, normal: &Vec3) -> f64 {
        let between = self.look.camera.of_world(&self.sun.towards) - place.normalize();
        let facing = normal.dot(&between.normalize()).max(0.0);
        // to the power of 16
        GLOSS * (0..4).fold(facing, |power, _| power * power)
    }

    /// Light of the sky and from below on an unoccluded surface with this unit normal.
    fn sky(&self, normal: &Vec3) -> f64 {
        let above = 0.5 + 0.5 * normal.dot(&self.look.up);
        SKY * (above + BOUNCE * (1.0 - above))
    }

    /// Whether there is an edge between thing `i`, which this sample sees, and what a sample next to it sees.
    fn is_at_edge(&self, i: usize, x: usize, y: usize) -> bool {
        let [width, height] = self.look.camera.size();
        let is_other = |x: usize, y: usize| self.hit(x, y).thing().is_some_and(|j| self.subject.are_apart(i, j));
        (x > 0 && is_other(x - 1, y))
            || (x + 1 < width && is_other(x + 1, y))
            || (y > 0 && is_other(x, y - 1))
            || (y + 1 < height && is_other(x, y + 1))
    }
}

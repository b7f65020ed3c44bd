//! Pictures of frames, without a GPU or a display.
//!
//! ```text
//! balls, facets ──camera──> hits ──sun, occlusion, colours──> light ──mean of 2x2 samples──> picture ──captions──> PNG
//! ```
//!
//! ```text
//! camera     viewpoint, and how a frame fits into the picture
//! subject    what a picture shows: balls, or the facets of surfaces
//! view       projections: in perspective or along sunlight
//! raster     the thing that each sample of a view hits
//! facets     triangles
//! floor      an infinite plane
//! spiral     positions around a sample: the same in every picture
//! sun        sunlight and shadows
//! occlusion  occlusion of the sky: cracks and corners are dark
//! colours    colours by quantity
//! shade      from hits to a picture
//! picture    pixels, and PNG
//! text       letters
//! caption    text on a picture: frame, time, and the meaning of the colours
//! sheet      many pictures on one
//! animation  APNG, and MP4 by ffmpeg
//! studio     common settings of a run's pictures
//! ```
//!
//! Positions, depths and light have the same bits for any number of threads.

mod animation;
mod camera;
mod caption;
mod colours;
mod facets;
mod floor;
mod occlusion;
mod picture;
mod raster;
mod shade;
mod sheet;
mod spiral;
mod studio;
mod subject;
mod sun;
mod text;
mod view;

pub use animation::{Animation, write_animation};
pub use camera::{Camera, Lens, Margins, Viewpoint};
pub use caption::{Legend, write_caption};
pub(crate) use colours::srgb;
pub use colours::{ColourBy, ColourScale};
pub use floor::Floor;
pub use picture::{Picture, Size};
pub use shade::Look;
pub use sheet::{Sheet, SheetGrid};
pub use studio::{Settings, Studio};

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::{Frame, Vertex};
use view::View;

/// Particle as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre, m.
    pub centre: Vec3,
    /// Radius, m.
    pub radius: f64,
}

impl From<&Vertex> for Ball {
    fn from(vertex: &Vertex) -> Self {
        Self { centre: vertex.place(), radius: vertex.pscale.into() }
    }
}

impl Ball {
    /// Whether it can be drawn: all its numbers are finite.
    pub(crate) fn is_drawn(&self) -> bool {
        self.centre.sum().is_finite() && self.radius > 0.0 && self.radius.is_finite()
    }

    /// Height (m) of its lowest point along the unit vector `up`.
    pub(crate) fn bottom(&self, up: &Vec3) -> f64 {
        up.dot(&self.centre) - self.radius
    }

    /// Ball in a view's own axes.
    fn seen_by(&self, view: &impl View) -> Self {
        Self { centre: view.see(&self.centre), radius: self.radius }
    }
}

/// Particles of a frame, in its order.
pub fn balls(frame: &Frame) -> Vec<Ball> {
    frame.vertices.iter().map(Ball::from).collect()
}

/// Up direction of a frame; z where it has none.
pub fn up(frame: &Frame) -> Vec3 {
    match frame.comment("up axis") {
        Some("x") => Vec3::x(),
        Some("y") => Vec3::y(),
        Some("-x") => -Vec3::x(),
        Some("-y") => -Vec3::y(),
        Some("-z") => -Vec3::z(),
        _ => Vec3::z(),
    }
}

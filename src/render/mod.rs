//! Pictures of frames, without a GPU or a display.
//!
//! ```text
//! balls, facets ──camera──> hits ──sun, occlusion, colours──> light ──mean of 2x2 samples──> picture ──captions──> PNG
//! ```
//!
//! ```text
//! camera     where it is looked from, and how a frame fits into the picture
//! subject    what is shown: balls, or the facets of surfaces
//! view       how things look: in perspective or along sunlight
//! raster     which thing each sample of a view hits
//! facets     triangles
//! wall       colliders
//! floor      a plane without end
//! spiral     where around a sample others are taken: the same places in every picture
//! sun        where its light falls
//! occlusion  how much of the sky is hidden: cracks and corners are dark
//! colours    what colours say
//! shade      from hits to a picture
//! picture    pixels, and PNG
//! text       letters
//! caption    what stands on a picture: frame, time, and what the colours mean
//! sheet      many pictures on one
//! animation  APNG, and MP4 by ffmpeg
//! studio     all that a run's pictures have in common
//! ```
//!
//! Places, depths and light come from the same operations in the same order whatever the number of threads.

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
mod wall;

pub use animation::{Animation, write_animation};
pub use camera::{Camera, Lens, Margins, Viewpoint};
pub use caption::{Caption, Legend};
pub use colours::{ColourBy, ColourScale};
pub use floor::Floor;
pub use picture::{Picture, Size};
pub use shade::Look;
pub use sheet::{Sheet, SheetGrid};
pub use studio::{Settings, Studio};

use crate::geometry::Vec3;
use crate::output::ply::{Frame, Vertex};

use view::View;

/// A particle as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// m.
    pub centre: Vec3,
    /// m.
    pub radius: f64,
}

impl From<&Vertex> for Ball {
    fn from(vertex: &Vertex) -> Self {
        Self { centre: Vec3::new(vertex.x.into(), vertex.y.into(), vertex.z.into()), radius: vertex.pscale.into() }
    }
}

impl Ball {
    /// Whether it can be drawn: no place of it is without end.
    pub fn is_drawn(&self) -> bool {
        self.centre.sum().is_finite() && self.radius > 0.0 && self.radius.is_finite()
    }

    /// The ball in a view's own axes.
    fn seen_by(&self, view: &impl View) -> Self {
        Self { centre: view.see(&self.centre), radius: self.radius }
    }
}

/// The particles of a frame, in its order.
pub fn balls(frame: &Frame) -> Vec<Ball> {
    frame.vertices.iter().map(Ball::from).collect()
}

/// A frame's time, s, where it says it.
fn time(frame: &Frame) -> Option<f64> {
    frame.comment("time")?.strip_suffix(" s")?.parse().ok()
}

/// The direction that is up in a frame; z where it does not say.
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

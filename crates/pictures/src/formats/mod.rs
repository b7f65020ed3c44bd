//! Formats of other programs, of `bdem convert`: one file each, a variant of [`Format`] and an arm of [`Format::writer`].
//!
//! ```text
//! usd          moving pieces as Universal Scene Description
//! glb          moving pieces as binary glTF
//! ```
//!
//! VTU is [`bdem_run::output::vtu`], since surfaces are of the same family.

mod glb;
mod usd;

use std::io::{self, Write};

use bdem_run::output::ply::Frame;
use bdem_run::output::{write_pvd, write_vtu};

use crate::clip::Clip;

pub use glb::write_glb;
pub use usd::write_usd;

/// Format for other programs. The docs of variants are the help of `bdem convert`.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// Particles of each frame, for ParaView
    #[default]
    Vtu,
    /// Moving pieces in one text file of Universal Scene Description
    Usd,
    /// Moving pieces in one binary file of glTF 2.0
    Glb,
}

/// Function that writes a frame. Its error is that of `out`.
pub type WriteFrame = fn(out: &mut dyn Write, frame: &Frame) -> io::Result<()>;

/// Function that writes the file that joins frames to a series: for each time (s) the name of its file.
pub type WriteSeries = fn(out: &mut dyn Write, files: &[(f64, String)]) -> io::Result<()>;

/// Function that writes a clip. Its error is that of `out`, or of a clip that is too large.
pub type WriteClip = fn(out: &mut dyn Write, clip: &Clip) -> io::Result<()>;

/// Functions that write a format.
#[derive(Clone, Copy, Debug)]
pub enum Writer {
    /// A file for each frame.
    Frames {
        /// Write a frame.
        write: WriteFrame,
        /// Ending of the file that joins them to a series, and its writer.
        series: Option<(&'static str, WriteSeries)>,
    },
    /// One file of moving pieces.
    Clip {
        /// Write a clip.
        write: WriteClip,
        /// Whether the format has particles without a piece, and pieces that bend; else pieces are rigid.
        bends: bool,
    },
}

impl Format {
    /// Ending of the files, and what writes them.
    pub fn writer(self) -> (&'static str, Writer) {
        match self {
            Self::Vtu => ("vtu", Writer::Frames { write: write_vtu, series: Some(("pvd", write_pvd)) }),
            Self::Usd => ("usda", Writer::Clip { write: write_usd, bends: true }),
            Self::Glb => ("glb", Writer::Clip { write: write_glb, bends: false }),
        }
    }
}

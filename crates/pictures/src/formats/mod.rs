//! Formats of other programs, of `bdem convert`: one file each, a variant of [`Format`] and an arm of [`Format::writer`].
//!
//! ```text
//! lammps       particles and bonds of a frame, for LAMMPS
//! usd          moving pieces as Universal Scene Description
//! glb          moving pieces as binary glTF
//! materials    materials of faces, of both
//! ```
//!
//! VTU is [`bdem_run::output::vtu`], and formats of surfaces are of the room `surface`.

mod glb;
mod lammps;
mod materials;
mod usd;

use std::io::{self, Write};

use bdem_run::output::ply::Frame;
use bdem_run::output::{write_pvd, write_vtu};

use crate::clip::Clip;
use crate::pieces::BuiltRun;
use crate::surface::{SurfaceMesh, write_obj, write_ply, write_vtp};

pub use glb::write_glb;
pub use lammps::write_lammps;
pub use usd::write_usd;

/// Format for other programs. The docs of variants are the help of `bdem convert`.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// Particles of each frame, for ParaView
    #[default]
    Vtu,
    /// Surfaces of each frame's pieces, binary with all properties: for Blender, MeshLab, Houdini
    Ply,
    /// The same, vertices and faces alone, a group for each piece
    Obj,
    /// The same with all properties, for ParaView
    Vtp,
    /// Moving pieces in one text file of Universal Scene Description
    Usd,
    /// Moving pieces in one binary file of glTF 2.0
    Glb,
    /// Particles and whole bonds of each frame as data files of LAMMPS, with the atom style bpm/sphere
    Lammps,
}

/// Function that writes a frame. Its error is that of `out`.
pub type WriteFrame = fn(out: &mut dyn Write, frame: &Frame) -> io::Result<()>;

/// Function that writes the file that joins frames to a series: for each time (s) the name of its file.
pub type WriteSeries = fn(out: &mut dyn Write, files: &[(f64, String)]) -> io::Result<()>;

/// Function that writes a frame of a run. Its error is that of `out`.
pub type WriteState = fn(out: &mut dyn Write, run: &BuiltRun, frame: &Frame) -> io::Result<()>;

/// Function that writes the surfaces of a frame, with comments. Its error is that of `out`.
pub type WriteMesh = fn(out: &mut dyn Write, mesh: &SurfaceMesh, comments: &[String]) -> io::Result<()>;

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
    /// A file for each frame, with masses, bodies and bonds of the run's world.
    States(WriteState),
    /// A file of surfaces for each frame.
    Meshes(WriteMesh),
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
            Self::Ply => ("ply", Writer::Meshes(|mut out, mesh, comments| write_ply(&mut out, mesh, comments))),
            Self::Obj => ("obj", Writer::Meshes(|mut out, mesh, comments| write_obj(&mut out, mesh, comments))),
            Self::Vtp => ("vtp", Writer::Meshes(|mut out, mesh, comments| write_vtp(&mut out, mesh, comments))),
            Self::Usd => ("usda", Writer::Clip { write: write_usd, bends: true }),
            Self::Lammps => ("data", Writer::States(write_lammps)),
            Self::Glb => ("glb", Writer::Clip { write: write_glb, bends: false }),
        }
    }
}

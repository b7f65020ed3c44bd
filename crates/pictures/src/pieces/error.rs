use std::path::PathBuf;

use bdem_run::mesh::MeshFileError;
use bdem_run::output::OutputError;
use bdem_run::scene::SceneError;
use thiserror::Error;

/// Reason that a run has no pieces.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CutError {
    /// The run's scene cannot be loaded.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file of the run is missing or does not match.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A body cannot be cut.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// All bodies are particles only.
    #[error("{}: no body has a shape or a mesh to cut", .0.display())]
    NoMesh(PathBuf),
    /// No particle is bonded to others.
    #[error("{}: its particles are loose, without bonds that make a piece of them; --to usd has them as points", .0.display())]
    Loose(PathBuf),
}

/// Reason that a body cannot be cut into pieces.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum PieceError {
    /// The body's mesh file is gone or unreadable.
    #[error("body {body:?}: cannot read its mesh {}: {source}; put the file back where it was when the scene ran", file.display())]
    Unreadable { body: String, file: PathBuf, source: std::io::Error },
    /// The file is no mesh.
    #[error("body {body:?}: {}: {error}; {}", file.display(), error.help())]
    File { body: String, file: PathBuf, error: MeshFileError },
    /// The mesh's faces do not bound a solid.
    #[error("body {body:?}: its mesh cannot be cut: {fault}; {}", fault.help())]
    Mesh { body: String, fault: MeshFault },
    /// The boolean of a piece failed.
    #[error(
        "body {body:?}: cutting piece {piece} failed: {why}; try another --crack-smooth or --crack-mesh, or repair the mesh in a modelling program"
    )]
    Cut { body: String, piece: u32, why: String },
    /// The pieces do not fill the mesh.
    #[error(
        "body {body:?}: the volumes of its pieces sum to {sum:e} m3, but its mesh encloses {mesh:e} m3; remove self-intersections of the mesh in a modelling program"
    )]
    Volume { body: String, sum: f64, mesh: f64 },
    /// The lattice of the cracks has too many nodes.
    #[error("body {body:?}: its cracks would need a lattice of {nodes:.1e} nodes; choose a larger --crack-mesh")]
    TooFine { body: String, nodes: f64 },
}

/// Fault of a mesh. Points and faces are numbered from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum MeshFault {
    /// There are no faces.
    #[error("it has no faces")]
    Empty,
    /// An edge has more than two faces, or two in the same direction.
    #[error("{edges} edges have faces of opposite directions, or more than two faces; the first is from point {} to {} at {place:?} m", first[0], first[1])]
    Edges { edges: usize, first: [u32; 2], place: [f64; 3] },
    /// The volume is negative.
    #[error("it is inside out: its faces enclose {volume:e} m3")]
    InsideOut { volume: f64 },
    /// The volume is zero.
    #[error("it encloses no volume")]
    Flat,
    /// The engine refuses it.
    #[error("its {faces} faces bound no solid ({reason})")]
    NoSolid { faces: usize, reason: String },
    /// A half space is not bounded.
    #[error("its shape is unbounded")]
    Unbounded,
}

impl MeshFault {
    /// Remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty => "export its faces too",
            Self::Edges { .. } => "make its faces consistent, and each edge one of two faces, in a modelling program",
            Self::InsideOut { .. } => "flip its normals, in a modelling program",
            Self::Flat => "give it thickness, in a modelling program",
            Self::NoSolid { .. } => "repair it in a modelling program: close holes, remove inner faces",
            Self::Unbounded => "intersect the half space with a bounded shape",
        }
    }
}

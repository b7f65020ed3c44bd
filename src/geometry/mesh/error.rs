use std::fmt::{self, Display, Formatter};

/// Reason that a file or a list of triangles is not a solid.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshError {
    /// The file extension is not supported.
    Ending(String),
    /// The contents do not match the file extension.
    Malformed(String),
    /// No triangle has an area.
    Empty,
    /// A vertex is not finite or too far.
    NotANumber { vertex: usize },
    /// A triangle refers to a missing vertex.
    OutOfRange { triangle: usize, vertex: u32, vertices: usize },
    /// Edges lack a second triangle, and the holes make the interior ambiguous.
    Open { edges: usize },
    /// The triangles face inwards.
    InsideOut,
    /// The triangles enclose no volume.
    Flat,
}

impl MeshError {
    /// Remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Ending(_) => "convert it to OBJ, STL or PLY",
            Self::Malformed(_) => "export it again, complete and with the right extension",
            Self::Empty => "export its faces too, with non-zero areas",
            Self::NotANumber { .. } | Self::OutOfRange { .. } => "export it again, or repair it in a modelling program",
            Self::Open { .. } => "close its holes, and make all of its triangles face outwards, in a modelling program",
            Self::InsideOut => "flip its normals, in a modelling program",
            Self::Flat => "give it thickness, in a modelling program",
        }
    }
}

impl Display for MeshError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Ending(ending) => write!(f, "a mesh in a file whose name ends in {ending:?} cannot be read"),
            Self::Malformed(why) => write!(f, "the mesh cannot be read: {why}"),
            Self::Empty => write!(f, "the mesh has no triangles"),
            Self::NotANumber { vertex } => {
                write!(f, "vertex {vertex} of the mesh (the first is 0) is not finite, or beyond 1e60 m")
            }
            Self::OutOfRange { triangle, vertex, vertices } => {
                write!(
                    f,
                    "triangle {triangle} of the mesh has vertex {vertex} (the first is 0), but there are {vertices}"
                )
            }
            Self::Open { edges } => {
                write!(f, "the mesh is open: {edges} edges lack a second triangle of matching direction")
            }
            Self::InsideOut => write!(f, "the mesh is inside out: its triangles face inwards"),
            Self::Flat => write!(f, "the mesh has no volume"),
        }
    }
}

impl std::error::Error for MeshError {}

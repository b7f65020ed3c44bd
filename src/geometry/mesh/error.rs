use std::fmt::{self, Display, Formatter};

/// Why a file or a list of triangles is no solid.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshError {
    /// Nothing of this ending is read.
    Ending(String),
    /// The file does not say what its ending promises.
    Malformed(String),
    /// There are no triangles, or none that has area.
    Empty,
    /// The coordinate of a vertex is no sensible number.
    NotANumber { vertex: usize },
    /// A triangle names a vertex that does not exist.
    OutOfRange { triangle: usize, vertex: u32, vertices: usize },
    /// So many edges lack a triangle on their other side, and what they bound has no inside.
    Open { edges: usize },
    /// The triangles face inwards.
    InsideOut,
    /// The triangles enclose nothing.
    Flat,
}

impl MeshError {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Ending(_) => "convert it to OBJ, STL or PLY",
            Self::Malformed(_) => "export it again; see that it is whole, and that its ending is right",
            Self::Empty => "export its faces too, and see that they have an area",
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
                write!(f, "vertex {vertex} of the mesh (the first is 0) is no place: not finite, or too far")
            }
            Self::OutOfRange { triangle, vertex, vertices } => {
                write!(
                    f,
                    "triangle {triangle} of the mesh has vertex {vertex} (the first is 0), but there are {vertices}"
                )
            }
            Self::Open { edges } => {
                write!(f, "the mesh is open: {edges} edges have no triangle that fits on their other side")
            }
            Self::InsideOut => write!(f, "the mesh is inside out: its triangles face inwards"),
            Self::Flat => write!(f, "the mesh has no volume"),
        }
    }
}

impl std::error::Error for MeshError {}

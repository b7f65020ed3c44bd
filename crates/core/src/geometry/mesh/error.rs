use thiserror::Error;

/// Reason that a list of triangles is not a solid. Vertices and triangles are numbered from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum MeshError {
    /// No triangle has an area.
    #[error("the mesh has no triangles")]
    Empty,
    /// A coordinate is not finite, or too large.
    #[error("vertex {vertex} of the mesh (the first is 0) is not finite, or beyond 1e60 m")]
    NotANumber { vertex: usize },
    /// A triangle has a vertex that there is not.
    #[error("triangle {triangle} of the mesh has vertex {vertex} (the first is 0), but there are {vertices}")]
    OutOfRange { triangle: usize, vertex: u32, vertices: usize },
    /// Both ends of an edge are in one place.
    #[error("vertices {} and {} of the mesh (the first is 0) are joined by an edge, and both at {place:?} m", .vertices[0], .vertices[1])]
    ShortEdge { vertices: [u32; 2], place: [f64; 3] },
    /// Its holes make the interior ambiguous.
    #[error("the mesh is open: {edges} edges lack a second triangle of matching direction")]
    Open { edges: usize },
    /// Its triangles enclose a negative volume.
    #[error("the mesh is inside out: its triangles face inwards")]
    InsideOut,
    /// The triangles enclose no volume.
    #[error("the mesh has no volume")]
    Flat,
}

impl MeshError {
    /// Remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty => "export its faces too, with non-zero areas",
            Self::NotANumber { .. } | Self::OutOfRange { .. } => "export it again, or repair it in a modelling program",
            Self::ShortEdge { .. } => "merge the two vertices, in a modelling program",
            Self::Open { .. } => "close its holes, and make all of its triangles face outwards, in a modelling program",
            Self::InsideOut => "flip its normals, in a modelling program",
            Self::Flat => "give it thickness, in a modelling program",
        }
    }
}

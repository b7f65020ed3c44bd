use bdem_core::geometry::mesh::MeshError;
use thiserror::Error;

/// Reason that a file is no mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum MeshFileError {
    /// The name of the file has no known ending.
    #[error("a mesh in a file whose name ends in {0:?} cannot be read")]
    Ending(String),
    /// The file does not have the form of its ending.
    #[error("the mesh cannot be read: {0}")]
    Malformed(String),
    /// Its vertices have no such scalar property, but those that are known.
    #[error("its vertices have no number {name:?}, but {known}")]
    NoProperty { name: String, known: String },
    /// It has no object or group of this name, but those that are known.
    #[error("it has no {word} {name:?}, but {known}")]
    NoPart { word: &'static str, name: String, known: String },
    /// Its objects or groups cannot be told apart.
    #[error("{0}")]
    Parts(String),
    /// Its triangles are not a solid, or not a mesh of springs.
    #[error(transparent)]
    Triangles(#[from] MeshError),
}

impl MeshFileError {
    /// Remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Ending(_) => "convert it to OBJ, STL or PLY",
            Self::Malformed(_) => "export it again, complete and with the right extension",
            Self::NoProperty { .. } | Self::NoPart { .. } => "name one of these, or add it to the file",
            Self::Parts(_) => "give each part of the mesh a name of its own, and export it again as OBJ",
            Self::Triangles(error) => error.help(),
        }
    }
}

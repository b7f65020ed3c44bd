//! Pieces of broken bodies as closed meshes: the body's own mesh, cut by its cracks.
//!
//! Each piece in the last frame of a run is one mesh, with the original polygons, texture coordinates and sharp edges outside, and
//! smooth crack faces inside. It is there from the first frame, and moves rigidly: topology never changes. At rest both
//! sides of a crack coincide.
//!
//! ```text
//! settings     smoothness and noise of cracks
//! body         meshes of a scene's bodies
//! shape        closed meshes of shapes; collider: those of colliders
//! piece        pieces of a run at rest; body_cut: those of a body
//! cracks       broken bonds, and the parts that they separate; fragments: parts of pieces between cracks that end in them
//! crack        walls between the pieces
//! cut          booleans of the mesh with what the walls bound
//! mass         volume and inertia; eigen: eigenvectors of symmetric matrices
//! faces        triangles of polygons, and vertices with attributes
//! motion       rigid motion in a frame; posed: the pieces in it; skin: points that follow particles, and their bent_normals;
//!              refine: more of them
//! disjoint_sets  sets that are joined pair by pair
//! keep         pieces in the run's folder, made once
//! run          a run with its pieces; source: surfaces of frames, of a run or of particles alone
//! error        reasons that a body cannot be cut
//! ```

mod bent_normals;
mod body;
mod body_cut;
mod collider;
mod crack;
mod cracks;
mod cut;
mod disjoint_sets;
mod eigen;
mod error;
mod faces;
mod fragments;
mod keep;
mod mass;
mod motion;
mod piece;
mod posed;
mod refine;
mod run;
mod settings;
mod shape;
mod skin;
mod source;

pub(crate) use cut::triangulate;
pub(crate) use faces::{VertexMesh, vertices};
pub(crate) use mass::principal_moments;
pub(crate) use motion::bends;

pub use body::BodyMesh;
pub use collider::ColliderMesh;
pub use cracks::{Cracks, RestBond};
pub use error::{CutError, MeshFault, PieceError};
pub use motion::{BENDS, Motion, PieceMotion};
pub use piece::{Lip, Piece, Pieces, RestParticles};
pub use run::{BuiltRun, CutRun};
pub use settings::{CrackNoise, CrackSettings};
pub use skin::{BentShape, Skin};
pub use source::Surfaces;

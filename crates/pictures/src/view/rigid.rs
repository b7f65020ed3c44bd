use bdem_core::geometry::{Pose, Vec3};
use bdem_run::output::ply::Vertex;
use serde::Serialize;

use crate::pieces::{Motion, Piece, PieceMotion, bends};
use crate::surface::SurfaceMesh;

use super::Scope;
use super::pack::{Mesher, piece_number};

/// Pose of a piece in a frame, which has its form at rest unless it bends.
#[derive(Clone, Copy, Debug)]
pub struct RigidPiece {
    /// Pose of its mesh about its body's origin.
    pose: Pose,
    /// Velocity of that origin as it moves with the piece, m/s.
    velocity: Vec3,
    /// Angular velocity, rad/s.
    spin: Vec3,
    /// Number of the piece that it is part of. None if it bends or is not shown.
    number: Option<u16>,
    /// Mean damage of its particles.
    damage: f32,
}

impl RigidPiece {
    /// All pieces with `particles` as in a frame at `time` (s).
    pub fn all(motion: &Motion, particles: &[Vertex], time: f64) -> Vec<Self> {
        let motions = motion.at(particles, time);
        let pieces = motion.pieces.pieces.iter().zip(bends(&motions)).zip(motions);
        let pose = |((piece, bends), at): ((&Piece, bool), PieceMotion)| {
            let origin = motion.origin(piece.body);
            Self {
                pose: Pose { turn: at.pose.turn, shift: at.pose.apply(&origin) },
                velocity: at.velocity + at.spin.cross(&at.pose.rotate(&(origin - piece.centre))),
                spin: at.spin,
                number: (at.is_shown && !bends).then(|| piece_number(at.number)),
                damage: piece.mean(particles, |particle| particle.damage),
            }
        };
        pieces.map(pose).collect()
    }

    /// Sixteen numbers: rotation; shift and number, -1 if it bends or is not shown; velocity and damage; angular velocity and zero.
    fn numbers(&self) -> [f32; 16] {
        let Self { pose: Pose { turn, shift }, velocity: v, spin, .. } = self;
        let [number, damage] = [self.number.map_or(-1.0, f64::from), self.damage.into()];
        let rows = [
            [turn.i, turn.j, turn.k, turn.w],
            [shift.x, shift.y, shift.z, number],
            [v.x, v.y, v.z, damage],
            [spin.x, spin.y, spin.z, 0.0],
        ];
        std::array::from_fn(|k| rows[k / 4][k % 4] as f32)
    }
}

/// Frame of pieces: their number, and the numbers of each (32 bits each).
pub(super) fn pack(pieces: &[RigidPiece]) -> Vec<u8> {
    let head = (pieces.len() as u32).to_le_bytes();
    head.into_iter().chain(pieces.iter().flat_map(RigidPiece::numbers).flat_map(f32::to_le_bytes)).collect()
}

/// Meshes of pieces that do not bend, each about its body's origin.
#[derive(Clone, Debug, Serialize)]
pub struct RestPieces {
    /// Lowest corner of the box around them, m.
    low: [f32; 3],
    /// Size of the box, m.
    size: [f32; 3],
    /// All of them, numbered by their indices.
    #[serde(skip)]
    mesh: SurfaceMesh,
}

impl RestPieces {
    /// Pieces of a run.
    pub fn of(motion: &Motion) -> Self {
        let mesh = motion.at_rest();
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for corner in &mesh.corners {
            for (k, x) in [corner.x, corner.y, corner.z].into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(x), high[k].max(x));
            }
        }
        Self { low, size: [0, 1, 2].map(|k| (high[k] - low[k]).max(f32::MIN_POSITIVE)), mesh }
    }

    /// A frame of surfaces: their meshes in their box.
    pub(super) fn bytes(&self, scope: &Scope) -> Vec<u8> {
        Mesher::default().pack(&Scope { low: self.low, size: self.size, ..scope.clone() }, 0, &self.mesh)
    }
}

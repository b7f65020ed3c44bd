use std::sync::OnceLock;

use bdem_core::geometry::{Mat3, Quat, Vec3, rotation};
use bdem_run::output::ply::Vertex;

use super::{Motion, Piece, PieceMotion, Skin, VertexMesh, vertices};
use crate::surface::{Corner, Face, SurfaceMesh};

impl Motion<'_> {
    /// All pieces as one mesh, posed with `particles` as in a frame. Vertices of cracks are not shared with the outside. Pieces
    /// of bodies that bend follow their particles; `skins` of all pieces are made when they are first needed.
    pub fn posed(&self, particles: &[Vertex], skins: &OnceLock<Vec<Skin>>) -> SurfaceMesh {
        let mut all = SurfaceMesh::default();
        let motions = self.at(particles);
        let bends = self.bends(|k| motions[k].misfit);
        let every: Vec<usize> = (0..motions.len()).collect();
        for ((piece, motion), k) in self.pieces.pieces.iter().zip(&motions).zip(0..) {
            let skin = bends[usize::from(piece.body)].then(|| &skins.get_or_init(|| Skin::of(self, &every))[k]);
            let bent = skin.map(|skin| skin.at(self, motion, particles));
            let damage = |&i: &u32| f64::from(particles[i as usize].damage);
            let damage = piece.particles.iter().map(damage).sum::<f64>() / piece.particles.len() as f64;
            let like = Corner { damage: damage as f32, piece: motion.number as i32, ..Corner::default() };
            for (faces, is_crack) in [(0..piece.outside, false), (piece.outside..piece.mesh.sizes.len(), true)] {
                let mesh = vertices(&piece.mesh, faces, &piece.centre);
                let first = all.corners.len() as u32;
                let posed =
                    Posed { piece, motion, rest: self.body_of(k).pose.turn, mesh: &mesh, bent: bent.as_deref() };
                for vertex in 0..mesh.vertices.len() {
                    let (place, normal) = posed.vertex(vertex);
                    all.corners.push(posed.corner(&place, like));
                    all.normals.push(normal.map(|x| x as f32).into());
                }
                all.faces.extend(mesh.triangles.iter().map(|_| Face { is_crack, body: piece.body }));
                all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|k| first + k)));
            }
        }
        all
    }
}

/// Faces of a piece in a frame.
struct Posed<'a> {
    piece: &'a Piece,
    motion: &'a PieceMotion,
    /// Rotation of the body's mesh at rest.
    rest: Quat,
    /// Vertices about the piece's centroid.
    mesh: &'a VertexMesh,
    /// Positions (m) and rotations of the points, if the piece bends.
    bent: Option<&'a [(Vec3, Mat3)]>,
}

impl Posed<'_> {
    /// Position (m) and unit normal of a vertex.
    fn vertex(&self, index: usize) -> (Vec3, Vec3) {
        let [x, y, z, nx, ny, nz, ..] = self.mesh.vertices[index].map(f64::from);
        let (arm, normal) = (Vec3::new(x, y, z), Vec3::new(nx, ny, nz));
        let Some(bent) = self.bent else {
            return (self.motion.pose.apply(&(self.piece.centre + arm)), self.motion.pose.rotate(&normal));
        };
        let (place, turn) = bent[self.mesh.points[index] as usize];
        let at_rest = rotation::rotate(&self.rest, &normal);
        (place, (turn * at_rest).try_normalize(0.0).unwrap_or_default())
    }

    /// Vertex at a place (m), otherwise like another.
    fn corner(&self, place: &Vec3, like: Corner) -> Corner {
        let arm = place - self.motion.pose.apply(&self.piece.centre);
        let [x, y, z] = place.map(|x| x as f32).into();
        let [vx, vy, vz] = (self.motion.velocity + self.motion.spin.cross(&arm)).map(|v| v as f32).into();
        Corner { x, y, z, vx, vy, vz, ..like }
    }
}

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::Vertex;

use super::{Motion, Piece, PieceMotion, vertices};
use crate::surface::{Corner, SurfaceMesh};

impl Motion<'_> {
    /// All pieces as one mesh, posed with `particles` as in a frame. Vertices of cracks are not shared with the outside.
    pub fn posed(&self, particles: &[Vertex]) -> SurfaceMesh {
        let mut all = SurfaceMesh::default();
        for (piece, motion) in self.pieces.pieces.iter().zip(self.at(particles)) {
            let damage = |&i: &u32| f64::from(particles[i as usize].damage);
            let damage = piece.particles.iter().map(damage).sum::<f64>() / piece.particles.len() as f64;
            for (faces, fracture) in [(0..piece.outside, 0), (piece.outside..piece.mesh.sizes.len(), 1)] {
                let mesh = vertices(&piece.mesh, faces, &piece.centre);
                let first = all.corners.len() as u32;
                let like = Corner { damage: damage as f32, piece: motion.number as i32, fracture, ..Corner::default() };
                all.corners.extend(mesh.vertices.iter().map(|vertex| corner(piece, &motion, vertex, like)));
                all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|k| first + k)));
            }
        }
        all
    }
}

/// Vertex (position about the piece's centroid first) in a frame, otherwise like another.
fn corner(piece: &Piece, motion: &PieceMotion, vertex: &[f32; 8], like: Corner) -> Corner {
    let place = Vec3::new(vertex[0].into(), vertex[1].into(), vertex[2].into());
    let arm = motion.pose.rotate(&place);
    let [x, y, z] = (motion.pose.apply(&piece.centre) + arm).map(|x| x as f32).into();
    let [vx, vy, vz] = (motion.velocity + motion.spin.cross(&arm)).map(|v| v as f32).into();
    Corner { x, y, z, vx, vy, vz, ..like }
}

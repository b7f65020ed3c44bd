use std::collections::HashMap;
use std::sync::OnceLock;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::mesh::PolygonCorner;
use bdem_run::output::ply::Vertex;

use super::cut::weld;
use super::{Motion, Piece, PieceMotion, Skin, bends, vertices};
use crate::surface::{Corner, Face, SurfaceMesh};

impl Motion<'_> {
    /// All pieces as one mesh, posed with `particles` as in a frame. Vertices of cracks are not shared with the outside. Pieces
    /// that bend follow their particles; `skins` of all pieces are made when they are first needed.
    pub fn posed(&self, particles: &[Vertex], skins: &OnceLock<Vec<Skin>>) -> SurfaceMesh {
        self.chosen(particles, skins, |_| true)
    }

    /// The same of those pieces only that bend.
    pub(crate) fn bent(&self, particles: &[Vertex], skins: &OnceLock<Vec<Skin>>) -> SurfaceMesh {
        self.chosen(particles, skins, |bends| bends)
    }

    /// Mesh of the pieces that are chosen by whether they bend.
    fn chosen(&self, particles: &[Vertex], skins: &OnceLock<Vec<Skin>>, is_shown: fn(bool) -> bool) -> SurfaceMesh {
        let mut all = SurfaceMesh::default();
        let motions = self.at(particles);
        let every: Vec<usize> = (0..motions.len()).collect();
        let pieces = self.pieces.pieces.iter().zip(&motions).zip(bends(&motions)).zip(0..);
        for (((piece, motion), bends), k) in pieces.filter(|((_, bends), _)| is_shown(*bends)) {
            let skin = bends.then(|| &skins.get_or_init(|| Skin::of(self, &every, Skin::EDGE))[k]);
            let bent = skin.map(|skin| {
                let (places, normals) = skin.at(self, motion, particles);
                Bent { skin, places, normals }
            });
            let mean = |of| piece.mean(particles, of);
            let (damage, charge) = (mean(|particle| particle.damage), mean(|particle| particle.charge));
            let like = Corner { damage, charge, piece: motion.number as i32, ..Corner::default() };
            Posed { piece: skin.map_or(piece, Skin::piece), motion, bent }.add(like, &mut all);
        }
        all
    }

    /// Origin of the pieces of a body in pages, m: the centroid of its largest piece, so that the sides of a crack coincide.
    pub(crate) fn origin(&self, body: u16) -> Vec3 {
        let largest = self.pieces.pieces.iter().find(|piece| piece.body == body);
        largest.map_or_else(Vec3::zeros, |piece| piece.centre)
    }

    /// All pieces as one mesh, each body about its origin, with its index as its number.
    pub(crate) fn at_rest(&self) -> SurfaceMesh {
        let mut all = SurfaceMesh::default();
        for (piece, k) in self.pieces.pieces.iter().zip(0..) {
            let pose = Pose { shift: -self.origin(piece.body), ..Pose::default() };
            let still = Vec3::zeros();
            let motion = PieceMotion { pose, velocity: still, spin: still, misfit: 0.0, number: k };
            let like = Corner { piece: k as i32, ..Corner::default() };
            Posed { piece, motion: &motion, bent: None }.add(like, &mut all);
        }
        all
    }
}

/// Piece in a frame.
struct Posed<'a> {
    piece: &'a Piece,
    motion: &'a PieceMotion,
    /// Its form if it bends.
    bent: Option<Bent<'a>>,
}

/// Piece that bends, in a frame.
struct Bent<'a> {
    skin: &'a Skin,
    /// Positions of the points, m.
    places: Vec<Vec3>,
    /// Unit normals, of which each corner has one.
    normals: Vec<Vec3>,
}

impl Posed<'_> {
    /// Adds its faces to a mesh, with vertices like one.
    fn add(&self, like: Corner, all: &mut SurfaceMesh) {
        let Piece { body, outside, ref mesh, ref centre, .. } = *self.piece;
        let (welded, mut firsts) = (weld(&mesh.points), HashMap::new());
        for (faces, is_crack) in [(0..outside, false), (outside..mesh.sizes.len(), true)] {
            let of_faces = vertices(mesh, faces, centre);
            let first = all.corners.len() as u32;
            for &corner in &of_faces.corners {
                let point = welded[mesh.corners[corner as usize].point as usize];
                all.points.push(*firsts.entry(point).or_insert(all.corners.len() as u32));
                let (place, normal) = self.vertex(corner as usize);
                all.corners.push(self.corner(&place, like));
                all.normals.push(normal.map(|x| x as f32).into());
            }
            all.faces.extend(of_faces.triangles.iter().map(|_| Face { is_crack, body }));
            all.triangles.extend(of_faces.triangles.iter().map(|triangle| triangle.map(|k| first + k)));
        }
    }

    /// Position (m) and unit normal of a corner. The position is that of its point, which both sides of a crack have.
    fn vertex(&self, corner: usize) -> (Vec3, Vec3) {
        let PolygonCorner { point, normal, .. } = &self.piece.mesh.corners[corner];
        match &self.bent {
            None => (self.motion.pose.apply(&self.piece.mesh.points[*point as usize]), self.motion.pose.rotate(normal)),
            Some(Bent { skin, places, normals }) => {
                (places[*point as usize], normals[skin.normal_of()[corner] as usize])
            }
        }
    }

    /// Vertex at a place (m), otherwise like another.
    fn corner(&self, place: &Vec3, like: Corner) -> Corner {
        let arm = place - self.motion.pose.apply(&self.piece.centre);
        let [x, y, z] = place.map(|x| x as f32).into();
        let [vx, vy, vz] = (self.motion.velocity + self.motion.spin.cross(&arm)).map(|v| v as f32).into();
        Corner { x, y, z, vx, vy, vz, ..like }
    }
}

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::mesh::PolygonCorner;
use bdem_run::output::ply::Vertex;

use super::cut::weld;
use super::{Motion, Piece, PieceMotion, Skin, bends, vertices};
use crate::surface::{Corner, Face, SurfaceMesh};

impl Motion<'_> {
    /// All pieces that are shown as one mesh, posed with `particles` as in a frame at `time` (s). Vertices of cracks are not shared
    /// with the outside. Pieces that bend follow their particles; `skins`, of which there is one a piece, are made when they are first
    /// needed.
    pub fn posed(&self, particles: &[Vertex], time: f64, skins: &[OnceLock<Skin>]) -> SurfaceMesh {
        self.chosen(particles, time, skins, |_| true)
    }

    /// The same of those pieces only that bend.
    pub(crate) fn bent(&self, particles: &[Vertex], time: f64, skins: &[OnceLock<Skin>]) -> SurfaceMesh {
        self.chosen(particles, time, skins, |bends| bends)
    }

    /// Mesh of the pieces that are chosen by whether they bend.
    fn chosen(
        &self,
        particles: &[Vertex],
        time: f64,
        skins: &[OnceLock<Skin>],
        is_chosen: fn(bool) -> bool,
    ) -> SurfaceMesh {
        let mut all = SurfaceMesh::default();
        let motions = self.at(particles, time);
        let bends = bends(&motions);
        let missing: Vec<usize> = (0..bends.len()).filter(|&k| bends[k] && skins[k].get().is_none()).collect();
        for skin in Skin::of(self, &missing, Skin::EDGE) {
            let _ = skins[skin.index()].set(skin);
        }
        let pieces = self.pieces.pieces.iter().zip(&motions).zip(bends).zip(skins);
        for (((piece, motion), bends), skin) in pieces.filter(|(((_, at), bends), _)| at.is_shown && is_chosen(*bends))
        {
            let skin = skin.get().filter(|_| bends);
            let bent = skin.map(|skin| {
                let (places, normals) = skin.at(self, motion, particles, time);
                Bent { skin, places, normals }
            });
            let lips = open_lips(skin.map_or(piece, Skin::piece), time);
            let mean = |of| piece.mean(particles, of);
            let (damage, charge) = (mean(|particle| particle.damage), mean(|particle| particle.charge));
            let like = Corner { damage, charge, piece: motion.number as i32, ..Corner::default() };
            Posed { piece: skin.map_or(piece, Skin::piece), motion, bent, lips }.add(like, &mut all);
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
            let (misfit, opening, is_shown) = (0.0, 0.0, true);
            let motion = PieceMotion { pose, velocity: still, spin: still, misfit, opening, number: k, is_shown };
            let like = Corner { piece: k as i32, ..Corner::default() };
            Posed { piece, motion: &motion, bent: None, lips: HashMap::new() }.add(like, &mut all);
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
    /// Sides of the open cracks at its points.
    lips: HashMap<u32, [u32; 2]>,
}

/// Sides of the open cracks at points of a piece, but for those where one ends.
fn open_lips(piece: &Piece, time: f64) -> HashMap<u32, [u32; 2]> {
    let open = piece.lips.iter().filter(|lip| lip.parted <= time).map(|lip| (lip.point, lip.sides));
    let all: HashSet<(u32, [u32; 2])> = open.clone().collect();
    open.filter(|(point, [own, other])| !all.contains(&(*point, [*other, *own]))).collect()
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
        // both sides of a crack that ends in the piece are in one place at rest
        let all_points = || (0..mesh.points.len() as u32).collect();
        let welded: Vec<u32> = if self.piece.lips.is_empty() { weld(&mesh.points) } else { all_points() };
        let mut firsts = HashMap::new();
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
            let lip = |&k: &u32| self.lips.get(&mesh.corners[of_faces.corners[k as usize] as usize].point);
            let lip = |triangle: &[u32; 3]| triangle.iter().find_map(lip).copied().unwrap_or_default();
            let face = |triangle| Face { is_crack, body, lip: lip(triangle) };
            all.faces.extend(of_faces.triangles.iter().map(face));
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

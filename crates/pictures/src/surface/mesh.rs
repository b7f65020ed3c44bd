use std::borrow::Cow;

use bdem_core::geometry::Vec3;

/// Triangle mesh with properties of its vertices and faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices of the triangles.
    pub corners: Vec<Corner>,
    /// Indices of three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Face of each triangle. Empty where all are outer surface of the first body.
    pub faces: Vec<Face>,
    /// Unit normals of the vertices. Empty where they are means of the triangles' around each.
    pub normals: Vec<[f32; 3]>,
    /// First vertex at the point of each vertex: more than one have it where edges are sharp. Empty where each has its own.
    pub points: Vec<u32>,
    /// Whether its particles have charges.
    pub has_charge: bool,
}

/// Origin of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// Whether it is on a crack; else on the outer surface.
    pub is_crack: bool,
    /// Index of its body.
    pub body: u16,
    /// Sides of the open crack in its piece that it lies at: its own and the other. Equal where it lies at none.
    pub lip: [u32; 2],
}

impl SurfaceMesh {
    /// Adds the triangles of another.
    pub(crate) fn add(&mut self, other: Self) {
        let first = self.corners.len() as u32;
        let own = || (0..other.corners.len() as u32).collect();
        let points: Vec<u32> = if other.points.is_empty() { own() } else { other.points };
        self.points.extend(points.into_iter().map(|point| first + point));
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        self.corners.extend(other.corners);
        self.normals.extend(other.normals);
        self.faces.extend(other.faces);
    }

    /// The mesh with normals that are means of those of the triangles around each vertex, weighted by area.
    pub(crate) fn with_mean_normals(mut self) -> Self {
        let place = |k: u32| {
            let Corner { x, y, z, .. } = self.corners[k as usize];
            Vec3::new(x.into(), y.into(), z.into())
        };
        let mut sums = vec![Vec3::zeros(); self.corners.len()];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(place);
            corners.iter().for_each(|corner| sums[*corner as usize] += (b - a).cross(&(c - a)));
        }
        let normal = |sum: Vec3| sum.try_normalize(0.0).unwrap_or_default().map(|x| x as f32).into();
        self.normals = sums.into_iter().map(normal).collect();
        self
    }

    /// The mesh without normals, with one vertex a point.
    pub(super) fn welded(&self) -> Cow<'_, Self> {
        if self.points.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut mesh = Self { corners: Vec::new(), normals: Vec::new(), points: Vec::new(), ..self.clone() };
        let mut numbers: Vec<u32> = Vec::with_capacity(self.points.len());
        for (k, (&first, corner)) in self.points.iter().zip(&self.corners).enumerate() {
            if first as usize == k {
                mesh.corners.push(*corner);
                numbers.push(mesh.corners.len() as u32 - 1);
            } else {
                numbers.push(numbers[first as usize]);
            }
        }
        mesh.triangles.as_flattened_mut().iter_mut().for_each(|corner| *corner = numbers[*corner as usize]);
        Cow::Owned(mesh)
    }

    /// Face of the triangle at index `k`.
    pub fn face(&self, k: usize) -> Face {
        self.faces.get(k).copied().unwrap_or_default()
    }

    /// Face of each vertex: on a crack where all of its triangles are.
    pub(crate) fn corner_faces(&self) -> Vec<Face> {
        let mut faces: Vec<Option<Face>> = vec![None; self.corners.len()];
        for (k, triangle) in self.triangles.iter().enumerate() {
            let own = self.face(k);
            for &corner in triangle {
                if let Some(face) = faces.get_mut(corner as usize) {
                    face.get_or_insert(own).is_crack &= own.is_crack;
                }
            }
        }
        faces.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// Vertex of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner {
    /// Position along x, m.
    pub x: f32,
    /// Position along y, m.
    pub y: f32,
    /// Position along z, m.
    pub z: f32,
    /// Velocity along x, m/s.
    pub vx: f32,
    /// Velocity along y, m/s.
    pub vy: f32,
    /// Velocity along z, m/s.
    pub vz: f32,
    /// Broken share of the first bonds of the particles nearby.
    pub damage: f32,
    /// Smallest id in its piece.
    pub piece: i32,
    /// Mean charge of a particle nearby, C.
    pub charge: f32,
}

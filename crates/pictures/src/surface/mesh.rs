/// Triangle mesh with properties of its vertices and faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices of the triangles.
    pub corners: Vec<Corner>,
    /// Indices of three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Face of each triangle. Empty where all are outer surface of the first body.
    pub faces: Vec<Face>,
    /// Unit normals of the vertices. Empty where those of the triangles count.
    pub normals: Vec<[f32; 3]>,
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
}

impl SurfaceMesh {
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

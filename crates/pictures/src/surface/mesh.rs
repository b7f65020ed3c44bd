/// Triangle mesh with properties of its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices of the triangles.
    pub corners: Vec<Corner>,
    /// Indices of three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether its particles have charges.
    pub has_charge: bool,
}

impl SurfaceMesh {
    /// 1 for a triangle on a crack, 0 for one on the outer surface. Vertices on the rim of a crack count as its own: a
    /// triangle is on it when all of its vertices are.
    pub fn fracture(&self, triangle: &[u32; 3]) -> i32 {
        i32::from(triangle.iter().all(|&corner| self.corners[corner as usize].fracture != 0))
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
    /// 1 on a crack, 0 on the outer surface.
    pub fracture: i32,
    /// Mean charge of a particle nearby, C.
    pub charge: f32,
}

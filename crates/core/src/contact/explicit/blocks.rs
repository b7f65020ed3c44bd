use crate::simd::Row8;

/// Contacts a block.
pub(super) const BLOCK: usize = 8;

/// Contacts of one kind, with particles or with walls, in the layout of the kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// The contacts, eight a block.
    pub blocks: Vec<Block>,
    /// Number of contacts.
    pub count: usize,
    /// Laws: distance at which two particles begin to touch, or radius of a particle on a wall (m); stiffness (N/m), size (m),
    /// softening (m) and damping (N s/m) of the normal spring; static and sliding friction; tangential stiffness over the
    /// normal one.
    pub laws: Vec<Row8>,
    /// Geometry of contacts with walls, by their laws: gaps at the start and at the end (m), unit normal to the wall, and the
    /// wall's displacement at the contact point (m).
    pub geometry: Vec<Row8>,
}

/// Eight contacts. A partial block ends with copies of its last one, whose forces go to a spare row.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    /// Particles; that of a contact with a wall twice.
    pub ends: [[u32; BLOCK]; 2],
    /// Rows of the particles in the chunk's sums.
    pub rows: [[u32; BLOCK]; 2],
    /// Indices of the laws.
    pub laws: [u32; BLOCK],
    /// Indices of the tangential springs.
    pub springs: [u32; BLOCK],
    /// Radii of the particles, m.
    pub radii: [[f64; BLOCK]; 2],
}

/// One contact of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub ends: [u32; 2],
    pub rows: [u32; 2],
    pub law: u32,
    pub spring: u32,
    pub radii: [f64; 2],
}

impl Contacts {
    /// Removes all contacts, and keeps laws.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.count = 0;
    }

    /// Makes room for this many contacts.
    pub(super) fn reserve(&mut self, contacts: usize) {
        self.blocks.reserve(contacts.div_ceil(BLOCK).saturating_sub(self.blocks.len()));
        self.laws.reserve(contacts.saturating_sub(self.laws.len()));
    }

    /// Adds a contact; `spare` is a row of the sums that counts for nothing.
    pub(super) fn push(&mut self, entry: &Entry, spare: u32) {
        let lane = self.count % BLOCK;
        if lane == 0 {
            self.blocks.push(Block {
                ends: [[0; BLOCK]; 2],
                rows: [[spare; BLOCK]; 2],
                laws: [0; BLOCK],
                springs: [0; BLOCK],
                radii: [[0.0; BLOCK]; 2],
            });
        }
        let block = self.blocks.last_mut().expect("a block was added");
        for k in 0..2 {
            block.ends[k][lane..].fill(entry.ends[k]);
            block.rows[k][lane] = entry.rows[k];
            block.radii[k][lane..].fill(entry.radii[k]);
        }
        block.laws[lane..].fill(entry.law);
        block.springs[lane..].fill(entry.spring);
        self.count += 1;
    }

    /// Sets the damping (N s/m) of a contact with a law of its own.
    pub(super) fn set_damping(&mut self, k: usize, damping: f64) {
        self.laws[self.blocks[k / BLOCK].laws[k % BLOCK] as usize].0[4] = damping;
    }
}

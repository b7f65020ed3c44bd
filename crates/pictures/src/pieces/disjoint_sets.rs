/// Sets of numbers that are joined pair by pair (a union-find forest). Each is known by its smallest number.
pub(super) struct DisjointSets {
    roots: Vec<u32>,
}

impl DisjointSets {
    /// Sets of one number each, below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { roots: (0..count as u32).collect() }
    }

    /// Smallest number of the set that a number is in.
    pub(super) fn find(&mut self, mut i: u32) -> u32 {
        while self.roots[i as usize] != i {
            // halve the path
            self.roots[i as usize] = self.roots[self.roots[i as usize] as usize];
            i = self.roots[i as usize];
        }
        i
    }

    /// Makes the sets of two numbers one.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let [a, b] = [self.find(a), self.find(b)];
        self.roots[a.max(b) as usize] = a.min(b);
    }
}

/// Numbers at random, to three digits: the same ones for the same seed (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn between(&mut self, least: f64, most: f64) -> f64 {
        rounded(least + (most - least) * self.roll())
    }

    /// A number whose logarithm is evenly spread.
    pub(super) fn power(&mut self, least: f64, most: f64) -> f64 {
        rounded(least * (most / least).powf(self.roll()))
    }

    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.roll() < share
    }

    pub(super) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[(self.roll() * among.len() as f64) as usize]
    }

    /// A vector of components of at most this size.
    pub(super) fn vector(&mut self, most: f64) -> [f64; 3] {
        [(); 3].map(|()| self.between(-most, most))
    }
}

fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().expect("a number")
}

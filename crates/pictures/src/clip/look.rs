/// Look of a body's material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Colour of the outside: linear red, green and blue from 0 to 1.
    pub outside: [f64; 3],
    /// Colour of crack faces.
    pub inside: [f64; 3],
    /// Roughness of the outside from 0 to 1. Cracks are rough.
    pub roughness: f64,
}

impl Default for Look {
    /// Grey outside, and lighter on cracks.
    fn default() -> Self {
        Self { outside: [0.45, 0.47, 0.5], inside: [0.75, 0.72, 0.68], roughness: 0.5 }
    }
}

impl Look {
    /// Roughness of crack faces.
    pub const INSIDE_ROUGHNESS: f64 = 0.9;

    /// Look of a material by its name: the first preset whose word is in it, or the default.
    pub fn named(material: &str) -> Self {
        let name = material.to_ascii_lowercase();
        let look = |outside, inside, roughness| Self { outside, inside, roughness };
        let presets = [
            ("ceramic", look([0.2, 0.35, 0.55], [0.85, 0.82, 0.76], 0.2)),
            ("porcelain", look([0.85, 0.85, 0.83], [0.8, 0.79, 0.76], 0.15)),
            ("clay", look([0.55, 0.25, 0.13], [0.62, 0.3, 0.17], 0.85)),
            ("chocolate", look([0.12, 0.045, 0.02], [0.17, 0.07, 0.035], 0.35)),
            ("glass", look([0.75, 0.85, 0.83], [0.6, 0.78, 0.74], 0.05)),
            ("wood", look([0.4, 0.22, 0.1], [0.65, 0.45, 0.25], 0.6)),
            ("concrete", look([0.45, 0.44, 0.42], [0.38, 0.37, 0.35], 0.95)),
        ];
        presets.into_iter().find(|(word, _)| name.contains(word)).map_or_else(Self::default, |(_, look)| look)
    }
}

use std::sync::Arc;

use bdem_core::forms::{self, Forms, allow_names};
use bdem_core::geometry::packing::{self, Packed, Rope, Shell, Woven};
use bdem_core::geometry::shape::Thicknesses;
use schemars::{JsonSchema, Schema};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::body::Matter;
use super::bond_file;
use super::check::{At, Fault};
use super::crumbs::without_crumbs;
use super::files::Files;
use super::particle_file::{self, Spheres, WIDEST_RANGE};
use super::store::{self, Bounds, PackingStore};
use super::{AxisAngle, MeshFile};

/// Arrangement of a body's particles and of its bonds. The first three fill the body's shape, the others have none.
/// Where every key has a default the name alone will do.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(transform = allow_plain)]
pub enum Packing {
    /// Hexagonal close packing, with bonds between spheres that touch, or across gaps.
    Hexagonal(HexagonalPacking),
    /// Random close packing, with bonds across gaps to all neighbours: eight a sphere.
    Random(RandomPacking),
    /// The same with bonds across small gaps only: six a sphere.
    RandomLoose(RandomPacking),
    /// Layers that follow the surface, with bonds across gaps.
    Shell(ShellPacking),
    /// Rope about the x axis, twisted as a whole: strands side by side, each a bundle of yarns, each a chain of
    /// touching spheres. Strands and yarns are arranged in a hexagonal lattice, spread as the twist requires. Under strong twist the outermost yarns touch, and the inner ones have gaps.
    Rope(Rope),
    /// Cloth in plain weave in the plane of x and y: warp along y and weft along x, each yarn a chain of touching
    /// spheres, alternately over and under the others. Crossing yarns touch, and do not overlap.
    Woven(Woven),
    /// Particles from a file, with bonds across gaps.
    Particles(ParticleFile),
    /// Vertices of a mesh, open or closed, with its edges as springs.
    Edges(MeshFile),
}

/// Hexagonal close packing.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Hexagonal")]
pub struct HexagonalPacking {
    /// Layers moved apart until the outermost touch the faces of a box, or the ends of a cylinder or tube, by at most a
    /// quarter. Their bonds are longer by as much. Without it the spheres touch, and end somewhere below the faces. A
    /// rotated lattice has no layers along the faces.
    pub fit: bool,
    /// Rotation of the lattice within the shape.
    pub rotation: AxisAngle,
    /// Greatest gap that is bonded, in radii. 0.83 reaches the second ring of neighbours.
    #[schemars(range(min = 0.0, max = WIDEST_GAP))]
    pub gap: f64,
}

/// Random close packing.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Random")]
pub struct RandomPacking {
    /// Smallest and largest radius, m, in place of the body's `particle_radius`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0.0)))]
    pub radius_range: Option<[f64; 2]>,
    /// Greatest gap that is bonded, as a share of the mean radius of two particles. By default 0.2, in `random-loose` 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = WIDEST_GAP))]
    pub gap: Option<f64>,
}

/// Layers of particles that follow the surface.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Shell")]
pub struct ShellPacking {
    /// Number of layers under the surface, a diameter apart: one to five.
    #[schemars(range(min = 1, max = MOST_LAYERS))]
    pub layers: u32,
    /// Also fill the rest: walls of up to twice as many particles and one have layers from one surface to the other,
    /// thicker parts are packed at random below the layers.
    pub fill: bool,
    /// Greatest gap that is bonded, as a share of the mean radius of two particles.
    #[schemars(range(min = 0.0, max = WIDEST_GAP))]
    pub gap: f64,
}

/// Particles from a file: a row of CSV or of text, a vertex of PLY or an atom of LAMMPS each.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParticleFile {
    /// Path of a CSV or PLY file, of text as YADE exports it (`.txt`), or of a data file of LAMMPS (`.data`, `.lmp`), whose bonds and
    /// velocities are read too. It is relative to the scene's folder.
    pub file: String,
    /// Path of a CSV file with the columns `i` and `j`, or of a PLY file with the element `edge`: the pairs of particles to bond, by their
    /// rows in `file`, from 0. Then no others are bonded, and `gap` does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonds: Option<String>,
    /// Greatest gap that is bonded, as a share of the mean radius of two particles.
    #[serde(default = "small_gap")]
    #[schemars(range(min = 0.0, max = WIDEST_GAP))]
    pub gap: f64,
}

/// Gap that reaches the neighbours that touch. Random packings leave gaps of about a hundredth of a radius between them.
const TOUCHING_GAP: f64 = 0.05;

/// Gap that reaches most neighbours of a random packing: 8 a sphere.
const NEIGHBOUR_GAP: f64 = 0.2;

fn small_gap() -> f64 {
    TOUCHING_GAP
}

impl Default for Packing {
    fn default() -> Self {
        Self::Hexagonal(HexagonalPacking::default())
    }
}

impl Default for HexagonalPacking {
    fn default() -> Self {
        Self { fit: true, rotation: AxisAngle::default(), gap: 0.0 }
    }
}

impl Default for ShellPacking {
    /// Default gap: neighbours in a layer lie up to 0.6 r apart, in two layers up to 0.4 r.
    fn default() -> Self {
        Self { layers: 1, fill: false, gap: 0.6 }
    }
}

/// Limit on gaps, in mean radii. Wider ones would bond spheres that are not neighbours.
const WIDEST_GAP: f64 = 1.0;

const MOST_LAYERS: u32 = 5;

impl Packing {
    /// Whether it fills a shape.
    pub(super) fn has_shape(&self) -> bool {
        matches!(self, Self::Hexagonal(_) | Self::Random(_) | Self::RandomLoose(_) | Self::Shell(_))
    }

    /// Whether it has radii of its own, in place of the body's.
    pub(super) fn has_radii(&self) -> bool {
        self.radius_range().is_some() || matches!(self, Self::Particles(_))
    }

    /// Smallest and largest radius (m) of the particles, for a body's `radius`. None where a file has the radii.
    pub(super) fn radii(&self, radius: Option<f64>) -> Option<[f64; 2]> {
        self.radius_range().or(radius.map(|radius| [radius; 2]))
    }

    /// Smallest and largest radius (m) that the packing has of its own.
    fn radius_range(&self) -> Option<[f64; 2]> {
        match self {
            Self::Random(random) | Self::RandomLoose(random) => random.radius_range,
            _ => None,
        }
    }

    /// Whether it is the lattice of touching spheres, whose moduli are known in closed form.
    pub(super) fn is_lattice(&self) -> bool {
        matches!(self, Self::Hexagonal(hexagonal) if hexagonal.gap == 0.0)
    }

    /// Whether it is the random packing of one radius with its usual gap.
    pub(super) fn is_usual_random(&self) -> bool {
        let is_usual = |gap: Option<f64>| gap.is_none_or(|gap| gap == NEIGHBOUR_GAP);
        matches!(self, Self::Random(RandomPacking { radius_range: None, gap }) if is_usual(*gap))
    }

    /// The packing with a spread of radii scaled to the mean `radius` (m).
    pub(super) fn scaled_to(&self, radius: f64) -> Self {
        let mut scaled = self.clone();
        if let Self::Random(random) | Self::RandomLoose(random) = &mut scaled
            && let Some([low, high]) = random.radius_range
        {
            let factor = 2.0 * radius / (low + high);
            random.radius_range = Some([low * factor, high * factor]);
        }
        scaled
    }

    /// Checks that hold for any radius of the particles.
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        match self {
            Self::Hexagonal(hexagonal) => {
                let at = at.key("hexagonal");
                hexagonal.rotation.check(&at.key("rotation"))?;
                check_gap(hexagonal.gap, &at)
            }
            Self::Random(random) => random.check(&at.key("random")),
            Self::RandomLoose(random) => random.check(&at.key("random-loose")),
            Self::Shell(shell) => shell.check(&at.key("shell")),
            Self::Rope(rope) => check_rope(rope, &at.key("rope")),
            Self::Woven(woven) => check_woven(woven, &at.key("woven")),
            Self::Particles(file) => check_gap(file.gap, &at.key("particles")),
            Self::Edges(_) => Ok(()),
        }
    }

    /// Check that yarns, or the layers of a shell, fit particles of `radius` (m).
    pub(super) fn check_fit(&self, matter: &Matter, radius: f64, at: &At) -> Result<(), Fault> {
        match (self, matter) {
            (Self::Shell(shell), Matter::Solid(solid)) => {
                shell.check_fit(solid.thicknesses(), radius, &at.key("shell"))
            }
            (Self::Rope(rope), _) => check_rope_fit(rope, radius, &at.key("rope")),
            (Self::Woven(woven), _) => {
                let expected = format!("large enough for crossing yarns of particles of radius {radius:?}");
                at.key("woven").key("size").expect(woven.estimate(radius) > 0.0, woven.size, &expected)
            }
            _ => Ok(()),
        }
    }

    /// Distance from the origin to the farthest part of a body without a shape, m. 0 for particles from a file.
    pub(super) fn reach(&self) -> f64 {
        match self {
            Self::Rope(rope) => rope.length,
            Self::Woven(woven) => libm::hypot(woven.size[0], woven.size[1]),
            _ => 0.0,
        }
    }

    /// Content of a body without a shape.
    pub(super) fn load(&self, files: &mut Files, at: &At) -> Result<Matter, Fault> {
        if let Self::Edges(mesh) = self {
            return mesh.load_edges(files, &at.key("edges")).map(|edges| Matter::Edges(Arc::new(edges)));
        }
        let Self::Particles(particles) = self else { return Ok(Matter::Yarns) };
        particles.load(files, &at.key("particles")).map(|spheres| Matter::Spheres(Arc::new(spheres)))
    }

    /// Name of the file that its particles are from, one a row or vertex.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::Particles(ParticleFile { file, .. }) | Self::Edges(MeshFile { file, .. }) => Some(file),
            _ => None,
        }
    }

    /// Absolute path in place of the file's name.
    pub(super) fn make_paths_absolute(&mut self, files: &Files) {
        if let Self::Particles(ParticleFile { file, .. }) | Self::Edges(MeshFile { file, .. }) = self {
            *file = files.absolute_path(file);
        }
        if let Self::Particles(ParticleFile { bonds: Some(bonds), .. }) = self {
            *bonds = files.absolute_path(bonds);
        }
    }

    /// Approximate number of particles with radii (m) in `range`.
    pub(super) fn estimate(&self, matter: &Matter, range: Option<[f64; 2]>) -> f64 {
        let [low, high] = range.unwrap_or_default();
        match (self, matter) {
            (Self::Hexagonal(_), Matter::Solid(solid)) => packing::estimate(solid.volume(), high),
            (Self::Random(_) | Self::RandomLoose(_), Matter::Solid(solid)) => {
                packing::estimate_random(solid.volume(), [low, high])
            }
            (Self::Shell(shell), Matter::Solid(solid)) => shell.of(high).estimate(&solid.shape, solid.volume()),
            (Self::Rope(rope), _) => rope.estimate(high),
            (Self::Woven(woven), _) => woven.estimate(high),
            (Self::Particles(_), Matter::Spheres(spheres)) => spheres.radii.len() as f64,
            (Self::Edges(_), Matter::Edges(edges)) => edges.vertices.len() as f64,
            _ => unreachable!("{MADE_FOR_IT}"),
        }
    }

    /// Packed particles of `body`, of radii (m) in `range`. Those that take long come from the `store` if it has them.
    pub(super) fn pack(
        &self,
        matter: &Matter,
        range: Option<[f64; 2]>,
        seed: u64,
        body: &str,
        store: &mut dyn PackingStore,
    ) -> Packed {
        let [low, high] = range.unwrap_or_default();
        let estimate = || self.estimate(matter, range);
        let bounds = |solid| Bounds { solid, radii: [low, high], estimate: &estimate };
        match (self, matter) {
            (Self::Hexagonal(hexagonal), Matter::Solid(solid)) => {
                let centres = packing::hexagonal_turned(&solid.shape, high, &hexagonal.rotation.quaternion());
                let mut packed = Packed::equal(centres, high, hexagonal.gap + TOUCH);
                if hexagonal.fit && hexagonal.rotation.degrees == 0.0 {
                    packing::fit_layers(&solid.shape, high, &mut packed.centres);
                }
                packed
            }
            (Self::Random(random) | Self::RandomLoose(random), Matter::Solid(solid)) => {
                let solid = &solid.shape;
                let key = store::key("random", solid, &[low, high], seed);
                let Spheres { centres, radii, .. } = store::find_or(store, &key, &bounds(solid), body, |progress| {
                    let (centres, radii) = packing::random_with(solid, [low, high], seed, progress);
                    Spheres { centres, radii, ..Spheres::default() }
                });
                let usual = if matches!(self, Self::Random(_)) { NEIGHBOUR_GAP } else { TOUCHING_GAP };
                Packed::bonded(centres, radii, random.gap.unwrap_or(usual))
            }
            (Self::Shell(shell), Matter::Solid(solid)) => {
                let kind = if shell.fill { "filled shell" } else { "shell" };
                let key = store::key(kind, &solid.shape, &[f64::from(shell.layers), high], seed);
                let Spheres { centres, radii, .. } =
                    store::find_or(store, &key, &bounds(&solid.shape), body, |progress| {
                        let centres = shell.of(high).pack(&solid.shape, seed, progress);
                        Spheres { radii: vec![high; centres.len()], centres, ..Spheres::default() }
                    });
                let packed = Packed::bonded(centres, radii, shell.gap);
                if shell.fill { without_crumbs(packed) } else { packed }
            }
            (Self::Rope(rope), _) => rope.pack(high),
            (Self::Woven(woven), _) => woven.pack(high),
            (Self::Particles(file), Matter::Spheres(spheres)) => {
                let (centres, radii) = (spheres.centres.clone(), spheres.radii.clone());
                match &spheres.bonds {
                    Some(bonds) => Packed { centres, radii, bonds: bonds.clone() },
                    None => Packed::bonded(centres, radii, file.gap),
                }
            }
            (Self::Edges(_), Matter::Edges(edges)) => {
                let radius = range.map_or(0.5 * edges.shortest(), |[radius, _]| radius);
                let (centres, bonds) = (edges.vertices.clone(), edges.pairs.clone());
                Packed { radii: vec![radius; centres.len()], centres, bonds }
            }
            _ => unreachable!("{MADE_FOR_IT}"),
        }
    }
}

const MADE_FOR_IT: &str = "a body's matter is loaded for its packing";

/// Tolerance of touching spheres, as a share of their radii: rounding.
const TOUCH: f64 = 2e-6;

impl RandomPacking {
    fn check(&self, at: &At) -> Result<(), Fault> {
        if let Some(range) = self.radius_range {
            let [low, high] = range;
            let good = low > 0.0 && low <= high && high <= WIDEST_RANGE * low && high.is_finite();
            let expected =
                format!("[smallest, largest] in metres, positive, the largest at most {WIDEST_RANGE} times more");
            at.key("radius_range").expect(good, range, &expected)?;
        }
        self.gap.map_or(Ok(()), |gap| check_gap(gap, at))
    }
}

impl ShellPacking {
    fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("layers").at_least_one(self.layers)?;
        at.key("layers").at_most(self.layers, MOST_LAYERS)?;
        check_gap(self.gap, at)
    }

    /// Geometry of a shell of particles of `radius` (m).
    pub(super) fn of(&self, radius: f64) -> Shell {
        Shell { radius, layers: self.layers, fill: self.fill }
    }

    /// Check that the innermost layer of a hollow shell lies above the middle of most walls.
    fn check_fit(&self, thicknesses: &Thicknesses, radius: f64, at: &At) -> Result<(), Fault> {
        if self.fill {
            return Ok(());
        }
        let needed = 2.0 * radius * f64::from(2 * self.layers - 1);
        let expected =
            format!("fewer, or the shape at least {needed:?} m thick; fill = true fits layers into thin walls");
        at.key("layers").expect(thicknesses.thinner(0.5) >= needed * (1.0 - 1e-9), self.layers, &expected)
    }
}

impl ParticleFile {
    /// Spheres of the file, with the bonds that are listed. A file that lists some itself is noticed, unless `bonds` names one.
    fn load(&self, files: &mut Files, at: &At) -> Result<Spheres, Fault> {
        let Self { file, bonds, .. } = self;
        let at_file = at.key("file");
        let bytes = files.read(file, &at_file)?;
        let spheres = particle_file::read(file, &bytes).map_err(|why| at_file.wrong(format!("{file}: {why}")))?;
        let Some(bonds) = bonds else {
            if bond_file::has_bonds(file, &bytes) {
                let notice = at_file.wrong(format!("{file} lists pairs of particles, which are not read as bonds"));
                files.notices.push(notice.help("name the file that has the bonds, as bonds = \"FILE\""));
            }
            return Ok(spheres);
        };
        let at = at.key("bonds");
        let pairs = bond_file::read(bonds, &files.read(bonds, &at)?, spheres.rows.len());
        let pairs = pairs.map_err(|why| at.wrong(format!("{bonds}: {why}")).help(bond_file::REMEDY))?;
        Ok(spheres.bonded(&pairs))
    }
}

fn check_gap(gap: f64, at: &At) -> Result<(), Fault> {
    at.key("gap").expect((0.0..=WIDEST_GAP).contains(&gap), gap, &format!("from 0 to {WIDEST_GAP}"))
}

fn check_rope(rope: &Rope, at: &At) -> Result<(), Fault> {
    /// Limit on the yarns of a rope.
    const MAX_YARNS: u32 = 1000;
    at.key("length").positive(rope.length, " of metres")?;
    at.key("strands").at_least_one(rope.strands)?;
    at.key("strands").at_most(rope.strands, MAX_YARNS)?;
    at.key("yarns").at_least_one(rope.yarns)?;
    at.key("yarns").at_most(rope.yarns, MAX_YARNS / rope.strands)?;
    at.key("turns").expect(rope.turns.is_finite(), rope.turns, "a finite number")
}

fn check_rope_fit(rope: &Rope, radius: f64, at: &At) -> Result<(), Fault> {
    let expected = format!("at least a particle's diameter, {:?}", 2.0 * radius);
    at.key("length").expect(rope.length >= 2.0 * radius * (1.0 - 1e-9), rope.length, &expected)?;
    let slope = rope.slope(radius);
    let most = rope.turns.abs() * Rope::MAX_SLOPE / slope;
    let expected = format!("at most {most:.4} a metre, or yarns would lie across the rope");
    at.key("turns").expect(slope <= Rope::MAX_SLOPE, rope.turns, &expected)
}

fn check_woven(woven: &Woven, at: &At) -> Result<(), Fault> {
    woven.size.iter().try_for_each(|&side| at.key("size").positive(side, " of metres"))?;
    woven.spacing.map_or(Ok(()), |spacing| at.key("spacing").positive(spacing, " of metres"))
}

impl Serialize for Packing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Packing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for Packing {
    const EXPECTED: &'static str = "a name or a table with one key";

    fn of_text<E: Error>(name: &str) -> Result<Self, E> {
        match name {
            "hexagonal" => Ok(Self::Hexagonal(HexagonalPacking::default())),
            "random" => Ok(Self::Random(RandomPacking::default())),
            "random-loose" => Ok(Self::RandomLoose(RandomPacking::default())),
            "shell" => Ok(Self::Shell(ShellPacking::default())),
            _ => Self::deserialize(StrDeserializer::new(name)),
        }
    }

    fn of_table<'de, M: MapAccess<'de>>(table: M) -> Result<Self, M::Error> {
        Self::deserialize(MapAccessDeserializer::new(table))
    }
}

/// Packings whose keys all have defaults.
fn allow_plain(schema: &mut Schema) {
    allow_names(schema, &["hexagonal", "random", "random-loose", "shell"]);
}

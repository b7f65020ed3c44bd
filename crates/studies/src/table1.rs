//! Table 1 of \[IBDEM\]: its seven scenes, explicit and implicit, each over an interval of simulated time that holds its action.

use bdem_pictures::plot::{AxisScale, Chart, Panel};
use bdem_run::run::RunError;
use bdem_run::run::compare::{CompareOptions, Comparison, Contender};
use bdem_run::scene::{Scene, SceneError};

use super::race::{self, Lines, Race};
use super::scenes::words;
use super::{Cell, Claim, Report, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "table1", about: "explicit and implicit time of the seven scenes of Table 1", run };

/// Selection of the table's rows, and how they are run.
#[derive(Clone, Debug)]
pub struct Table1 {
    /// Names among [`Table1::names`]. Empty for all.
    pub rows: Vec<String>,
    /// Integrators and steps of the runs.
    pub contenders: Vec<Contender>,
    /// Number of frames of all runs, if not that of the row.
    pub frames: Option<u32>,
    /// Frame to start from. The scene's own integrator brings the runs there.
    pub from_frame: u32,
    /// Cube root of the factor by which the number of particles is less: 2 makes an eighth of them.
    pub coarser: f64,
}

impl Default for Table1 {
    fn default() -> Self {
        Self { rows: Vec::new(), contenders: race::usual(), frames: None, from_frame: 0, coarser: 1.0 }
    }
}

/// Row of the paper's table.
struct Row {
    name: &'static str,
    scene: &'static str,
    /// Radius of the particles, m.
    radius: f64,
    /// Overrides that make the scene the paper's, for a radius.
    set: fn(f64) -> Vec<String>,
    /// Body that falls on the floor.
    falls: Option<&'static str>,
    /// Number of the paper's frames that are measured, from the start of the scene.
    frames: u32,
    /// The paper's seconds per frame, explicit at 0.2 T and implicit.
    paper: [f64; 2],
}

const ROWS: [Row; 7] = [
    Row {
        name: "stretch",
        scene: "beam_stretch",
        radius: 0.0099,
        set: beam,
        falls: None,
        frames: 4,
        paper: [34.6, 3.52],
    },
    Row { name: "twist", scene: "beam_twist", radius: 0.0099, set: beam, falls: None, frames: 4, paper: [34.6, 14.76] },
    Row {
        name: "drape",
        scene: "beam_drape",
        radius: 0.0066,
        set: beam,
        falls: None,
        frames: 1,
        paper: [2230.9, 711.7],
    },
    Row {
        name: "drape-soft",
        scene: "beam_drape_soft",
        radius: 0.0053,
        set: beam,
        falls: None,
        frames: 2,
        paper: [255.2, 121.9],
    },
    Row {
        name: "chocolate",
        scene: "bar",
        radius: 0.00236,
        set: chocolate,
        falls: Some("bar"),
        frames: 2,
        paper: [857.8, 343.8],
    },
    Row {
        name: "plate",
        scene: "slab",
        radius: 0.00133,
        set: plate,
        falls: Some("slab"),
        frames: 1,
        paper: [4564.6, 1911.8],
    },
    Row {
        name: "cloth",
        scene: "cloth_woven",
        radius: 0.00215,
        set: cloth,
        falls: None,
        frames: 1,
        paper: [1299.6, 394.2],
    },
];

fn beam(radius: f64) -> Vec<String> {
    vec![format!("bodies.beam.particle_radius={radius}")]
}

/// Bar of the paper's size. Its damping is the largest that explicit steps allow.
fn chocolate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.bar.shape={ box = { size = [0.405, 0.2, 0.0585] } }",
        "materials.chocolate.damping=0.02",
        "time.frame_rate=480",
        "time.integrator=implicit-euler",
        "time.step=4.4e-5",
    ]);
    set.push(format!("bodies.bar.particle_radius={radius}"));
    set
}

fn plate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.slab.shape={ cylinder = { radius = 0.17, height = 0.035 } }",
        "materials.ceramic.damping=0.02",
        "time.frame_rate=480",
        "time.integrator=implicit-euler",
        "time.step=3.5e-5",
    ]);
    set.push(format!("bodies.slab.particle_radius={radius}"));
    set
}

/// Woven cloth of the paper's size, whose right edge turns so fast that yarns tear within a frame.
fn cloth(radius: f64) -> Vec<String> {
    const HALF: f64 = 0.755;
    let edge = HALF - (5.0 * radius).max(0.038);
    let mut set = words(&["materials.fabric.damping=0.02", "time.integrator=implicit-euler", "time.step=1.74e-5"]);
    set.extend([
        format!("bodies.sheet.packing={{ woven = {{ size = [{0}, {0}] }} }}", 2.0 * HALF),
        format!("bodies.sheet.particle_radius={radius}"),
        format!("constraints.0.region={{ box = {{ min = [-1, -1, -1], max = [-{edge}, 1, 1] }} }}"),
        format!("constraints.1.region={{ box = {{ min = [{edge}, -1, -1], max = [1, 1, 1] }} }}"),
        format!("constraints.1.motion.rotation.point=[{HALF}, -{HALF}, 0]"),
        "constraints.1.motion.rotation.rate=-20.0".to_owned(),
    ]);
    set
}

/// Table at the paper's size, or at a small one.
fn run(setup: &Setup) -> Result<Report, RunError> {
    let trial = Table1 { frames: Some(1), coarser: 4.0, ..Table1::default() };
    let table = setup.choose(Table1::default(), trial);
    Ok(table.measure(setup)?.0)
}

impl Table1 {
    /// Names of the rows.
    pub fn names() -> [&'static str; 7] {
        ROWS.map(|row| row.name)
    }

    /// Report, and the comparisons behind it.
    ///
    /// # Errors
    /// When a scene is too large, the solver gives up before the first frame, or the run is interrupted.
    pub fn measure(&self, setup: &Setup) -> Result<(Report, Vec<Comparison>), RunError> {
        let mut report = Report { table: race::table(&COLUMNS), ..Report::default() };
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let wanted = |(_, row): &(usize, &Row)| self.rows.is_empty() || self.rows.iter().any(|name| name == row.name);
        for (k, row) in ROWS.iter().enumerate().filter(wanted) {
            let comparison = self.compare(setup, row)?;
            lines.add("paper", (k + 1) as f64, Some(row.gain()));
            for race in Race::all(&comparison) {
                report.table.rows.push([row.cells(), race.cells()].concat());
                if race.is_compared() {
                    report.claims.push(row.claim(&race));
                    lines.add(&race.run.name, (k + 1) as f64, race.over_papers());
                }
            }
            found.push(comparison);
        }
        let panels = vec![Panel { title: "over explicit at 0.2 T, by rows of the table".to_owned(), lines: lines.0 }];
        let (x_label, y_label) = ("row", "times as fast");
        report.charts.push(Chart { name: "table1", x_label, y_label, scale: AxisScale::Upright, panels });
        Ok((report, found))
    }

    fn compare(&self, setup: &Setup, row: &Row) -> Result<Comparison, RunError> {
        let mut scene = row.scene(self.coarser)?;
        scene.time.frames = self.frames.unwrap_or(row.frames);
        let options = CompareOptions { from_frame: self.from_frame, ..CompareOptions::new(self.contenders.clone()) };
        race::run(setup, &scene, options)
    }
}

/// Columns before those of every race.
const COLUMNS: [(&str, &str); 4] = [
    ("scene", ""),
    ("paper: explicit", "s/frame"),
    ("paper: implicit", "s/frame"),
    ("paper: over 0.2 T", "times as fast"),
];

impl Row {
    /// Scene with the number of particles over the cube of `coarser`.
    fn scene(&self, coarser: f64) -> Result<Scene, SceneError> {
        // yarns fill an area
        let factor = if self.name == "cloth" { coarser * coarser.sqrt() } else { coarser };
        let mut set = (self.set)(self.radius * factor);
        if let Some(body) = self.falls {
            set.push(format!("bodies.{body}.position=[0, 0, {}]", self.height(body, &set)?));
        }
        load(self.scene, &set)
    }

    /// Height (m) of a falling body 10 um above the floor, so that the interval begins with the impact.
    fn height(&self, body: &str, set: &[String]) -> Result<f64, SceneError> {
        let [high, gap] = [1.0, 1e-5];
        let (world, state) =
            load(self.scene, &[set, &[format!("bodies.{body}.position=[0, 0, {high}]")]].concat())?.build()?;
        let lowest = state.p.iter().zip(&world.particles.radius).map(|(p, r)| p.z - r);
        Ok(high - lowest.fold(f64::INFINITY, f64::min) + gap)
    }

    /// The paper's speedup.
    fn gain(&self) -> f64 {
        self.paper[0] / self.paper[1]
    }

    fn cells(&self) -> Vec<Cell> {
        let [explicit, implicit] = self.paper;
        vec![self.name.into(), explicit.into(), implicit.into(), self.gain().into()]
    }

    fn claim(&self, race: &Race) -> Claim {
        Claim::new(
            format!("speedup of {} over explicit at 0.2 T: {}", race.run.name, self.name),
            "[IBDEM] Table 1",
            format!("{:.1}", self.gain()),
            race.over_papers().unwrap_or(f64::NAN),
        )
    }
}

//! Table 1 of \[IBDEM\]: its seven scenes, explicit and implicit.

use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use bdem_run::run::compare::{CompareOptions, Comparison, Contender};

use super::race::{self, Race};
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
    /// Wall-clock time of each run of a row, s.
    pub seconds: f64,
    /// Steps of each run before its clock starts.
    pub warm_up: u32,
    /// Frame to start from. The scene's own integrator brings the runs there.
    pub from_frame: u32,
    /// Factor on the radius of the particles: 2 makes an eighth of them.
    pub coarser: f64,
}

impl Default for Table1 {
    fn default() -> Self {
        let (warm_up, contenders) = (race::WARM_UP, race::usual());
        Self { rows: Vec::new(), contenders, seconds: 4.0, warm_up, from_frame: 0, coarser: 1.0 }
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
    /// The paper's seconds per frame, explicit at 0.2 T and implicit.
    paper: [f64; 2],
}

const ROWS: [Row; 7] = [
    Row { name: "stretch", scene: "beam_stretch", radius: 0.0099, set: beam, paper: [34.6, 3.52] },
    Row { name: "twist", scene: "beam_twist", radius: 0.0099, set: beam, paper: [34.6, 14.76] },
    Row { name: "drape", scene: "beam_drape", radius: 0.0066, set: beam, paper: [2230.9, 711.7] },
    Row { name: "drape-soft", scene: "beam_drape_soft", radius: 0.0053, set: beam, paper: [255.2, 121.9] },
    Row { name: "chocolate", scene: "bar", radius: 0.00236, set: chocolate, paper: [857.8, 343.8] },
    Row { name: "plate", scene: "slab", radius: 0.00133, set: plate, paper: [4564.6, 1911.8] },
    Row { name: "cloth", scene: "cloth", radius: 0.00215, set: cloth, paper: [1299.6, 394.2] },
];

fn words(set: &[&str]) -> Vec<String> {
    set.iter().map(|&word| word.to_owned()).collect()
}

fn beam(radius: f64) -> Vec<String> {
    vec![format!("bodies.beam.particle_radius={radius}")]
}

/// Bar of the paper's size, about to hit the floor. Its damping is the largest that explicit steps allow.
fn chocolate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.bar.shape={ box = { size = [0.405, 0.2, 0.0585] } }",
        "bodies.bar.position=[0, 0, 0.139]",
        "materials.chocolate.damping=0.02",
        "time.frame_rate=480",
        "time.step=4.4e-5",
    ]);
    set.push(format!("bodies.bar.particle_radius={radius}"));
    set
}

fn plate(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "bodies.slab.shape={ cylinder = { radius = 0.17, height = 0.035 } }",
        "bodies.slab.position=[0, 0, 0.0613]",
        "materials.ceramic.damping=0.02",
        "time.frame_rate=480",
        "time.step=3.5e-5",
    ]);
    set.push(format!("bodies.slab.particle_radius={radius}"));
    set
}

fn cloth(radius: f64) -> Vec<String> {
    let mut set = words(&[
        "constraints.0.region={ box = { min = [-1, -1, -0.1], max = [-0.79, 1, 0.1] } }",
        "constraints.1.region={ box = { min = [0.79, -1, -0.1], max = [1, 1, 0.1] } }",
        "constraints.1.motion.rotation.point=[0.8, -0.8, 0]",
    ]);
    let thickness = 2.1 * radius;
    set.push(format!("bodies.sheet.shape={{ box = {{ size = [1.62, 1.62, {thickness}] }} }}"));
    set.push(format!("bodies.sheet.particle_radius={radius}"));
    set
}

/// Table at the paper's size, or at a small one.
fn run(setup: &Setup) -> Result<Report, RunError> {
    let trial = Table1 { seconds: 0.2, coarser: 4.0, ..Table1::default() };
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
        let mut found = Vec::new();
        let wanted = |row: &&Row| self.rows.is_empty() || self.rows.iter().any(|name| name == row.name);
        for row in ROWS.iter().filter(wanted) {
            let comparison = self.compare(setup, row)?;
            for race in Race::all(&comparison) {
                report.table.rows.push([row.cells(), race.cells()].concat());
                report.claims.push(row.claim(&race));
            }
            found.push(comparison);
        }
        report.charts.push(chart(&report));
        Ok((report, found))
    }

    fn compare(&self, setup: &Setup, row: &Row) -> Result<Comparison, RunError> {
        let scene = load(row.scene, &(row.set)(row.radius * self.coarser))?;
        let options = CompareOptions {
            most_seconds: Some(self.seconds),
            warm_up: self.warm_up,
            from_frame: self.from_frame,
            ..CompareOptions::new(self.contenders.clone())
        };
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
    fn cells(&self) -> Vec<Cell> {
        let [explicit, implicit] = self.paper;
        vec![self.name.into(), explicit.into(), implicit.into(), (explicit / implicit).into()]
    }

    fn claim(&self, race: &Race) -> Claim {
        let [explicit, implicit] = self.paper;
        Claim::new(
            format!("speedup of {} over explicit at 0.2 T: {}", race.implicit.name, self.name),
            "[IBDEM] Table 1",
            format!("{:.1}", explicit / implicit),
            race.over_papers().unwrap_or(f64::NAN),
        )
    }
}

/// The paper's speedups and ours, by row.
fn chart(report: &Report) -> Chart {
    let number = |text: &str| text.parse().unwrap_or(f64::NAN);
    let line = |label: &str, of: &dyn Fn(&Claim) -> f64| {
        let points = report.claims.iter().enumerate().map(|(k, claim)| ((k + 1) as f64, of(claim))).collect();
        Line { label: label.to_owned(), points }
    };
    let lines = vec![line("paper", &|claim| number(&claim.paper)), line("here", &|claim| claim.ours)];
    let panels = vec![Panel { title: "implicit over explicit at 0.2 T, by rows of the table".to_owned(), lines }];
    let (x_label, y_label) = ("row", "times as fast");
    Chart { name: "table1", x_label, y_label, scale: AxisScale::Upright, panels }
}

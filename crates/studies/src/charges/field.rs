//! The field of charges (\[MSC\] Figs 3 and 7, table of section 5): error of the domain-discretised field over its grid, with
//! its far part and without, and time over the number of charges.
//!
//! The paper prints neither its meshes nor its measure of errors. Here clouds are random: in a box, on a sphere, on a torus.
//! Errors are relative errors of the field: over all targets together ("global"), their median, and their mean with the standard
//! deviation.

use std::f64::consts::TAU;
use std::time::Instant;

use bdem_core::charge::{Adjacency, Charges, DdefSettings, Field, Method, field, field_at};
use bdem_core::geometry::{Vec3, keyed};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::far::{self, Split};
use super::trace::mean_and_deviation;
use crate::{Cell, Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study =
    Study { name: "charges", about: "error of the field of charges over the grid, time over their number", run };

/// Charge, C.
const CHARGE: f64 = 6e-6;

/// Tolerance of the tree.
const TOLERANCE: f64 = 1e-3;

/// Number of targets whose exact field is computed for the errors.
const SAMPLE: usize = 200;

/// Most charges whose pairs are summed by the exact method, and by the paper's: the most of its Fig 7.
const MOST_PAIRS: [usize; 2] = [100_000, 530_000];

/// Shape of a cloud.
#[derive(Clone, Copy)]
enum Shape {
    Box,
    Sphere,
    Torus,
}

impl Shape {
    const ALL: [(Self, &str); 3] = [(Self::Box, "box"), (Self::Sphere, "sphere"), (Self::Torus, "torus")];

    /// Point `k`, m, from three uniform numbers.
    fn point(self, k: usize) -> Vec3 {
        let [a, b, c] = [0, 1, 2].map(|axis| keyed::uniform(43, (3 * k + axis) as u64));
        let circle = |share: f64| (libm::cos(TAU * share), libm::sin(TAU * share));
        match self {
            Self::Box => Vec3::new(a, b, c),
            Self::Sphere => {
                let (height, (x, y)) = (2.0 * a - 1.0, circle(b));
                let radius = (1.0 - height * height).sqrt();
                Vec3::new(radius * x, radius * y, height)
            }
            Self::Torus => {
                let ((x, y), (out, up)) = (circle(a), circle(b));
                let radius = 1.0 + 0.4 * out;
                Vec3::new(radius * x, radius * y, 0.4 * up)
            }
        }
    }
}

/// Places on a shape, m.
fn cloud(shape: Shape, n: usize) -> Vec<Vec3> {
    (0..n).map(|k| shape.point(k)).collect()
}

/// Field of like charges at `x` (m) by a method, and its time, s.
fn timed_field(x: &[Vec3], method: Method) -> (Field, f64) {
    let (q, start) = (vec![CHARGE; x.len()], Instant::now());
    let charges = Charges::new(x, &q, 0.0).expect("finite charges");
    let field = field(&charges, &method).expect("random points are apart");
    (field, start.elapsed().as_secs_f64())
}

/// Relative errors of the field of like charges at `places` (m) by exact sums at a sample of targets: the global one, the median, the mean and its deviation.
fn errors(places: &[Vec3], field: &Field) -> [f64; 4] {
    let (mut x, q, last) = (places.to_vec(), vec![CHARGE; places.len()], places.len() - 1);
    let mut exact = |i: usize| {
        // all but the target itself
        x.swap(i, last);
        let others = Charges::new(&x[..last], &q[..last], 0.0).expect("finite charges");
        let e = field_at(&others, &[places[i]], &Method::Exact).expect("random points are apart").e[0];
        x.swap(i, last);
        [(field.e[i] - e).norm(), e.norm()]
    };
    let step = places.len().div_ceil(SAMPLE);
    let pairs: Vec<[f64; 2]> = (0..places.len()).step_by(step).map(&mut exact).collect();
    let norm = |k: usize| pairs.iter().map(|pair| pair[k] * pair[k]).sum::<f64>().sqrt();
    let mut each: Vec<f64> = pairs.iter().map(|[off, all]| off / all).collect();
    each.sort_by(f64::total_cmp);
    let [mean, deviation] = mean_and_deviation(&each);
    [norm(0) / norm(1), each[each.len() / 2], mean, deviation]
}

/// A measured row.
struct Measured {
    cloud: &'static str,
    charges: usize,
    method: &'static str,
    /// Halton points.
    points: Option<f64>,
    seconds: f64,
    errors: [f64; 4],
}

impl Measured {
    fn cells(&self) -> Vec<Cell> {
        let mut cells =
            vec![self.cloud.into(), self.charges.into(), self.method.into(), self.points.into(), self.seconds.into()];
        cells.extend(self.errors.map(Cell::from));
        cells
    }
}

fn measure(cloud: &[Vec3], name: &'static str, method: (&'static str, Method)) -> Measured {
    let (field, seconds) = timed_field(cloud, method.1);
    let points = if let Method::Ddef(settings) = method.1 { Some(settings.points as f64) } else { None };
    Measured { cloud: name, charges: cloud.len(), method: method.0, points, seconds, errors: errors(cloud, &field) }
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("cloud", ""),
        ("charges", ""),
        ("method", ""),
        ("grid points m", ""),
        ("time", "s"),
        ("global error", ""),
        ("median error", ""),
        ("mean error", ""),
        ("its deviation", ""),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let (grids, parts, costs) = (over_grids(setup), other_splits(setup), over_charges(setup));
    report.table.rows = grids.iter().chain(&parts).chain(&costs).map(Measured::cells).collect();
    report.claims = grids.iter().filter(|row| row.points == Some(100.0)).map(error_claim).collect();
    report.claims.extend(parts.iter().filter_map(far_claim));
    report.claims.extend(gain_claims(&costs));
    report.charts = vec![error_chart(&grids), time_chart(&costs)];
    Ok(report)
}

/// The paper's method over its number of grid points, on all shapes.
fn over_grids(setup: &Setup) -> Vec<Measured> {
    let (n, grids): (usize, &[usize]) =
        setup.choose((4000, &[10, 30, 100, 300, 1000, 3000, 10_000]), (400, &[10, 100]));
    let mut rows = Vec::new();
    for (shape, name) in Shape::ALL {
        setup.log.note(&format!("{n} charges, {name}"));
        let cloud = cloud(shape, n);
        for (method, adjacency) in [("ddef, faces", Adjacency::Face), ("ddef, vertices", Adjacency::Vertex)] {
            let settings = |points| Method::Ddef(DdefSettings { points, adjacency });
            rows.extend(grids.iter().map(|&m| measure(&cloud, name, (method, settings(m)))));
        }
    }
    rows
}

/// The paper's method beside its near part alone, and beside the near and far parts that it prints.
fn other_splits(setup: &Setup) -> Vec<Measured> {
    let (n, grids): (usize, &[usize]) = setup.choose((4000, &[1000, 2000, 10_000]), (400, &[100]));
    let mut rows = Vec::new();
    for (shape, name) in Shape::ALL {
        let cloud = cloud(shape, n);
        for &points in grids {
            setup.log.note(&format!("{n} charges, {name}, far part, m = {points}"));
            let settings = DdefSettings { points, adjacency: Adjacency::Face };
            rows.push(measure(&cloud, name, (WHOLE, Method::Ddef(settings))));
            for (method, split) in SPLITS {
                let start = Instant::now();
                let field = far::field(&cloud, &vec![CHARGE; n], &settings, split);
                let (seconds, errors) = (start.elapsed().as_secs_f64(), errors(&cloud, &field));
                rows.push(Measured { cloud: name, charges: n, method, points: Some(points as f64), seconds, errors });
            }
        }
    }
    rows
}

/// Rows of the table of section 5.
const WHOLE: &str = "ddef, faces, section 5";
const NEAR: &str = "ddef, faces, far part ignored";
const SPLITS: [(&str, Split); 3] = [
    (NEAR, Split::NearAlone),
    ("ddef, faces, split as in section 3.1.3", Split::AsText),
    ("ddef, faces, split as in Algorithm 1", Split::AsAlgorithm),
];

/// The paper's mean and standard deviation, and our mean.
fn far_claim(row: &Measured) -> Option<Claim> {
    let points = row.points? as u32;
    let is_whole = row.method != NEAR;
    let paper = match (is_whole, points) {
        (true, 1000) => "0.046 (0.06)",
        (true, 2000) => "0.052 (0.03)",
        (true, 10_000) => "0.059 (0.09)",
        (false, 1000) => "0.078 (0.19)",
        (false, 2000) => "0.378 (0.93)",
        (false, 10_000) => "2.435 (6.68)",
        _ => return None,
    };
    let what = format!("mean error at m = {points}, {}, {}", row.cloud, row.method);
    Some(Claim::new(what, "[MSC] section 5", paper, row.errors[2]))
}

/// All methods over the number of charges in a box.
fn over_charges(setup: &Setup) -> Vec<Measured> {
    let sizes: &[usize] = setup.choose(&[1000, 3000, 10_000, 30_000, 100_000, 530_000, 1_000_000], &[500, 5000]);
    let methods = [
        ("exact", Method::Exact),
        ("ddef, vertices", Method::Ddef(DdefSettings::default())),
        ("tree", Method::Tree { tolerance: TOLERANCE }),
    ];
    let mut rows = Vec::new();
    for &n in sizes {
        setup.log.note(&format!("{n} charges"));
        let cloud = cloud(Shape::Box, n);
        let fits = |method: &&(&str, Method)| match method.1 {
            Method::Exact => n <= MOST_PAIRS[0],
            Method::Ddef(_) => n <= MOST_PAIRS[1],
            _ => true,
        };
        rows.extend(methods.iter().filter(fits).map(|method| measure(&cloud, "box", *method)));
    }
    rows
}

fn error_claim(row: &Measured) -> Claim {
    Claim::new(
        format!("global error at m = 100, {}, {}", row.cloud, row.method),
        "[MSC] Fig 3",
        "below 0.1",
        row.errors[0],
    )
}

/// Time of the other methods over that of the tree, at the most charges that all have.
fn gain_claims(rows: &[Measured]) -> Vec<Claim> {
    let most = rows.iter().filter(|row| row.method == "exact").map(|row| row.charges).max().unwrap_or(0);
    let of = |method: &str| rows.iter().find(|row| row.charges == most && row.method == method).map(|row| row.seconds);
    let gain = |method: &str| {
        Claim::new(
            format!("time of {method} over the tree's, {most} charges"),
            "[MSC] Fig 7",
            if method == "exact" { "-".to_owned() } else { "slower than FMM".to_owned() },
            of(method).zip(of("tree")).map_or(f64::NAN, |(other, tree)| other / tree),
        )
    };
    ["exact", "ddef, vertices"].map(gain).into()
}

/// Lines of rows by cloud and method.
fn lines(rows: &[Measured], cloud: &str, point: impl Fn(&Measured) -> (f64, f64)) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows.iter().filter(|row| row.cloud == cloud) {
        match lines.iter_mut().find(|line| line.label == row.method) {
            Some(line) => line.points.push(point(row)),
            None => lines.push(Line { label: row.method.to_owned(), points: vec![point(row)] }),
        }
    }
    lines
}

fn error_chart(rows: &[Measured]) -> Chart {
    /// Errors below are of rounding: all pairs are near, and exact.
    const ROUNDING: f64 = 1e-12;
    let point = |row: &Measured| (row.points.unwrap_or(f64::NAN), row.errors[0]);
    let panel = |(_, name): (Shape, &str)| {
        let mut lines = lines(rows, name, point);
        lines.iter_mut().for_each(|line| line.points.retain(|point| point.1 > ROUNDING));
        Panel { title: format!("Fig 3, {name}"), lines }
    };
    let panels = Shape::ALL.map(panel).into();
    let (x_label, y_label) = ("grid points m", "global relative error");
    Chart { name: "charges", x_label, y_label, scale: AxisScale::Both, panels }
}

fn time_chart(rows: &[Measured]) -> Chart {
    let lines = lines(rows, "box", |row| (row.charges as f64, row.seconds));
    let panels = vec![Panel { title: "Fig 7, like charges in a box".to_owned(), lines }];
    Chart { name: "charges_time", x_label: "charges", y_label: "time, s", scale: AxisScale::Both, panels }
}

use bdem_core::geometry::Vec3;
use bdem_run::output::Columns;
use bdem_run::run::LoadCurve;

use super::{AxisScale, Chart, Line, Panel, RunCurves};

/// Magnitudes of forces over time, a panel a run; `None` where no run measured forces.
pub(super) fn forces(runs: &[RunCurves]) -> Option<Chart> {
    let panels: Vec<Panel> =
        runs.iter().map(|run| Panel { title: run.title.clone(), lines: magnitudes(&run.forces) }).collect();
    let has_any = panels.iter().any(|panel| !panel.lines.is_empty());
    let (x_label, y_label) = ("time, s", "magnitude of the force, N");
    has_any.then_some(Chart { name: "forces", x_label, y_label, scale: AxisScale::Linear, panels })
}

fn magnitudes(columns: &Columns) -> Vec<Line> {
    let line = |column: &String| {
        let name = column.strip_suffix(".force_x")?;
        let forces = columns.vectors(&format!("{name}.force"))?;
        let points = columns.column("time")?.zip(forces.into_iter().map(|force| Vec3::from(force).norm()));
        Some(Line { label: name.to_owned(), points: points.collect() })
    };
    columns.names.iter().filter_map(line).collect()
}

/// Loads over deformations, a panel a run with a specimen; `None` where none has one. The captions have strength and
/// modulus. Lines end at the break, after which the parts swing freely.
pub(super) fn loads(runs: &[RunCurves]) -> Option<Chart> {
    let panels: Vec<Panel> = runs.iter().filter_map(|run| run.load.as_ref()).map(load).collect();
    let (x_label, y_label) = ("deformation, m", "load, N");
    (!panels.is_empty()).then_some(Chart { name: "load", x_label, y_label, scale: AxisScale::Linear, panels })
}

fn load(curve: &LoadCurve) -> Panel {
    let mut lines = vec![Line { label: "load F".to_owned(), points: curve.to_break().to_vec() }];
    if let (Some(fit), Some(peak)) = (curve.fit(), curve.peak_load()) {
        let points = vec![(fit.start, 0.0), (fit.start + peak / fit.stiffness, peak)];
        lines.push(Line { label: "stiffness from 0.1 to 0.5 of the peak".to_owned(), points });
    }
    Panel { title: curve.caption(), lines }
}

use bdem_core::geometry::Vec3;
use bdem_core::simulate::FractureEvent;

/// Broken bond in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fracture {
    /// Time code at which it broke.
    pub code: f64,
    /// Middle, m.
    pub place: Vec3,
    /// Unit normal of the crack.
    pub normal: Vec3,
    /// Velocity, m per second of playback.
    pub velocity: Vec3,
    /// Cross-section, m2.
    pub area: f64,
    /// Elastic energy that it released, J.
    pub energy: f64,
}

impl super::Clip<'_> {
    /// Sets the broken bonds, of which those up to the last frame are shown. `origin` (m) is that of the frames' positions.
    pub fn set_fractures(&mut self, events: &[FractureEvent], origin: &Vec3) {
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else { return };
        let (first, last, timing) = (first.time, last.time, self.timing);
        let fracture = |event: &FractureEvent| Fracture {
            code: timing.code(event.time - first),
            place: Vec3::new(event.x, event.y, event.z) - origin,
            normal: Vec3::new(event.normal_x, event.normal_y, event.normal_z),
            velocity: Vec3::new(event.velocity_x, event.velocity_y, event.velocity_z) * timing.speed,
            area: event.area,
            energy: event.energy,
        };
        self.fractures = events.iter().filter(|event| event.time <= last).map(fracture).collect();
    }
}

/// Cubic Bezier curve of a progress over time, from 0, 0 to 1, 1, as of CSS and of animation programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ease {
    /// Time and progress of both control points, `[x1, y1, x2, y2]`. x1 and x2 are from 0 to 1.
    pub points: [f64; 4],
}

/// Iterations of the search for the parameter of a time. Newton's method needs four, bisection the rest.
const ITERATIONS: usize = 60;

/// Distance of parameters from the ends in slopes, where control points that coincide with an end have none.
const END: f64 = 1e-6;

impl Ease {
    /// Progress at a `time` from 0 to 1.
    pub fn progress(&self, time: f64) -> f64 {
        let [_, y1, _, y2] = self.points;
        cubic([y1, y2], self.parameter(time))
    }

    /// Rate of the progress at a `time` from 0 to 1.
    pub fn rate(&self, time: f64) -> f64 {
        self.slope(self.parameter(time))
    }

    /// Largest magnitude of the rate; infinite for a curve that is upright somewhere.
    pub fn max_rate(&self) -> f64 {
        const SAMPLES: u32 = 512;
        let at = |k: u32| f64::from(k) / f64::from(SAMPLES);
        (0..=SAMPLES)
            .map(|k| self.slope(at(k)).abs())
            .fold(0.0, |most: f64, rate| if rate.is_nan() { f64::INFINITY } else { most.max(rate) })
    }

    fn slope(&self, parameter: f64) -> f64 {
        let ([x1, y1, x2, y2], u) = (self.points, parameter.clamp(END, 1.0 - END));
        cubic_slope([y1, y2], u) / cubic_slope([x1, x2], u)
    }

    /// Parameter of the curve at a time. Times ascend with it.
    fn parameter(&self, time: f64) -> f64 {
        let [x1, _, x2, _] = self.points;
        let time = time.clamp(0.0, 1.0);
        let (mut low, mut high, mut u) = (0.0, 1.0, time);
        for _ in 0..ITERATIONS {
            let off = cubic([x1, x2], u) - time;
            if off == 0.0 || low >= high {
                break;
            }
            if off > 0.0 {
                high = u
            } else {
                low = u
            }
            let newton = u - off / cubic_slope([x1, x2], u);
            let next = if (low..=high).contains(&newton) { newton } else { 0.5 * (low + high) };
            if next == u {
                break;
            }
            u = next;
        }
        u
    }
}

/// Coordinate of the curve from 0 to 1 with these of its control points.
fn cubic([a, b]: [f64; 2], u: f64) -> f64 {
    let v = 1.0 - u;
    3.0 * v * v * u * a + 3.0 * v * u * u * b + u * u * u
}

fn cubic_slope([a, b]: [f64; 2], u: f64) -> f64 {
    let v = 1.0 - u;
    3.0 * v * v * a + 6.0 * v * u * (b - a) + 3.0 * u * u * (1.0 - b)
}

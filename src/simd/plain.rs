use super::{Lanes, Row};

/// One lane.
impl Lanes for f64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        from[0]
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[0] = self;
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    #[inline(always)]
    fn sign(self) -> Self {
        1f64.copysign(self)
    }

    #[inline(always)]
    fn not_below(self, limit: Self) -> u32 {
        u32::from(self >= limit || self.is_nan() || limit.is_nan())
    }

    #[inline(always)]
    fn columns(rows: &[Row], index: &[u32]) -> [Self; 8] {
        rows[index[0] as usize].0
    }

    type Rows = [f64; 8];

    #[inline(always)]
    fn rows(columns: [Self; 8]) -> [f64; 8] {
        columns
    }

    #[inline(always)]
    fn add_row(rows: &[f64; 8], _: usize, to: &mut Row) {
        for (to, value) in to.0.iter_mut().zip(rows) {
            *to += value;
        }
    }
}

/// Piecewise linear function of time, constant before its first key and after its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// Times (s) in ascending order and their values; at least one.
    keys: Vec<[f64; 2]>,
}

impl Ramp {
    /// The same `value` at all times.
    pub fn constant(value: f64) -> Self {
        Self { keys: vec![[0.0, value]] }
    }

    /// Function through `keys` of time (s) and value. `None` without a key, if one is not finite, or if their times do not
    /// ascend.
    pub fn through(keys: Vec<[f64; 2]>) -> Option<Self> {
        let are_finite = keys.iter().flatten().all(|x| x.is_finite());
        let ascend = keys.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        (are_finite && ascend && !keys.is_empty()).then_some(Self { keys })
    }

    /// Values at the keys.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.keys.iter().map(|[_, value]| *value)
    }

    /// Weights of the keys in the value at `time` (s): one or two, by their indices.
    pub fn weights_at(&self, time: f64) -> impl Iterator<Item = (usize, f64)> {
        let passed = self.keys.partition_point(|[key, _]| *key <= time);
        let (last, share) = match (passed.checked_sub(1).map(|last| self.keys[last]), self.keys.get(passed)) {
            (Some([from, _]), Some([to, _])) => (passed - 1, (time - from) / (to - from)),
            (from, _) => (from.map_or(0, |_| passed - 1), 0.0),
        };
        [(last, 1.0 - share), (last + 1, share)].into_iter().filter(|(_, weight)| *weight != 0.0)
    }

    /// Times of the keys, s.
    pub(crate) fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.keys.iter().map(|[time, _]| *time)
    }

    /// Value at `time` (s).
    pub fn at(&self, time: f64) -> f64 {
        let passed = self.keys.partition_point(|[key, _]| *key <= time);
        match (passed.checked_sub(1).map(|last| self.keys[last]), self.keys.get(passed)) {
            (Some([from, value]), Some([to, next])) => value + (next - value) * ((time - from) / (to - from)),
            (from, _) => from.unwrap_or(self.keys[0])[1],
        }
    }
}

impl Default for Ramp {
    /// 1 at all times.
    fn default() -> Self {
        Self::constant(1.0)
    }
}

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::Traced;
use crate::simd::Number;

impl Add for Traced {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { base: self.base.add(b.base), change: self.change.add(b.change) }
    }
}

impl Sub for Traced {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { base: self.base.sub(b.base), change: self.change.sub(b.change) }
    }
}

impl Mul for Traced {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let (x, y) = (self, b);
        let change = if x.change.is_zero() {
            x.base.mul(y.change)
        } else if y.change.is_zero() {
            x.change.mul(y.base)
        } else if x.base.is_zero() {
            x.change.mul(y.node())
        } else if y.base.is_zero() {
            x.node().mul(y.change)
        } else {
            x.base.mul(y.change).add(x.change.mul(y.node()))
        };
        Self { base: x.base.mul(y.base), change }
    }
}

impl Div for Traced {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        if b.change.is_zero() {
            return Self { base: self.base.div(b.base), change: self.change.div(b.base) };
        }
        if b.base.is_zero() {
            return Self { base: self.base.div(b.change), change: self.change.div(b.change) };
        }
        // (a + d)/(b + e) = a/b + (d - a/b e)/(b + e)
        let base = self.base.div(b.base);
        Self { base, change: self.change.sub(base.mul(b.change)).div(b.node()) }
    }
}

impl Neg for Traced {
    type Output = Self;
    fn neg(self) -> Self {
        Self { base: self.base.neg(), change: self.change.neg() }
    }
}

impl AddAssign for Traced {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Traced {
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl Number for Traced {}

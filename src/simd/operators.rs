/// Gives the type of a register its operators, and [`Number`](super::Number): `operator(a, b)` for each of the four, and where sums
/// of products are rounded once `operator(b, c, a)` for `a + b c` and `a - b c`. They may be called only where the machine has
/// them.
macro_rules! operators {
    ($type:ident, $add:expr, $sub:expr, $mul:expr, $div:expr, $plus_times:expr, $minus_times:expr) => {
        operators!(@ $type, $add, $sub, $mul, $div);

        impl $crate::simd::Number for $type {
            #[inline(always)]
            fn plus_times(self, b: Self, c: Self) -> Self {
                // SAFETY: left to where lanes are made.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $plus_times(b.0, c.0, self.0) })
            }

            #[inline(always)]
            fn minus_times(self, b: Self, c: Self) -> Self {
                // SAFETY: left to where lanes are made.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $minus_times(b.0, c.0, self.0) })
            }
        }
    };
    ($type:ident, $add:expr, $sub:expr, $mul:expr, $div:expr) => {
        operators!(@ $type, $add, $sub, $mul, $div);

        impl $crate::simd::Number for $type {}
    };
    (@ $type:ident, $add:expr, $sub:expr, $mul:expr, $div:expr) => {
        operators!(@ $type, Add, add, $add);
        operators!(@ $type, Sub, sub, $sub);
        operators!(@ $type, Mul, mul, $mul);
        operators!(@ $type, Div, div, $div);

        impl std::ops::AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }

        impl std::ops::SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
    };
    (@ $type:ident, $trait:ident, $name:ident, $operator:expr) => {
        impl std::ops::$trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $name(self, b: Self) -> Self {
                // SAFETY: left to where lanes are made.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $operator(self.0, b.0) })
            }
        }
    };
}

pub(super) use operators;

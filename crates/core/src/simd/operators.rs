/// Implements the operators and [`Number`](super::Number) for the type of a register. It takes `operator(a, b)` for each
/// of the four, and optionally `a b + c` and `c - a b`, rounded once, as `operator(a, b, c)`. Their instructions must be
/// available on the machine.
macro_rules! operators {
    ($type:ident, $add:expr, $sub:expr, $mul:expr, $div:expr, $mul_add:expr, $neg_mul_add:expr) => {
        operators!(@ $type, $add, $sub, $mul, $div);

        impl $crate::simd::Number for $type {
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the constructors of lanes require the instructions.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $mul_add(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the constructors of lanes require the instructions.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $neg_mul_add(self.0, b.0, c.0) })
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
                // SAFETY: the constructors of lanes require the instructions.
                #[allow(unused_unsafe, reason = "plain lanes need no instructions")]
                Self(unsafe { $operator(self.0, b.0) })
            }
        }
    };
}

pub(super) use operators;

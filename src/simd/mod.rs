//! Vector registers: one formula for one, four or eight bonds at a time.
//!
//! A kernel is written once over [`Lanes`], compiled for each instruction set of [`Level`], and chosen at run time.
//! Products and sums are rounded separately, except for an explicit [`Number::mul_add`], on every machine. So every level
//! gives the same bits.

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
mod operators;
mod plain;
mod singles;
mod vec3;

use std::fmt::{self, Display, Formatter};

#[cfg(target_arch = "x86_64")]
pub use avx::F32x8;
#[cfg(target_arch = "x86_64")]
pub use avx2::F64x4;
#[cfg(target_arch = "x86_64")]
pub use avx512::F64x8;
pub use lanes::{Lanes, Number, Row4, Row8, consecutive, two_halves};
pub use plain::{F64x1, PlainSingles};
pub use singles::Singles;
pub use vec3::Vec3x;

/// Instruction sets of kernels, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The program's own target. Slow: for other architectures and for comparison.
    Plain,
    /// Four lanes, with FMA.
    Avx2,
    /// Eight lanes.
    Avx512,
}

impl Level {
    /// The highest level of this machine, or a lower one by `BDEM_SIMD=plain` or `avx2`.
    pub fn best() -> Self {
        use std::sync::OnceLock;
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let requested = match std::env::var("BDEM_SIMD").as_deref() {
                Ok("plain") => Self::Plain,
                Ok("avx2") => Self::Avx2,
                _ => Self::Avx512,
            };
            requested.or_supported()
        })
    }

    /// Levels of this machine.
    pub fn available() -> Vec<Self> {
        [Self::Plain, Self::Avx2, Self::Avx512].into_iter().filter(|&level| level <= Self::of_machine()).collect()
    }

    /// This level, or the machine's if lower.
    pub fn or_supported(self) -> Self {
        self.min(Self::of_machine())
    }

    #[cfg(target_arch = "x86_64")]
    fn of_machine() -> Self {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            Self::Avx512
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            Self::Avx2
        } else {
            Self::Plain
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_machine() -> Self {
        Self::Plain
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

/// Defines `fn NAME<'a>(level, arguments)`, which runs `KERNEL::<L>(arguments)`, or `KERNEL::<L, MORE>` for `KERNEL[MORE]`.
/// The lanes are those of the level, or of the machine's if lower.
///
/// The kernel and all that it calls must be `#[inline(always)]`: only then it is compiled for the level's instructions.
#[macro_export]
macro_rules! dispatch {
    ($(#[$doc:meta])* $visible:vis fn $name:ident $(<$life:lifetime>)? ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $kernel:ident $([$($more:tt),*])?) => {
        $(#[$doc])*
        $visible fn $name $(<$life>)? (level: $crate::simd::Level, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl")]
                fn avx512 $(<$life>)? ($($argument: $type),*) $(-> $result)? {
                    $kernel::<$crate::simd::F64x8 $($(, $more)*)?>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2 $(<$life>)? ($($argument: $type),*) $(-> $result)? {
                    $kernel::<$crate::simd::F64x4 $($(, $more)*)?>($($argument),*)
                }
                match level.or_supported() {
                    // SAFETY: the machine has the level's instructions.
                    $crate::simd::Level::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::Avx2 => return unsafe { avx2($($argument),*) },
                    $crate::simd::Level::Plain => {}
                }
            }
            let _ = level;
            $kernel::<$crate::simd::F64x1 $($(, $more)*)?>($($argument),*)
        }
    };
}

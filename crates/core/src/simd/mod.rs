//! Vector registers: one formula for one, four or eight bonds at a time.
//!
//! A kernel is written once over [`Lanes`], compiled for each instruction set of [`InstructionSet`], and chosen at run time.
//! Products and sums are rounded separately, except for an explicit [`Number::mul_add`], on every machine. So every instruction set
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
mod tangent;
pub mod traced;
mod vec3;

use std::fmt::{self, Display, Formatter};

pub use lanes::{Lanes, Number, Row8};
pub(crate) use lanes::{consecutive, two_halves};
pub(crate) use plain::F64x1;
pub use plain::PlainSingles;
pub use singles::Singles;
pub(crate) use tangent::Tangent;
pub use vec3::Vec3x;
pub(crate) use vec3::vectors;

/// Instruction sets of kernels, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// The program's own target. Slow: for other architectures and for comparison.
    Plain,
    /// Four lanes, with FMA.
    Avx2,
    /// Eight lanes.
    Avx512,
}

impl InstructionSet {
    /// The widest instruction set of this machine.
    pub fn best() -> Self {
        Self::of_machine()
    }

    /// Levels of this machine.
    pub fn available() -> Vec<Self> {
        [Self::Plain, Self::Avx2, Self::Avx512]
            .into_iter()
            .filter(|&instructions| instructions <= Self::of_machine())
            .collect()
    }

    /// This set, or the machine's if narrower.
    pub(crate) fn or_supported(self) -> Self {
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

impl Default for InstructionSet {
    /// [`Self::best`].
    fn default() -> Self {
        Self::best()
    }
}

impl Display for InstructionSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

/// Function that is compiled for each instruction set and run at the machine's: see [`InstructionSet::run`].
pub trait Kernel {
    /// Result.
    type Output;

    /// The function on lanes of one instruction set. It and all that it calls should be `#[inline(always)]`: only then they are compiled
    /// for that set's instructions.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl InstructionSet {
    /// Result of the kernel on the lanes of this set, or of the machine's if narrower.
    ///
    /// The types of lanes beyond `F64x1` are named in this room only, so that no other code has them where the machine
    /// lacks their instructions.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512vl")]
            fn avx512<K: Kernel>(kernel: K) -> K::Output {
                kernel.run::<avx512::F64x8>()
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2<K: Kernel>(kernel: K) -> K::Output {
                kernel.run::<avx2::F64x4>()
            }
            match self.or_supported() {
                // SAFETY: the machine has this set's instructions.
                Self::Avx512 => return unsafe { avx512(kernel) },
                // SAFETY: as above.
                Self::Avx2 => return unsafe { avx2(kernel) },
                Self::Plain => {}
            }
        }
        kernel.run::<F64x1>()
    }
}

/// Defines `fn NAME<'a>(instructions, arguments)`, which runs `KERNEL::<L>(arguments)`, or `KERNEL::<L, MORE>` for `KERNEL[MORE]`, by
/// [`InstructionSet::run`].
macro_rules! dispatch {
    ($(#[$doc:meta])* $visible:vis fn $name:ident $(<$life:lifetime>)? ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $kernel:ident $([$($more:tt),*])?) => {
        $(#[$doc])*
        $visible fn $name $(<$life>)? (instructions: $crate::simd::InstructionSet, $($argument: $type),*) $(-> $result)? {
            struct Call<A>(A);
            impl $(<$life>)? $crate::simd::Kernel for Call<($($type,)*)> {
                type Output = dispatch!(@result $($result)?);
                #[inline(always)]
                fn run<L: $crate::simd::Lanes>(self) -> Self::Output {
                    let Self(($($argument,)*)) = self;
                    $kernel::<L $($(, $more)*)?>($($argument),*)
                }
            }
            instructions.run(Call(($($argument,)*)))
        }
    };
    (@result) => { () };
    (@result $result:ty) => { $result };
}

pub(crate) use dispatch;

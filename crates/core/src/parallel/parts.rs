use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// Parts of a loop: chunks of slices, their items, indices, or tuples of these, one for each number below [`Self::count`].
///
/// # Safety
/// Parts of different numbers must not overlap where they are mutable, so that threads may have them at once.
pub unsafe trait Parts: Sync {
    /// One part.
    type Part;

    /// Number of parts.
    fn count(&self) -> usize;

    /// Part `k`.
    ///
    /// # Safety
    /// `k` is below [`Self::count`], and each part is asked for once at most.
    unsafe fn part(&self, k: usize) -> Self::Part;
}

/// Chunks of `len` items of a slice; the last one may be shorter.
pub fn chunks<T: Sync>(items: &[T], len: usize) -> Chunks<'_, T> {
    assert!(len > 0, "a chunk has items");
    Chunks { items, len }
}

/// Chunks of `len` items of a slice that may be written to; the last one may be shorter.
pub fn chunks_mut<T: Send>(items: &mut [T], len: usize) -> ChunksMut<'_, T> {
    assert!(len > 0, "a chunk has items");
    let count = items.len().div_ceil(len);
    ChunksMut { first: items.as_mut_ptr(), items: items.len(), len, count, borrowed: PhantomData }
}

/// Chunks as [`chunks_mut`], or `count` empty ones if there are no items.
pub fn chunks_mut_if_any<T: Send>(items: &mut [T], len: usize, count: usize) -> ChunksMut<'_, T> {
    let chunks = chunks_mut(items, len);
    if chunks.items == 0 { ChunksMut { count, ..chunks } } else { chunks }
}

/// Items of a slice.
pub fn each<T: Sync>(items: &[T]) -> Each<'_, T> {
    Each(items)
}

/// Items of a slice that may be written to.
pub fn each_mut<T: Send>(items: &mut [T]) -> EachMut<'_, T> {
    EachMut(chunks_mut(items, 1))
}

/// See [`chunks`].
pub struct Chunks<'a, T> {
    items: &'a [T],
    len: usize,
}

// SAFETY: the parts are shared.
unsafe impl<'a, T: Sync> Parts for Chunks<'a, T> {
    type Part = &'a [T];

    #[inline(always)]
    fn count(&self) -> usize {
        self.items.len().div_ceil(self.len)
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> &'a [T] {
        &self.items[k * self.len..((k + 1) * self.len).min(self.items.len())]
    }
}

/// See [`chunks_mut`].
pub struct ChunksMut<'a, T> {
    first: *mut T,
    items: usize,
    len: usize,
    count: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: threads have different parts of the slice, and their items may be sent.
unsafe impl<T: Send> Sync for ChunksMut<'_, T> {}

// SAFETY: chunks do not overlap.
unsafe impl<'a, T: Send> Parts for ChunksMut<'a, T> {
    type Part = &'a mut [T];

    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> &'a mut [T] {
        let start = (k * self.len).min(self.items);
        // SAFETY: the chunk lies in the slice, which is borrowed for 'a, and the caller asks for it once.
        unsafe { slice::from_raw_parts_mut(self.first.add(start), self.len.min(self.items - start)) }
    }
}

/// Parts of a slice in these ranges, or empty ones if there are no items.
///
/// # Panics
/// If the ranges are not ascending, or not in the slice.
pub fn ranges_mut<'a, T: Send>(items: &'a mut [T], ranges: &'a [Range<usize>]) -> RangesMut<'a, T> {
    let mut end = 0;
    for range in ranges.iter().filter(|_| !items.is_empty()) {
        assert!(end <= range.start && range.start <= range.end && range.end <= items.len(), "ranges of the slice");
        end = range.end;
    }
    RangesMut { first: items.as_mut_ptr(), is_empty: items.is_empty(), ranges, borrowed: PhantomData }
}

/// See [`ranges_mut`].
pub struct RangesMut<'a, T> {
    first: *mut T,
    is_empty: bool,
    ranges: &'a [Range<usize>],
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: threads have different parts of the slice, and their items may be sent.
unsafe impl<T: Send> Sync for RangesMut<'_, T> {}

// SAFETY: the ranges do not overlap.
unsafe impl<'a, T: Send> Parts for RangesMut<'a, T> {
    type Part = &'a mut [T];

    #[inline(always)]
    fn count(&self) -> usize {
        self.ranges.len()
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> &'a mut [T] {
        let range = if self.is_empty { 0..0 } else { self.ranges[k].clone() };
        // SAFETY: the range lies in the slice, which is borrowed for 'a, and the caller asks for it once.
        unsafe { slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

/// See [`each`].
pub struct Each<'a, T>(&'a [T]);

// SAFETY: the parts are shared.
unsafe impl<'a, T: Sync> Parts for Each<'a, T> {
    type Part = &'a T;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> &'a T {
        &self.0[k]
    }
}

/// See [`each_mut`].
pub struct EachMut<'a, T>(ChunksMut<'a, T>);

// SAFETY: items do not overlap.
unsafe impl<'a, T: Send> Parts for EachMut<'a, T> {
    type Part = &'a mut T;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.count
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> &'a mut T {
        // SAFETY: the item lies in the slice, which is borrowed for 'a, and the caller asks for it once.
        unsafe { &mut *self.0.first.add(k) }
    }
}

// SAFETY: the parts are numbers.
unsafe impl Parts for Range<usize> {
    type Part = usize;

    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    unsafe fn part(&self, k: usize) -> usize {
        self.start + k
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),*);)*) => {$(
        // SAFETY: the parts of each member are disjoint.
        unsafe impl<$($name: Parts),*> Parts for ($($name,)*) {
            type Part = ($($name::Part,)*);

            /// The least of the members, as of a zip.
            #[inline(always)]
            fn count(&self) -> usize {
                [$(self.$place.count()),*].into_iter().fold(usize::MAX, usize::min)
            }

            #[inline(always)]
            unsafe fn part(&self, k: usize) -> Self::Part {
                // SAFETY: the caller's promise is that of the members.
                unsafe { ($(self.$place.part(k),)*) }
            }
        }
    )*};
}

tuples! {
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
}

//! The system's allocator. Where it refuses memory, as under `ulimit -v`, the program ends with an error in place of an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code where memory is refused: that of input and output, since the same call may succeed with more.
const NO_MEMORY: i32 = 5;

/// Allocator of the program.
pub(super) struct Allocator;

// SAFETY: all calls are the system's own, with the same arguments; a refusal ends the process or is returned as it is.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of the same function.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// The address of `size` bytes. Ends the process if it is null.
#[inline]
fn given(address: *mut u8, size: usize) -> *mut u8 {
    if address.is_null() {
        refuse(size);
    }
    address
}

/// Reports that `size` bytes were refused, without allocating, and ends the process. Other threads wait for the end. Returns where it
/// is called once more on its own thread, as by what runs at the end.
#[cold]
fn refuse(size: usize) {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static ENDS_HERE: Cell<bool> = const { Cell::new(false) };
    }
    if ENDS_HERE.get() {
        return;
    }
    while IS_ENDING.swap(true, Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(10));
    }
    ENDS_HERE.set(true);
    let megabytes = size as f64 * 1e-6;
    let help =
        "take fewer frames, smaller pictures or larger particles, fewer --threads, or raise the limit (ulimit -v)";
    drop(writeln!(std::io::stderr(), "error: out of memory: {megabytes:.1} MB were refused; {help}"));
    std::process::exit(NO_MEMORY);
}

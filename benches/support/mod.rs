//! What the benches of whole scenes share.

/// Sets the number of threads, all of the machine's if none is given.
pub(crate) fn start_threads(threads: Option<usize>) {
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build_global().expect("the threads start");
}

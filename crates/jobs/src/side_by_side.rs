//! Work on several items at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Results of `of` for all items, by at most `workers` of them at once, each with its share of the threads. What `of` does must
/// not depend on the number of its threads.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    workers: NonZeroUsize,
    threads: usize,
    of: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let workers = workers.get().min(items.len()).max(1);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads((threads / workers).max(1)).build();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(k) else { return };
            let result = match &pool {
                Ok(pool) => pool.install(|| of(item)),
                Err(_) => of(item),
            };
            *results[k].lock().expect("no item panics while it writes") = Some(result);
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let result = |result: Mutex<Option<R>>| result.into_inner().expect("as above").expect("every item was taken");
    results.into_iter().map(result).collect()
}

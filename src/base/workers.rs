//! Independent rows over threads.

/// The threads that independent rows are split over.
///
/// **Determinism:** each row is computed by itself and written to its own place, so results do not depend on how
/// many threads there are. Nothing else in the library may ask.
#[derive(Default)]
pub struct Workers {
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workers({})", self.count())
    }
}

/// Fewer rows than this are not worth waking a thread for.
#[cfg(feature = "parallel")]
const ROWS_PER_CHUNK: usize = 256;

impl Workers {
    /// `threads` threads, at least 1. Without the `parallel` feature, or where threads cannot be had, always one.
    pub fn new(threads: usize) -> Self {
        #[cfg(feature = "parallel")]
        {
            let threads = threads.clamp(1, super::limit::THREADS);
            let pool =
                (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
            Self { pool: pool.flatten() }
        }
        #[cfg(not(feature = "parallel"))]
        {
            let _ = threads;
            Self {}
        }
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        #[cfg(feature = "parallel")]
        {
            self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
        }
        #[cfg(not(feature = "parallel"))]
        {
            1
        }
    }

    /// Fills `out` with `row(i)` for each `i` below `rows`.
    pub fn fill<T: Send>(&self, out: &mut Vec<T>, rows: usize, row: impl Fn(usize) -> T + Sync) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = self.pool.as_ref().filter(|_| rows > ROWS_PER_CHUNK) {
            use rayon::prelude::*;
            let chunks = || (0..rows).into_par_iter().with_min_len(ROWS_PER_CHUNK);
            pool.install(|| chunks().map(&row).collect_into_vec(out));
            return;
        }
        out.clear();
        out.extend((0..rows).map(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_do_not_depend_on_threads() {
        let mut expected = Vec::new();
        Workers::new(1).fill(&mut expected, 5000, |i| (i as f32).sqrt());
        for threads in [2, 3, 8] {
            let mut out = vec![1.0; 7];
            Workers::new(threads).fill(&mut out, 5000, |i| (i as f32).sqrt());
            assert_eq!(out, expected);
        }
    }
}

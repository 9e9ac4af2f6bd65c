// SPDX-License-Identifier: Apache-2.0
//! A pool of each crate with a given number of workers.

use std::num::NonZero;

/// A pool; the workloads know what to do with each.
pub enum Pool {
    Rayon(rayon::ThreadPool),
    Chili(chili::ThreadPool),
}

impl Pool {
    pub const NAMES: [&'static str; 2] = ["rayon", "chili"];

    /// None if there is no crate of that name.
    pub fn new(name: &str, workers: usize) -> Option<Self> {
        match name {
            "rayon" => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("a pool of threads");
                Some(Pool::Rayon(pool))
            }
            // chili counts the thread that opens the scope as one of them.
            "chili" => {
                let thread_count = Some(NonZero::new(workers).expect("at least one worker"));
                Some(Pool::Chili(chili::ThreadPool::with_config(chili::Config { thread_count, ..Default::default() })))
            }
            _ => None,
        }
    }

    pub fn version(name: &str) -> &'static str {
        match name {
            "rayon" => env!("BENCH_RAYON"),
            _ => env!("BENCH_CHILI"),
        }
    }
}

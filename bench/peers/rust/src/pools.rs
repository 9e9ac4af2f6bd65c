// SPDX-License-Identifier: Apache-2.0
//! A pool of each crate with a given number of workers, and both workloads on it.

use crate::workload::Workload;
use chili::Scope;
use std::num::NonZero;

/// A pool, ready to run a workload.
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

    pub fn run(&self, workload: Workload, n: u64) -> u64 {
        match (self, workload) {
            (Pool::Rayon(pool), Workload::Fib) => pool.install(|| fib_rayon(n)),
            (Pool::Rayon(pool), Workload::Skynet) => pool.install(|| skynet_rayon(0, n)),
            (Pool::Chili(pool), Workload::Fib) => fib_chili(n, &mut pool.scope()),
            (Pool::Chili(pool), Workload::Skynet) => skynet_chili(0, n, &mut pool.scope()),
        }
    }
}

fn fib_rayon(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib_rayon(n - 1), || fib_rayon(n - 2));
    a + b
}

fn fib_chili(n: u64, scope: &mut Scope<'_>) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = scope.join(|s| fib_chili(n - 1, s), |s| fib_chili(n - 2, s));
    a + b
}

const CHILDREN: u64 = 10;

// Both crates join in pairs, so the ten children of a node are joined as a tree over their range.

fn skynet_rayon(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    children_rayon(first, leaves / CHILDREN, CHILDREN)
}

fn children_rayon(first: u64, leaves: u64, children: u64) -> u64 {
    if children == 1 {
        return skynet_rayon(first, leaves);
    }
    let left = children / 2;
    let (a, b) = rayon::join(
        || children_rayon(first, leaves, left),
        || children_rayon(first + left * leaves, leaves, children - left),
    );
    a + b
}

fn skynet_chili(first: u64, leaves: u64, scope: &mut Scope<'_>) -> u64 {
    if leaves == 1 {
        return first;
    }
    children_chili(first, leaves / CHILDREN, CHILDREN, scope)
}

fn children_chili(first: u64, leaves: u64, children: u64, scope: &mut Scope<'_>) -> u64 {
    if children == 1 {
        return skynet_chili(first, leaves, scope);
    }
    let left = children / 2;
    let (a, b) = scope.join(
        |s| children_chili(first, leaves, left, s),
        |s| children_chili(first + left * leaves, leaves, children - left, s),
    );
    a + b
}

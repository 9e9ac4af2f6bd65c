// SPDX-License-Identifier: Apache-2.0
use super::{Count, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;

pub const WORKLOAD: Workload = Workload {
    name: "fib",
    variants: &Pool::NAMES,
    sizes: &[("smoke", 20), ("quick", 42), ("paper", 42)],
    make: |n| {
        if n > 93 {
            return Err("allowed are 0 to 93");
        }
        let right = (0..n).fold((0, 1), |(a, b): (u64, u64), _| (b, a.wrapping_add(b))).0;
        Ok(Count::new(n, fib, right))
    },
    stack_bytes: |_| USUAL_STACK,
};

fn fib(n: u64, pool: &Pool) -> u64 {
    match pool {
        Pool::Rayon(pool) => pool.install(|| fib_rayon(n)),
        Pool::Chili(pool) => fib_chili(n, &mut pool.scope()),
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

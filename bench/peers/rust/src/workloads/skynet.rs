// SPDX-License-Identifier: Apache-2.0
use super::{Count, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;

pub const WORKLOAD: Workload = Workload {
    name: "skynet",
    variants: &Pool::NAMES,
    sizes: &[("smoke", 1_000), ("quick", 100_000_000), ("paper", 100_000_000), ("million", 1_000_000)],
    make: |n| {
        if n == 0 || 10u64.checked_pow(n.ilog10()) != Some(n) {
            return Err("allowed are powers of 10");
        }
        Ok(Count::new(n, skynet, n * (n - 1) / 2))
    },
    stack_bytes: |_| USUAL_STACK,
};

const CHILDREN: u64 = 10;

fn skynet(leaves: u64, pool: &Pool) -> u64 {
    match pool {
        Pool::Rayon(pool) => pool.install(|| skynet_rayon(0, leaves)),
        Pool::Chili(pool) => skynet_chili(0, leaves, &mut pool.scope()),
    }
}

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

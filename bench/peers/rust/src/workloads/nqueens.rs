// SPDX-License-Identifier: Apache-2.0
use super::{Count, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;

const MOST_QUEENS: usize = 16;

pub const WORKLOAD: Workload = Workload {
    name: "nqueens",
    variants: &Pool::NAMES,
    sizes: &[("smoke", 7), ("quick", 13), ("paper", 14)],
    make: |n| {
        const KNOWN: [u64; MOST_QUEENS + 1] =
            [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512];
        if n < 1 || n > MOST_QUEENS as u64 {
            return Err("allowed are 1 to 16");
        }
        Ok(Count::new(n, nqueens, KNOWN[n as usize]))
    },
    stack_bytes: |_| USUAL_STACK,
};

/// The column of the queen in each row filled so far.
type Board = [i8; MOST_QUEENS];

fn nqueens(n: u64, pool: &Pool) -> u64 {
    let n = n as usize;
    match pool {
        Pool::Rayon(pool) => pool.install(|| nqueens_rayon(&[0; MOST_QUEENS], 0, n)),
        Pool::Chili(pool) => nqueens_chili(&[0; MOST_QUEENS], 0, n, &mut pool.scope()),
    }
}

/// Fills `next` with a board for each safe square of the row, and returns how many.
fn place_queen(from: &Board, row: usize, n: usize, next: &mut [Board; MOST_QUEENS]) -> usize {
    let mut count = 0;
    for column in 0..n {
        let safe = from[..row].iter().enumerate().all(|(r, &queen)| {
            let sideways = column as i32 - i32::from(queen);
            let down = (row - r) as i32;
            sideways != 0 && sideways != down && sideways != -down
        });
        if safe {
            next[count] = *from;
            next[count][row] = column as i8;
            count += 1;
        }
    }
    count
}

// Both crates join in pairs, so the boards of a row are joined as a tree over their range.

fn nqueens_rayon(from: &Board, row: usize, n: usize) -> u64 {
    if row == n {
        return 1;
    }
    let mut next = [[0; MOST_QUEENS]; MOST_QUEENS];
    let count = place_queen(from, row, n, &mut next);
    boards_rayon(&next[..count], row + 1, n)
}

fn boards_rayon(boards: &[Board], row: usize, n: usize) -> u64 {
    match boards {
        [] => 0,
        [board] => nqueens_rayon(board, row, n),
        _ => {
            let (left, right) = boards.split_at(boards.len() / 2);
            let (a, b) = rayon::join(|| boards_rayon(left, row, n), || boards_rayon(right, row, n));
            a + b
        }
    }
}

fn nqueens_chili(from: &Board, row: usize, n: usize, scope: &mut Scope<'_>) -> u64 {
    if row == n {
        return 1;
    }
    let mut next = [[0; MOST_QUEENS]; MOST_QUEENS];
    let count = place_queen(from, row, n, &mut next);
    boards_chili(&next[..count], row + 1, n, scope)
}

fn boards_chili(boards: &[Board], row: usize, n: usize, scope: &mut Scope<'_>) -> u64 {
    match boards {
        [] => 0,
        [board] => nqueens_chili(board, row, n, scope),
        _ => {
            let (left, right) = boards.split_at(boards.len() / 2);
            let (a, b) = scope.join(|s| boards_chili(left, row, n, s), |s| boards_chili(right, row, n, s));
            a + b
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! C = A·B by halving the longest of three extents, as ../../../../workloads/matmul/matmul.hpp has it.

use super::matrix::{Matrix, ProductCheck};
use super::{Problem, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;

pub const WORKLOAD: Workload = Workload {
    name: "matmul",
    variants: &Pool::NAMES,
    sizes: &[("smoke", 256), ("quick", 2048), ("paper", 2048)],
    make: |n| {
        if n == 0 || n % MULTIPLE as u64 != 0 {
            return Err("allowed are multiples of 8");
        }
        Ok(Box::new(Matmul::new(n as usize)))
    },
    stack_bytes: |_| USUAL_STACK,
};

/// Products whose extents are all at most this are not split further.
const CUTOFF: usize = 32;

/// What the extents are multiples of, however often they are halved.
const MULTIPLE: usize = 8;

struct Matmul {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    check: ProductCheck,
    multiplied: bool,
}

impl Matmul {
    fn new(n: usize) -> Self {
        let a = Matrix::of_small_integers(n, 1);
        let b = Matrix::of_small_integers(n, 2);
        let check = ProductCheck::new(&a, &b);
        Matmul { a, b, c: Matrix::new(n), check, multiplied: false }
    }

    fn whole(&mut self) -> Product<'_> {
        let n = self.c.size();
        let stride = self.c.stride();
        let c = Target(self.c.elements_mut().as_mut_ptr());
        Product { set: true, a: self.a.elements(), b: self.b.elements(), c, stride, rows: n, inner: n, cols: n }
    }
}

impl Problem for Matmul {
    fn prepare(&mut self) {
        self.c.elements_mut().fill(f64::NAN);
        self.multiplied = false;
    }
    fn run(&mut self, pool: &Pool) {
        let whole = self.whole();
        match pool {
            Pool::Rayon(pool) => pool.install(|| matmul_rayon(whole)),
            Pool::Chili(pool) => matmul_chili(whole, &mut pool.scope()),
        }
        self.multiplied = true;
    }
    fn error(&self) -> Option<String> {
        self.check.error(&self.c)
    }
    fn result(&self) -> String {
        self.multiplied.to_string()
    }
}

/// Where a part of C begins. Parts lie within the same rows, which slices cannot: so this is a pointer.
#[derive(Clone, Copy)]
struct Target(*mut f64);

// SAFETY: products that run at the same time have parts of C that have no element in common.
unsafe impl Send for Target {}

/// c = a·b or c += a·b, for parts of matrices: a is rows × inner, b inner × cols.
struct Product<'a> {
    set: bool,
    a: &'a [f64],
    b: &'a [f64],
    c: Target,
    stride: usize,
    rows: usize,
    inner: usize,
    cols: usize,
}

impl Product<'_> {
    fn longest(&self) -> usize {
        self.rows.max(self.inner).max(self.cols)
    }
    fn is_leaf(&self) -> bool {
        self.longest() <= CUTOFF
    }

    /// Whether the halves update the same c, the second what the first has made of it.
    fn splits_inner(&self) -> bool {
        self.inner > self.rows && self.inner > self.cols
    }

    /// The halves of the longest extent.
    fn halves(self) -> (Self, Self) {
        let m = (self.longest() / 2).next_multiple_of(MULTIPLE);
        let by_rows = m * self.stride;
        if self.splits_inner() {
            let (a, b) = (&self.a[m..], &self.b[by_rows..]);
            let second = Product { set: false, a, b, inner: self.inner - m, ..self };
            return (Product { inner: m, ..self }, second);
        }
        if self.rows >= self.inner && self.rows >= self.cols {
            let (a, c) = (&self.a[by_rows..], Target(self.c.0.wrapping_add(by_rows)));
            let second = Product { a, c, rows: self.rows - m, ..self };
            return (Product { rows: m, ..self }, second);
        }
        let (b, c) = (&self.b[m..], Target(self.c.0.wrapping_add(m)));
        let second = Product { b, c, cols: self.cols - m, ..self };
        (Product { cols: m, ..self }, second)
    }

    fn multiply(self) {
        if self.set {
            self.multiply_leaf::<true>();
        } else {
            self.multiply_leaf::<false>();
        }
    }

    #[inline(never)]
    fn multiply_leaf<const SET: bool>(self) {
        // The rows of b, checked and cut to length once for all pairs of rows of c.
        let mut b = [&[][..]; CUTOFF];
        for (k, row) in b[..self.inner].iter_mut().enumerate() {
            *row = &self.b[k * self.stride..][..self.cols];
        }
        for i in (0..self.rows).step_by(2) {
            let at = i * self.stride;
            let (upper, lower) = (self.c.0.wrapping_add(at), self.c.0.wrapping_add(at + self.stride));
            // SAFETY: no other product that runs has these elements, and the rows are farther apart than they are long.
            let (c0, c1) = unsafe {
                (
                    std::slice::from_raw_parts_mut(upper, self.cols),
                    std::slice::from_raw_parts_mut(lower, self.cols),
                )
            };
            if SET {
                c0.fill(0.0);
                c1.fill(0.0);
            }
            let (a0, a1) = (&self.a[at..][..self.inner], &self.a[at + self.stride..][..self.inner]);
            add_two_rows(c0, c1, a0, a1, &b[..self.inner]);
        }
    }
}

/// Two rows of c and four of b at a time: a vector of b is loaded once for both rows, one of c once for four products.
/// A function for its parameters' sake: slices that are parameters are known not to overlap.
#[inline]
fn add_two_rows(c0: &mut [f64], c1: &mut [f64], a0: &[f64], a1: &[f64], b: &[&[f64]]) {
    let cols = c0.len();
    let c1 = &mut c1[..cols];
    for ((p, q), rows) in a0.chunks_exact(4).zip(a1.chunks_exact(4)).zip(b.chunks_exact(4)) {
        let (b0, b1, b2, b3) = (&rows[0][..cols], &rows[1][..cols], &rows[2][..cols], &rows[3][..cols]);
        let (p0, p1, p2, p3) = (p[0], p[1], p[2], p[3]);
        let (q0, q1, q2, q3) = (q[0], q[1], q[2], q[3]);
        for j in 0..cols {
            c0[j] += p0 * b0[j] + p1 * b1[j] + p2 * b2[j] + p3 * b3[j];
            c1[j] += q0 * b0[j] + q1 * b1[j] + q2 * b2[j] + q3 * b3[j];
        }
    }
}

fn matmul_rayon(p: Product) {
    if p.is_leaf() {
        return p.multiply();
    }
    let one_after_the_other = p.splits_inner();
    let (first, second) = p.halves();
    if one_after_the_other {
        matmul_rayon(first);
        matmul_rayon(second);
    } else {
        rayon::join(|| matmul_rayon(first), || matmul_rayon(second));
    }
}

fn matmul_chili(p: Product, scope: &mut Scope<'_>) {
    if p.is_leaf() {
        return p.multiply();
    }
    let one_after_the_other = p.splits_inner();
    let (first, second) = p.halves();
    if one_after_the_other {
        matmul_chili(first, scope);
        matmul_chili(second, scope);
    } else {
        scope.join(|s| matmul_chili(first, s), |s| matmul_chili(second, s));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Square matrices and the check of their products, as ../../../../workloads/linear_algebra has them.

use super::mersenne_twister::MersenneTwister64;

const DOUBLES_IN_LINE: usize = 8;

/// An n × n matrix, row by row. It begins at a cache line, and the rows are one farther apart than they are long: with
/// a power of two between them the elements of a column would all compete for one set of the cache.
pub struct Matrix {
    n: usize,
    stride: usize,
    begin: usize,
    data: Vec<f64>,
}

impl Matrix {
    pub fn new(n: usize) -> Self {
        let stride = n.next_multiple_of(DOUBLES_IN_LINE) + DOUBLES_IN_LINE;
        let data = vec![0.0; n * stride + DOUBLES_IN_LINE];
        let begin = data.as_ptr().align_offset(DOUBLES_IN_LINE * size_of::<f64>());
        Matrix { n, stride, begin, data }
    }

    /// Integers from -8 to 7: sums of products of them are exact, in whatever order they are formed.
    pub fn of_small_integers(n: usize, seed: u64) -> Self {
        let mut random = MersenneTwister64::new(seed);
        let mut matrix = Self::new(n);
        let stride = matrix.stride;
        for row in matrix.elements_mut().chunks_exact_mut(stride) {
            row[..n].fill_with(|| (random.next() >> 60) as f64 - 8.0);
        }
        matrix
    }

    pub fn size(&self) -> usize {
        self.n
    }
    pub fn stride(&self) -> usize {
        self.stride
    }
    pub fn elements(&self) -> &[f64] {
        &self.data[self.begin..][..self.n * self.stride]
    }
    pub fn elements_mut(&mut self) -> &mut [f64] {
        &mut self.data[self.begin..][..self.n * self.stride]
    }

    fn times_vector(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.elements().chunks_exact(self.stride);
        rows.map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }
}

/// Is C = A·B? Freivalds 1977: compare C·x with A·(B·x) for a random x. Exact for matrices of small integers: every
/// number is an integer below 2^53.
pub struct ProductCheck {
    x: Vec<f64>,
    expected: Vec<f64>,
}

impl ProductCheck {
    pub fn new(a: &Matrix, b: &Matrix) -> Self {
        let mut random = MersenneTwister64::new(3);
        let x: Vec<f64> = (0..a.size()).map(|_| (random.next() >> 54) as f64 + 1.0).collect();
        let expected = a.times_vector(&b.times_vector(&x));
        ProductCheck { x, expected }
    }

    /// What is wrong with the product, if anything.
    pub fn error(&self, c: &Matrix) -> Option<String> {
        let y = c.times_vector(&self.x);
        let wrong = y.iter().zip(&self.expected).filter(|(a, b)| a != b).count(); // a NaN is wrong, too
        (wrong != 0).then(|| format!("{wrong} of {} rows are wrong", y.len()))
    }
}

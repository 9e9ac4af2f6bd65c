// SPDX-License-Identifier: Apache-2.0
//! Unbalanced tree search, as ../../../../workloads/uts/tree.hpp has it.

use super::{Problem, Workload, USUAL_STACK};
use crate::pools::Pool;
use chili::Scope;
use std::ops::{Add, Range};

pub const GEOMETRIC: Workload = Workload {
    name: "uts_geometric",
    variants: &Pool::NAMES,
    sizes: SIZES,
    make: |n| make(chosen(&GEOMETRIC_TREES, n)),
    stack_bytes: |n| chosen(&GEOMETRIC_TREES, n).map_or(USUAL_STACK, stack_bytes),
};

pub const BINOMIAL: Workload = Workload {
    name: "uts_binomial",
    variants: &Pool::NAMES,
    sizes: SIZES,
    make: |n| make(chosen(&BINOMIAL_TREES, n)),
    stack_bytes: |n| chosen(&BINOMIAL_TREES, n).map_or(USUAL_STACK, stack_bytes),
};

const SIZES: &[(&str, u64)] = &[("smoke", 1), ("quick", 2), ("paper", 3), ("huge", 4)];

#[derive(Clone, Copy)]
enum Shape {
    /// Four children on average down to this depth, none below.
    Geometric { depth: u32 },
    /// The root has 2000 children, every other node m with probability q, else none.
    Binomial { m: u32, q: f64 },
}

#[derive(Clone, Copy)]
struct Tree {
    seed: u32,
    shape: Shape,
    known: Counts,
}

const fn geometric(seed: u32, depth: u32, nodes: u64, leaves: u64) -> Tree {
    Tree { seed, shape: Shape::Geometric { depth }, known: Counts { nodes, leaves, depth } }
}

const fn binomial(seed: u32, m: u32, q: f64, nodes: u64, leaves: u64, depth: u32) -> Tree {
    Tree { seed, shape: Shape::Binomial { m, q }, known: Counts { nodes, leaves, depth } }
}

const GEOMETRIC_TREES: [Tree; 4] = [
    geometric(19, 7, 63_914, 51_124),
    geometric(19, 10, 4_130_071, 3_305_118),
    geometric(29, 13, 102_181_082, 81_746_377),
    geometric(19, 15, 4_230_646_601, 3_384_495_738),
];

const BINOMIAL_TREES: [Tree; 4] = [
    binomial(42, 8, 0.12, 62_689, 55_102, 124),
    binomial(42, 8, 0.124875, 4_112_897, 3_599_034, 1_572),
    binomial(7, 5, 0.200014, 111_345_631, 89_076_904, 17_844),
    binomial(316, 2, 0.499995, 2_793_220_501, 1_396_611_250, 99_049),
];

/// What a subtree is counted to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Counts {
    nodes: u64,
    leaves: u64,
    depth: u32,
}

impl Add for Counts {
    type Output = Counts;
    fn add(self, other: Counts) -> Counts {
        Counts {
            nodes: self.nodes + other.nodes,
            leaves: self.leaves + other.leaves,
            depth: self.depth.max(other.depth),
        }
    }
}

#[derive(Clone, Copy)]
struct Node {
    digest: [u32; 5],
    height: u32,
}

impl Node {
    fn root(tree: &Tree) -> Node {
        Node { digest: sha1_of_block([0, 0, 0, 0, tree.seed, 0x8000_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8]), height: 0 }
    }

    fn child(&self, index: u32) -> Node {
        let [a, b, c, d, e] = self.digest;
        let block = [a, b, c, d, e, index, 0x8000_0000, 0, 0, 0, 0, 0, 0, 0, 0, 24 * 8];
        Node { digest: sha1_of_block(block), height: self.height + 1 }
    }

    fn children(&self, shape: Shape) -> u32 {
        let chance = f64::from(self.digest[4] & 0x7fff_ffff) / f64::from(1u32 << 31);
        match shape {
            Shape::Geometric { depth } if self.height >= depth => 0,
            Shape::Geometric { .. } => ((1.0 - chance).ln() / (1.0f64 - 1.0 / (1.0 + 4.0)).ln()).floor() as u32,
            Shape::Binomial { .. } if self.height == 0 => 2000,
            Shape::Binomial { m, q } => {
                if chance < q {
                    m
                } else {
                    0
                }
            }
        }
    }

    fn itself(&self, children: u32) -> Counts {
        Counts { nodes: 1, leaves: u64::from(children == 0), depth: self.height }
    }
}

/// The digest of a message that is one block, padding and length included.
fn sha1_of_block(block: [u32; 16]) -> [u32; 5] {
    let mut w = [0u32; 80];
    w[..16].copy_from_slice(&block);
    for i in 16..80 {
        w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotate_left(1);
    }
    let start = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let [mut a, mut b, mut c, mut d, mut e] = start;
    for (i, &word) in w.iter().enumerate() {
        let (f, k) = match i / 20 {
            0 => ((b & c) | (!b & d), 0x5a82_7999u32),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    let end = [a, b, c, d, e];
    std::array::from_fn(|i| start[i].wrapping_add(end[i]))
}

struct Search {
    tree: Tree,
    counts: Counts,
}

/// n counts the trees of a family, from 1.
fn chosen(trees: &[Tree], n: u64) -> Option<&Tree> {
    trees.get((n as usize).wrapping_sub(1))
}

fn make(tree: Option<&Tree>) -> Result<Box<dyn Problem>, &'static str> {
    let tree = *tree.ok_or("allowed are 1 to 4")?;
    Ok(Box::new(Search { tree, counts: Counts::default() }))
}

// The recursion is as deep as the tree, and some levels for the range of a node's children each; a worker that waits runs
// other work on top.
fn stack_bytes(tree: &Tree) -> usize {
    const OF_A_LEVEL: usize = 4 << 10;
    tree.known.depth as usize * OF_A_LEVEL + USUAL_STACK
}

impl Problem for Search {
    fn prepare(&mut self) {
        self.counts = Counts::default();
    }
    fn run(&mut self, pool: &Pool) {
        let root = Node::root(&self.tree);
        let shape = self.tree.shape;
        self.counts = match pool {
            Pool::Rayon(pool) => pool.install(|| visit_rayon(&root, shape)),
            Pool::Chili(pool) => visit_chili(&root, shape, &mut pool.scope()),
        };
    }
    fn error(&self) -> Option<String> {
        (self.counts != self.tree.known).then(|| format!("{:?}, not {:?}", self.counts, self.tree.known))
    }
    fn result(&self) -> String {
        self.counts.nodes.to_string()
    }
}

// Both crates join in pairs, so the children of a node are joined as a tree over their range.

fn visit_rayon(node: &Node, shape: Shape) -> Counts {
    let children = node.children(shape);
    node.itself(children) + children_rayon(node, 0..children, shape)
}

fn children_rayon(parent: &Node, range: Range<u32>, shape: Shape) -> Counts {
    match range.len() {
        0 => Counts::default(),
        1 => visit_rayon(&parent.child(range.start), shape),
        length => {
            let middle = range.start + length as u32 / 2;
            let (a, b) = rayon::join(
                || children_rayon(parent, range.start..middle, shape),
                || children_rayon(parent, middle..range.end, shape),
            );
            a + b
        }
    }
}

fn visit_chili(node: &Node, shape: Shape, scope: &mut Scope<'_>) -> Counts {
    let children = node.children(shape);
    node.itself(children) + children_chili(node, 0..children, shape, scope)
}

fn children_chili(parent: &Node, range: Range<u32>, shape: Shape, scope: &mut Scope<'_>) -> Counts {
    match range.len() {
        0 => Counts::default(),
        1 => visit_chili(&parent.child(range.start), shape, scope),
        length => {
            let middle = range.start + length as u32 / 2;
            let (a, b) = scope.join(
                |s| children_chili(parent, range.start..middle, shape, s),
                |s| children_chili(parent, middle..range.end, shape, s),
            );
            a + b
        }
    }
}

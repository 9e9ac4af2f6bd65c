// SPDX-License-Identifier: Apache-2.0
//! The generators of the C++ programs, so that all have the same numbers: those of Matsumoto and Nishimura.

/// MT19937.
pub struct MersenneTwister {
    state: [u32; Self::LENGTH],
    next: usize,
}

impl MersenneTwister {
    const LENGTH: usize = 624;
    const MIDDLE: usize = 397;

    pub fn new(seed: u32) -> Self {
        let mut state = [seed; Self::LENGTH];
        for i in 1..Self::LENGTH {
            let before = state[i - 1] ^ (state[i - 1] >> 30);
            state[i] = before.wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        MersenneTwister { state, next: Self::LENGTH }
    }

    pub fn next(&mut self) -> u32 {
        if self.next == Self::LENGTH {
            self.twist();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn twist(&mut self) {
        for i in 0..Self::LENGTH {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % Self::LENGTH] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + Self::MIDDLE) % Self::LENGTH] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }
}

/// MT19937-64.
pub struct MersenneTwister64 {
    state: [u64; Self::LENGTH],
    next: usize,
}

impl MersenneTwister64 {
    const LENGTH: usize = 312;
    const MIDDLE: usize = 156;

    pub fn new(seed: u64) -> Self {
        let mut state = [seed; Self::LENGTH];
        for i in 1..Self::LENGTH {
            let before = state[i - 1] ^ (state[i - 1] >> 62);
            state[i] = before.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i as u64);
        }
        MersenneTwister64 { state, next: Self::LENGTH }
    }

    pub fn next(&mut self) -> u64 {
        if self.next == Self::LENGTH {
            self.twist();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= (y >> 29) & 0x5555_5555_5555_5555;
        y ^= (y << 17) & 0x71d6_7fff_eda6_0000;
        y ^= (y << 37) & 0xfff7_eee0_0000_0000;
        y ^ (y >> 43)
    }

    fn twist(&mut self) {
        for i in 0..Self::LENGTH {
            let y = (self.state[i] & 0xffff_ffff_8000_0000) | (self.state[(i + 1) % Self::LENGTH] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
            self.state[i] = self.state[(i + Self::MIDDLE) % Self::LENGTH] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }
}

# SPDX-License-Identifier: Apache-2.0
# rayon and chili, by cargo.
nopal_bench_cargo(reason rust)
if(reason)
  nopal_bench_absent(rust "${reason}")
else()
  nopal_bench_present(rust rust/release/nopal-bench-rust)
endif()

# SPDX-License-Identifier: Apache-2.0
# rayon and chili, by cargo. The crates are fetched while configuring, so that a build never waits
# for a network.
function(nopal_bench_rust)
  if(CMAKE_CROSSCOMPILING)
    nopal_bench_absent(rust "not cross-compiled")
    return()
  endif()
  if(NOT NOPAL_BENCH_RUST)
    nopal_bench_absent(rust "NOPAL_BENCH_RUST is off")
    return()
  endif()
  find_program(NOPAL_BENCH_CARGO cargo)
  mark_as_advanced(NOPAL_BENCH_CARGO)
  if(NOT NOPAL_BENCH_CARGO)
    nopal_bench_absent(rust "cargo not found")
    return()
  endif()

  # rayon asks for it, but only when it is built.
  execute_process(COMMAND ${NOPAL_BENCH_CARGO} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX MATCH "[0-9.]+" version "${version}")
  if(version VERSION_LESS 1.80)
    nopal_bench_absent(rust "cargo 1.80 or later not found")
    return()
  endif()

  set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/peers/rust/Cargo.toml)
  foreach(network IN ITEMS --offline "")
    execute_process(
      COMMAND ${NOPAL_BENCH_CARGO} fetch --locked ${network} --manifest-path ${manifest}
      RESULT_VARIABLE status ERROR_VARIABLE message OUTPUT_QUIET TIMEOUT 60)
    if(status EQUAL 0)
      break()
    endif()
  endforeach()
  if(NOT status EQUAL 0)
    string(REGEX MATCH "error: [^\n]*" message "${message}")
    nopal_bench_absent(rust "cargo fetch failed: ${message}")
    return()
  endif()

  set(flags)
  if(NOPAL_BENCH_NATIVE)
    set(flags "-C target-cpu=native")
  endif()
  set(target_dir ${CMAKE_CURRENT_BINARY_DIR}/rust)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/peers/rust/src/*.rs)
  set(executable ${target_dir}/release/nopal-bench-rust)
  add_custom_command(
    OUTPUT ${executable}
    COMMAND ${CMAKE_COMMAND} -E env "RUSTFLAGS=${flags}"
            ${NOPAL_BENCH_CARGO} build --release --locked --offline --quiet --manifest-path
            ${manifest}
            --target-dir ${target_dir}
    COMMAND ${CMAKE_COMMAND} -E touch ${executable}
    DEPENDS ${manifest} ${CMAKE_CURRENT_SOURCE_DIR}/peers/rust/Cargo.lock
            ${CMAKE_CURRENT_SOURCE_DIR}/peers/rust/build.rs ${sources}
    COMMENT "Building nopal-bench-rust"
    USES_TERMINAL
    VERBATIM)
  add_custom_target(nopal-bench-rust ALL DEPENDS ${executable})
  add_dependencies(nopal_bench nopal-bench-rust)
  nopal_bench_present(rust rust/release/nopal-bench-rust)
endfunction()

nopal_bench_rust()

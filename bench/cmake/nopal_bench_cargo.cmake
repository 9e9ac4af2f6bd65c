# SPDX-License-Identifier: Apache-2.0
# Peers in Rust. The crates are fetched while configuring, so that a build never waits for a
# network.

# nopal_bench_cargo(VARIABLE FOLDER): the program nopal-bench-FOLDER from peers/FOLDER, in
# FOLDER/release. Sets the variable to the reason if it cannot be built, else to nothing.
function(nopal_bench_cargo variable folder)
  if(CMAKE_CROSSCOMPILING)
    set(${variable} "not cross-compiled" PARENT_SCOPE)
    return()
  endif()
  if(NOT NOPAL_BENCH_RUST)
    set(${variable} "NOPAL_BENCH_RUST is off" PARENT_SCOPE)
    return()
  endif()
  find_program(NOPAL_BENCH_CARGO cargo)
  mark_as_advanced(NOPAL_BENCH_CARGO)
  if(NOT NOPAL_BENCH_CARGO)
    set(${variable} "cargo not found" PARENT_SCOPE)
    return()
  endif()

  # rayon asks for it, but only when it is built.
  execute_process(COMMAND ${NOPAL_BENCH_CARGO} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX MATCH "[0-9.]+" version "${version}")
  if(version VERSION_LESS 1.80)
    set(${variable} "cargo 1.80 or later not found" PARENT_SCOPE)
    return()
  endif()

  set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/peers/${folder}/Cargo.toml)
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
    set(${variable} "cargo fetch failed: ${message}" PARENT_SCOPE)
    return()
  endif()

  set(flags)
  if(NOPAL_BENCH_NATIVE)
    set(flags "-C target-cpu=native")
  endif()
  set(profile)
  if(NOPAL_BENCH_BRIEF)  # nothing is measured, and optimizing takes most of the time
    set(profile CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off
      CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16)
  endif()
  set(target_dir ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/peers/*.rs)
  set(executable ${target_dir}/release/nopal-bench-${folder})
  add_custom_command(
    OUTPUT ${executable}
    COMMAND ${CMAKE_COMMAND} -E env "RUSTFLAGS=${flags}" ${profile}
            ${NOPAL_BENCH_CARGO} build --release --locked --offline --quiet --manifest-path
            ${manifest}
            --target-dir ${target_dir}
    COMMAND ${CMAKE_COMMAND} -E touch ${executable}
    DEPENDS ${manifest} ${CMAKE_CURRENT_SOURCE_DIR}/peers/${folder}/Cargo.lock
            ${CMAKE_CURRENT_SOURCE_DIR}/peers/${folder}/build.rs ${sources}
    COMMENT "Building nopal-bench-${folder}"
    USES_TERMINAL
    VERBATIM)
  add_custom_target(nopal-bench-${folder} ALL DEPENDS ${executable})
  add_dependencies(nopal_bench nopal-bench-${folder})
  set(${variable} "" PARENT_SCOPE)
endfunction()

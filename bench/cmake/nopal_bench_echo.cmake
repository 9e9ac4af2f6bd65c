# SPDX-License-Identifier: Apache-2.0
# Echo servers to be compared, nopal-bench-echo-<name>, and the client that measures them.
# echo/run_echo.py runs them.
if(NOPAL_SANITIZE)
  return()  # nopal is judged, not others
endif()
set(nopal_bench_echo_servers)

# nopal_bench_echo_server(NAME SOURCE [LIBRARY...])
function(nopal_bench_echo_server name source)
  add_executable(nopal-bench-echo-${name} ${source})
  nopal_bench_compile(nopal-bench-echo-${name})
  target_link_libraries(nopal-bench-echo-${name} PRIVATE Threads::Threads ${ARGN})
  add_dependencies(nopal_bench nopal-bench-echo-${name})
  set(nopal_bench_echo_servers ${nopal_bench_echo_servers} ${name} PARENT_SCOPE)
endfunction()

nopal_bench_echo_server(epoll echo/epoll.cpp)
nopal_bench_echo_server(threads echo/threads.cpp)
nopal_bench_echo_server(nopal echo/nopal.cpp nopal::nopal)
find_path(NOPAL_BENCH_ASIO boost/asio.hpp)
mark_as_advanced(NOPAL_BENCH_ASIO)
if(NOPAL_BENCH_ASIO)
  nopal_bench_echo_server(asio echo/asio.cpp)
  target_include_directories(nopal-bench-echo-asio SYSTEM PRIVATE ${NOPAL_BENCH_ASIO})
  # The header of Boost 1.74 uses std::exchange and does not include what declares it.
  target_compile_options(nopal-bench-echo-asio PRIVATE "SHELL:-include utility")
else()
  message(STATUS "nopal bench: echo: asio left out, Boost.Asio not found (Debian: libboost-dev)")
endif()

add_executable(nopal-bench-echo-client echo/client.cpp)
nopal_bench_compile(nopal-bench-echo-client)
target_include_directories(nopal-bench-echo-client SYSTEM PRIVATE ${NOPAL_BENCH_CLI11}
  ${NOPAL_BENCH_JSON})
add_dependencies(nopal_bench nopal-bench-echo-client)

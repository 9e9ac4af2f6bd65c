// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "failure.hpp"
#include "progress.hpp"

namespace treehash {
namespace {

using json = nlohmann::ordered_json;

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw failure("cannot write to standard output: " + explain(errno));
  }
}

void put_group(std::string_view what, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) put(fmt::format("{} {}\n", what, shown(path)));
}

void put_differences(const differences& found) {
  put_group("changed", found.changed);
  put_group("missing", found.missing);
  put_group("new", found.added);
  put_group("unchecked", found.unchecked);
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string summary(const outcome& result) {
  const auto bytes = static_cast<double>(result.found.bytes);
  const double rate = result.seconds > 0 ? bytes / result.seconds : 0;
  const std::string who = result.ranks == 0
                              ? counted(result.workers, "worker")
                              : counted(static_cast<std::uint64_t>(result.ranks), "rank");
  std::string text =
      fmt::format("{}, {} in {:.3f} s ({}/s), {}\n", counted(result.found.files.size(), "file"),
                  human_bytes(bytes), result.seconds, human_bytes(rate), who);
  if (result.found.ignored_links != 0)
    text += counted(result.found.ignored_links, "symbolic link") + " ignored\n";
  if (result.against) {
    const differences& found = *result.against;
    text += fmt::format("{} changed, {} missing, {} new, {} unchecked\n", found.changed.size(),
                        found.missing.size(), found.added.size(), found.unchecked.size());
  }
  return text + fmt::format("digest {}\n", to_hex(result.tree));
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

json path_object(const std::string& path) {
  const std::string full = path.empty() ? "." : fmt::format("./{}", path);
  json object = {{"path", full}};
  if (!is_utf8(full)) {
    std::string hex;
    for (const char byte : full) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    object["path_hex"] = hex;
  }
  return object;
}

json path_array(const std::vector<std::string>& paths) {
  json array = json::array();
  for (const std::string& path : paths) array.push_back(path_object(path));
  return array;
}

json problem_array(const std::vector<problem>& problems) {
  json array = json::array();
  for (const problem& each : problems) {
    json object = {{"kind", name_of(each.kind)}};
    object.update(path_object(each.path));
    object["reason"] = each.reason;
    array.push_back(std::move(object));
  }
  return array;
}

std::string json_text(const settings& wanted, const outcome& result) {
  json object = {{"version", version()},
                 {"directory", wanted.directory},
                 {"digest", to_hex(result.tree)},
                 {"files", result.found.files.size()},
                 {"bytes", result.found.bytes},
                 {"seconds", result.seconds},
                 {"workers", result.workers},
                 {"ignored_links", result.found.ignored_links},
                 {"problems", problem_array(result.found.problems)}};
  if (result.ranks != 0) object["ranks"] = result.ranks;
  if (result.against) {
    object["check"] = {{"changed", path_array(result.against->changed)},
                       {"missing", path_array(result.against->missing)},
                       {"new", path_array(result.against->added)},
                       {"unchecked", path_array(result.against->unchecked)}};
  }
  return object.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace

int outcome::exit_status() const noexcept {
  return !found.problems.empty() || (against && against->any()) ? 1 : 0;
}

void report(const settings& wanted, const outcome& result) {
  if (wanted.json) {
    put(json_text(wanted, result));
  } else {
    if (wanted.list) write_listing(result.found.files, put);
    if (result.against) put_differences(*result.against);
    if (!wanted.quiet) {
      // A summary beside a listing would spoil it.
      wanted.list ? fmt::print(stderr, "{}", summary(result)) : put(summary(result));
    } else if (!wanted.list && !result.against) {
      put(to_hex(result.tree) + '\n');
    }
  }
  if (std::fflush(stdout) != 0) throw failure("cannot write to standard output: " + explain(errno));
  report_problems(result.found.problems, wanted.verbose);
}

}  // namespace treehash

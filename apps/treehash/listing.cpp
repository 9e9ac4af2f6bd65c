// SPDX-License-Identifier: Apache-2.0
#include "listing.hpp"

#include <algorithm>
#include <functional>
#include <nopal/nopal.hpp>
#include <optional>

#include "failure.hpp"

namespace treehash {
namespace {

bool by_path(const entry& a, const entry& b) { return a.path < b.path; }

void sort_range(entry* first, entry* last) {
  constexpr std::ptrdiff_t worth_a_fork = 2048;
  if (last - first < worth_a_fork) {
    std::sort(first, last, by_path);
    return;
  }
  entry* const middle = first + (last - first) / 2;
  std::nth_element(first, middle, last, by_path);
  nopal::parallel_invoke([=] { sort_range(first, middle); }, [=] { sort_range(middle, last); });
}

bool needs_escape(std::string_view path) { return path.find_first_of("\\\n\r") != path.npos; }

void append_escaped(std::string& text, std::string_view path) {
  for (const char byte : path) {
    switch (byte) {
      case '\\':
        text += "\\\\";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      default:
        text += byte;
    }
  }
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string path;
  for (std::size_t at = 0; at != text.size(); ++at) {
    if (text[at] != '\\') {
      path += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    switch (text[at]) {
      case '\\':
        path += '\\';
        break;
      case 'n':
        path += '\n';
        break;
      case 'r':
        path += '\r';
        break;
      default:
        return std::nullopt;
    }
  }
  return path;
}

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

std::optional<digest> parse_digest(std::string_view text) {
  digest sum;
  if (text.size() != 2 * sum.size()) return std::nullopt;
  for (std::size_t i = 0; i != sum.size(); ++i) {
    const auto high = hex_digit(text[2 * i]);
    const auto low = hex_digit(text[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    sum[i] = static_cast<unsigned char>(*high << 4 | *low);
  }
  return sum;
}

// A line is "<64 hex digits>  <path>", after a backslash when the path is escaped. sha256sum puts
// an asterisk before the path of a file that it read in binary mode.
std::optional<entry> parse_line(std::string_view line) {
  const bool escaped = line.starts_with('\\');
  if (escaped) line.remove_prefix(1);
  constexpr std::size_t digits = 2 * std::tuple_size_v<digest>;
  if (line.size() < digits + 3 || line[digits] != ' ') return std::nullopt;
  if (line[digits + 1] != ' ' && line[digits + 1] != '*') return std::nullopt;
  const auto sum = parse_digest(line.substr(0, digits));
  const std::string_view written = line.substr(digits + 2);
  auto path = escaped ? unescaped(written) : std::optional<std::string>(written);
  if (!sum || !path || path->starts_with('/') || path->find('\0') != path->npos)
    return std::nullopt;
  if (path->starts_with("./")) path->erase(0, 2);
  return entry{.path = std::move(*path), .sum = *sum};
}

}  // namespace

void sort_by_path(listing& files) { sort_range(files.data(), files.data() + files.size()); }

std::string shown(std::string_view path) {
  if (path.empty()) return ".";
  std::string text = "./";
  append_escaped(text, path);
  return text;
}

void write_listing(const listing& files, const std::function<void(std::string_view)>& take) {
  constexpr std::size_t block = std::size_t{64} << 10;
  std::string text;
  for (const entry& file : files) {
    if (needs_escape(file.path)) text += '\\';
    text += to_hex(file.sum) + "  ./";
    append_escaped(text, file.path);
    text += '\n';
    if (text.size() >= block) {
      take(text);
      text.clear();
    }
  }
  take(text);
}

digest tree_digest(const listing& files) {
  sha256 sum;
  write_listing(files, [&](std::string_view text) { sum.update(text); });
  return sum.finish();
}

listing parse_listing(std::string_view text, const std::string& name) {
  listing files;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    auto file = parse_line(text.substr(0, end));
    if (!file) {
      throw failure(name + ", line " + std::to_string(line) +
                    ": not a line of a listing; allowed are 64 hexadecimal digits, two spaces and "
                    "a relative path, as "
                    "--list and sha256sum write them");
    }
    files.push_back(std::move(*file));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  std::sort(files.begin(), files.end(), by_path);
  const auto twice = std::adjacent_find(
      files.begin(), files.end(), [](const entry& a, const entry& b) { return a.path == b.path; });
  if (twice != files.end())
    throw failure(name + ": lists " + shown(twice->path) + " twice; keep one of the lines");
  return files;
}

}  // namespace treehash

// SPDX-License-Identifier: Apache-2.0
// A picture of the Mandelbrot set: for_each goes over a grid by tiles. These take very different
// times; none is dealt out to a worker beforehand, so that this does not matter. Usage: mandelbrot
// [file.png]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nopal/algorithm/grid.hpp>
#include <nopal/nopal.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t width = 600, height = 400;

// Numbers have 24 bits behind the point, so that the picture is the same on every machine.
using fixed = std::int64_t;
constexpr fixed one = 1 << 24;

unsigned char shade(fixed re, fixed im) {
  fixed x = 0, y = 0;
  for (int steps = 0; steps < 128; ++steps) {
    const fixed xx = x * x / one, yy = y * y / one;
    if (xx + yy > 4 * one) return static_cast<unsigned char>(255 - 2 * steps);
    y = 2 * x * y / one + im;
    x = xx - yy + re;
  }
  return 0;
}

std::string picture() {
  std::string pixels(width * height, '\0');
  nopal::for_each(nopal::grid(height, width), [&](std::size_t row, std::size_t column) {
    const fixed im = static_cast<fixed>(row) * 2 * one / static_cast<fixed>(height) - one;
    const fixed re = static_cast<fixed>(column) * 3 * one / static_cast<fixed>(width) - 2 * one;
    pixels[row * width + column] = static_cast<char>(shade(re, im));
  });
  return pixels;
}

std::uint32_t crc(std::string_view bytes) {
  std::uint32_t c = ~0U;
  for (const char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
  }
  return ~c;
}

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc(type + data));
}

/// The simplest PNG: grey, not compressed, a block to each row.
std::string png(std::string_view pixels) {
  std::string data = "\x78\x01";  // zlib's header
  std::uint32_t a = 1, b = 0;     // zlib's checksum, Adler-32
  for (std::size_t row = 0; row < height; ++row) {
    const std::string line = '\0' + std::string(pixels.substr(row * width, width));
    const auto size = static_cast<std::uint16_t>(line.size());
    data += row + 1 == height ? '\1' : '\0';
    for (const int part : {size + 0, ~size})
      data += {static_cast<char>(part), static_cast<char>(part >> 8)};
    data += line;
    for (const char byte : line) {
      a = (a + static_cast<unsigned char>(byte)) % 65521;
      b = (b + a) % 65521;
    }
  }
  const std::string header =
      big_endian(width) + big_endian(height) + std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         chunk("IDAT", data + big_endian(b << 16 | a)) + chunk("IEND", "");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = png(picture());
  if (argc > 1) std::ofstream(argv[1], std::ios::binary) << file;
  std::printf("%zu bytes with the checksum %08x\n", file.size(), crc(file));
  return crc(file) == 0x28d1ae06 ? 0 : 1;
}

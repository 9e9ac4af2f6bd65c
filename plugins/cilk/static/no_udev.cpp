// SPDX-License-Identifier: Apache-2.0
// hwloc asks libudev about disks and the like, and does without it if udev_new() returns nullptr.
// Debian has libudev only as a shared library, so a program that is linked by -static gets these
// functions. The others are then never called.
struct udev;
struct udev_device;

extern "C" {
[[gnu::weak]] udev* udev_new() { return nullptr; }
[[gnu::weak]] udev* udev_unref(udev* /*u*/) { return nullptr; }
[[gnu::weak]] udev_device* udev_device_new_from_subsystem_sysname(udev* /*u*/,
                                                                  const char* /*subsystem*/,
                                                                  const char* /*name*/) {
  return nullptr;
}
[[gnu::weak]] const char* udev_device_get_property_value(udev_device* /*d*/, const char* /*key*/) {
  return nullptr;
}
[[gnu::weak]] udev_device* udev_device_unref(udev_device* /*d*/) { return nullptr; }
}

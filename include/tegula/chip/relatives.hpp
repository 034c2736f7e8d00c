#pragma once

// The chips that have the instructions and the kernels of another one, and differ in no more than a line says. A line
// here is all of a relative: from it chip_info.hpp makes its record and its place in chip::all, and
// arch/amd/targets.hpp or arch/nvidia/targets.hpp its target.
//
//     relative(name, chip, (speed), changes)
//
//   chip     the chip whose instructions and kernels it has
//   speed    its chip_speed
//   changes  other facts in which it differs (chip::relative_changes); none if nothing differs

// clang-format off
#define TEGULA_AMD_RELATIVES(relative)                                                                                \
    relative(gfx1101, gfx1100,                                                                                        \
             (.compute_units = 60, .simds = 2, .simd_registers = 1536, .multiply_adds = 256, .byte_rate = 1,          \
              .megahertz = 2430, .memory_gigabytes = 624,                                                             \
              .product_source = "AMD Radeon RX 7800 XT product page"))                                                \
    relative(gfx1102, gfx1100,                                                                                        \
             (.compute_units = 32, .simds = 2, .simd_registers = 1024, .multiply_adds = 256, .byte_rate = 1,          \
              .megahertz = 2655, .memory_gigabytes = 288,                                                             \
              .product_source = "AMD Radeon RX 7600 product page"))                                                   \
    relative(gfx1103, gfx1100,                                                                                        \
             (.compute_units = 12, .simds = 2, .simd_registers = 1024, .multiply_adds = 256, .byte_rate = 1,          \
              .megahertz = 2700, .memory_gigabytes = 120,                                                             \
              .product_source = "AMD Ryzen 7 7840U product page"))                                                    \
    relative(gfx1150, gfx1100,                                                                                        \
             (.compute_units = 16, .simds = 2, .simd_registers = 1024, .multiply_adds = 256, .byte_rate = 1,          \
              .megahertz = 2900, .memory_gigabytes = 120,                                                             \
              .product_source = "AMD Ryzen AI 9 HX 370 product page"), .shared_source = "AMD RDNA3.5 ISA guide, LDS") \
    relative(gfx1151, gfx1100,                                                                                        \
             (.compute_units = 40, .simds = 2, .simd_registers = 1536, .multiply_adds = 256, .byte_rate = 1,          \
              .megahertz = 2900, .memory_gigabytes = 256,                                                             \
              .product_source = "AMD Ryzen AI Max+ 395 product page"), .shared_source = "AMD RDNA3.5 ISA guide, LDS") \
    relative(gfx1200, gfx1201,                                                                                        \
             (.compute_units = 32, .simds = 2, .simd_registers = 1536, .multiply_adds = 512,                          \
              .megahertz = 3130, .memory_gigabytes = 320,                                                             \
              .product_source = "AMD Radeon RX 9060 XT product page"), .has_own_instructions = true)

#define TEGULA_NVIDIA_RELATIVES(relative)                                                                             \
    relative(sm_86, sm_80,                                                                                            \
             (.compute_units = 84, .multiply_adds = 512, .megahertz = 1740, .memory_gigabytes = 696,                  \
              .product_source = "NVIDIA A40 data sheet"),                                                             \
             .shared_source = "CUDA C++ Programming Guide, 8.6", .shared_bytes = 101376, .compute_capability = 86)
// clang-format on

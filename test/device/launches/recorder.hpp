#pragma once

#include <tegula/host/launch.hpp>

#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <typeinfo>

/// A device that runs nothing and prints what the library would launch, so that scripts start the same kernels as machine
/// code: the host's own choice of blocks and its plans, on addresses that stand for arrays.

namespace tegula {

/// Array `number` of a case; a script puts the address of its own array in the place of these bits. Bit 30 tells an address
/// from a small number with a half of one in the padding behind it.
template <class T>
T* array_address(int number)
{
    return reinterpret_cast<T*>((std::uint64_t{0x5a} << 40) + (static_cast<std::uint64_t>(number) << 32) + (1u << 30));
}

/// The beginning of the symbol of a __global__ function that was made of this class template's name and argument.
template <class Function>
std::string symbol_of_template()
{
    std::string name = typeid(Function*).name(); // P of a type that is not complete
    return "_Z" + name.substr(1, name.size() - 2);
}
inline std::string symbol_of_function(const std::string& name)
{
    return "_ZN6tegula" + std::to_string(name.size()) + name + "E";
}

/// Ends the program if a case cannot be launched.
inline void must(const status& s)
{
    if (!s)
        std::exit(1); // refuse() has said why
}

/// Names: what a kernel's symbol is, symbol<Kernel>().
template <class Names>
struct recorder
{
    const char* target;
    const char* source; ///< of the device tests
    const char* name;   ///< of the case

    status refuse(const status& why)
    {
        std::cerr << name << ": " << why.message() << "\n";
        return why;
    }
    template <class Add, class Launch>
    status with_memory(const Add&, const Launch& launch)
    {
        return launch();
    }
};

template <class Names, class Kernel, class Arguments>
status launch(recorder<Names>& device, const launch_config& config, const Kernel&, const Arguments& arguments)
{
    std::cout << "{\"target\": \"" << device.target << "\", \"source\": \"" << device.source << "\", \"case\": \""
              << device.name << "\", \"symbol\": \"" << Names::template symbol<Kernel>() << "\", \"grid\": ["
              << config.grid.x << ", " << config.grid.y << ", " << config.grid.z
              << "], \"threads\": " << Kernel::block_threads
              << ", \"shared\": " << detail::shared_bytes_of<Kernel>(config) << ", \"arguments\": \"" << std::hex
              << std::setfill('0');
    for (const unsigned char byte : __builtin_bit_cast(array<unsigned char, sizeof(Arguments)>, arguments))
        std::cout << std::setw(2) << static_cast<int>(byte);
    std::cout << std::dec << "\"}\n";
    return {};
}

} // namespace tegula

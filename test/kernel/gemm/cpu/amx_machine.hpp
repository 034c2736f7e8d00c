#pragma once

/// The instructions of AMX on machines without them: each raises SIGILL, whose handler decodes the bytes that the compiler
/// made and does what Intel's manual says (SDM, volume 2, the operation of each instruction), on tile registers of the
/// thread. So what runs is the machine code of the kernels. Linux on x86-64.

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

namespace tegula::test {

class amx_machine
{
public:
    amx_machine()
    {
        struct sigaction action = {};
        action.sa_sigaction = &on_illegal;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGILL, &action, &before_);
    }
    ~amx_machine() { sigaction(SIGILL, &before_, nullptr); }
    amx_machine(const amx_machine&) = delete;
    amx_machine& operator=(const amx_machine&) = delete;

    /// Instructions that this thread has run.
    struct counts
    {
        long configurations = 0, releases = 0, zeros = 0, loads = 0, stores = 0, products = 0;
    };
    static counts& counted() { return state().count; }

private:
    struct tile_state
    {
        bool configured = false;
        int rows[8] = {}, row_bytes[8] = {};
        alignas(64) std::uint8_t data[8][16][64] = {};
        counts count;
    };
    static tile_state& state()
    {
        static thread_local tile_state own;
        return own;
    }
    [[noreturn]] static void stop()
    {
        std::signal(SIGILL, SIG_DFL);
        std::abort();
    }

    static void on_illegal(int, siginfo_t*, void* raw)
    {
        auto* const context = static_cast<ucontext_t*>(raw);
        greg_t* const registers = context->uc_mcontext.gregs;
        const auto* const code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
        // VEX of three bytes: C4, R X B and the map, W vvvv L pp.
        if (code[0] != 0xc4 || (code[1] & 31) != 2 || (code[2] & 0x84) != 0)
            stop();
        const int pp = code[2] & 3, opcode = code[3], modrm = code[4];
        const int mode = modrm >> 6, reg = modrm >> 3 & 7;
        if (opcode == 0x5c || opcode == 0x5e) {
            if (mode != 3)
                stop();
            multiply(opcode, pp, reg, modrm & 7, ~(code[2] >> 3) & 15);
            registers[REG_RIP] += 5;
            return;
        }
        if (opcode == 0x49 && mode == 3) {
            require((pp == 0 && modrm == 0xc0) || pp == 3);
            pp == 0 ? release() : zero(reg);
            registers[REG_RIP] += 5;
            return;
        }
        long stride = 0;
        int length = 0;
        auto* const address = find_address(code, registers, stride, length);
        if (opcode == 0x49 && pp == 0)
            configure(address);
        else if (opcode == 0x4b && (pp == 1 || pp == 3)) // tileloaddt1, tileloadd
            move(reg, address, stride, true);
        else if (opcode == 0x4b && pp == 2)
            move(reg, address, stride, false);
        else
            stop();
        registers[REG_RIP] += length;
    }
    static void require(bool ok)
    {
        if (!ok)
            stop();
    }

    /// The operand in memory behind the opcode; `stride` is that of a tile's rows, the index register scaled.
    static std::uint8_t* find_address(const std::uint8_t* code, const greg_t* registers, long& stride, int& length)
    {
        static constexpr int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
        const int mode = code[4] >> 6, rm = code[4] & 7;
        const int high_base = (code[1] & 0x20) == 0 ? 8 : 0, high_index = (code[1] & 0x40) == 0 ? 8 : 0;
        int at = 5;
        long address = 0;
        int base = rm | high_base;
        if (rm == 4) {
            const int sib = code[at++];
            base = (sib & 7) | high_base;
            const int index = (sib >> 3 & 7) | high_index;
            if (index != 4)
                stride = static_cast<long>(registers[names[index]]) << (sib >> 6);
            require(mode != 0 || (sib & 7) != 5);
            address = static_cast<long>(registers[names[base]]);
        } else if (mode == 0 && rm == 5) { // relative to the next instruction
            std::int32_t offset;
            std::memcpy(&offset, code + at, 4);
            length = at + 4;
            return reinterpret_cast<std::uint8_t*>(registers[REG_RIP] + length + offset);
        } else {
            address = static_cast<long>(registers[names[base]]);
        }
        if (mode == 1) {
            address += static_cast<std::int8_t>(code[at++]);
        } else if (mode == 2) {
            std::int32_t offset;
            std::memcpy(&offset, code + at, 4);
            address += offset;
            at += 4;
        }
        length = at;
        return reinterpret_cast<std::uint8_t*>(address);
    }

    static void configure(const std::uint8_t* from)
    {
        tile_state& s = state();
        require(from[0] == 1 && from[1] == 0); // palette 1 of AMX, from the first row on
        for (int t = 0; t < 8; ++t) {
            s.row_bytes[t] = from[16 + 2 * t] | from[17 + 2 * t] << 8;
            s.rows[t] = from[48 + t];
            require(s.rows[t] <= 16 && s.row_bytes[t] <= 64);
        }
        std::memset(s.data, 0, sizeof(s.data));
        s.configured = true;
        ++s.count.configurations;
    }
    static void release()
    {
        state().configured = false;
        ++state().count.releases;
    }
    static void zero(int tile)
    {
        tile_state& s = state();
        require(s.configured && s.rows[tile] > 0);
        std::memset(s.data[tile], 0, sizeof(s.data[tile]));
        ++s.count.zeros;
    }
    static void move(int tile, std::uint8_t* memory, long stride, bool loads)
    {
        tile_state& s = state();
        require(s.configured && s.rows[tile] > 0);
        for (int row = 0; row < s.rows[tile]; ++row) {
            const auto bytes = static_cast<std::size_t>(s.row_bytes[tile]);
            if (loads) {
                std::memset(s.data[tile][row], 0, 64);
                std::memcpy(s.data[tile][row], memory + row * stride, bytes);
            } else {
                std::memcpy(memory + row * stride, s.data[tile][row], bytes);
            }
        }
        ++(loads ? s.count.loads : s.count.stores);
    }

    template <class T>
    static T element(const tile_state& s, int tile, int row, int i)
    {
        T x;
        std::memcpy(&x, s.data[tile][row] + i * static_cast<int>(sizeof(T)), sizeof(T));
        return x;
    }
    /// dst.row[m].dword[n] += sums over the k of the words src1.row[m].dword[k] and src2.row[k].dword[n].
    template <class A, class B, class C>
    static void multiply_elements(int c, int a, int b)
    {
        tile_state& s = state();
        constexpr int per_word = 4 / static_cast<int>(sizeof(A));
        const int words = s.row_bytes[a] / 4, columns = s.row_bytes[c] / 4;
        require(s.rows[c] == s.rows[a] && s.row_bytes[b] == s.row_bytes[c] && s.rows[b] == words);
        for (int m = 0; m < s.rows[c]; ++m)
            for (int n = 0; n < columns; ++n) {
                C sum = element<C>(s, c, m, n);
                for (int k = 0; k < words; ++k)
                    for (int e = 0; e < per_word; ++e)
                        sum += static_cast<C>(element<A>(s, a, m, k * per_word + e)) *
                               static_cast<C>(element<B>(s, b, k, n * per_word + e));
                std::memcpy(s.data[c][m] + 4 * n, &sum, 4);
            }
    }
    static void multiply(int opcode, int pp, int c, int a, int b)
    {
        require(state().configured && b < 8 && c != a && c != b && a != b);
        using i8 = std::int8_t;
        using u8 = std::uint8_t;
        using i32 = std::int32_t;
        if (opcode == 0x5c) {
            require(pp >= 2);
            pp == 2 ? multiply_elements<bfloat16, bfloat16, float>(c, a, b)
                    : multiply_elements<half, half, float>(c, a, b);
        } else {
            pp == 0   ? multiply_elements<u8, u8, i32>(c, a, b)
            : pp == 1 ? multiply_elements<u8, i8, i32>(c, a, b)
            : pp == 2 ? multiply_elements<i8, u8, i32>(c, a, b)
                      : multiply_elements<i8, i8, i32>(c, a, b);
        }
        ++state().count.products;
    }

    struct sigaction before_ = {};
};

} // namespace tegula::test

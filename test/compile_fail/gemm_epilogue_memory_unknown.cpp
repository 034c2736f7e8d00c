// A part of an epilogue with a pointer, of whose memory the emulator knows nothing.
//
// expect: tegula: this part of an epilogue may hold pointers, and nothing says what memory they lead to
// expect: scale_by_table

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>

namespace mine {

struct scale_by_table
{
    int rows;
    const float* table;

#ifdef TEGULA_CONTROL
    template <class Memory>
    void memory(const tegula::epilogue::extents&, Memory& memory) const
    {
        memory.read(table, rows * sizeof(float), "table");
    }
#endif
};

} // namespace mine

using arguments =
    tegula::gemm_arguments<float, float, float, tegula::epilogue::chain<tegula::epilogue::scale, mine::scale_by_table>>;

void add(tegula::emulator::memory_ranges& memory, const arguments& args) { tegula::add_product(args, memory); }

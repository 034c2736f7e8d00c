// A part of an epilogue with a pointer, of whose memory the emulator knows nothing.
//
// expect: tegula: this part of an epilogue may hold pointers, and nothing says what memory they lead to
// expect: scale_by_table

#include <tegula/host/gemm_memory.hpp>

namespace mine {

struct scale_by_table
{
    int rows;
    const float* table;
};

#ifdef TEGULA_CONTROL
template <class Arguments>
void add_memory(tegula::emulator::memory_ranges& memory, const scale_by_table& part, const Arguments&)
{
    memory.read(part.table, part.rows * sizeof(float), "table");
}
#endif

} // namespace mine

using arguments =
    tegula::gemm_arguments<float, float, float, tegula::epilogue::chain<tegula::epilogue::scale, mine::scale_by_table>>;

void add(tegula::emulator::memory_ranges& memory, const arguments& args) { tegula::add_product(memory, args); }

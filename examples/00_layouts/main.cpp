// Tile distributions from zero: the encodings of docs/guide/layouts.md. What the compiler accepts here is proved; the
// program draws three of them. It needs no GPU and no library but tegula.
//
//   small.hpp        to read first
//   one_change.hpp   what each parameter changes
//   of_kernels.hpp   then to write: three that kernels need
//   spread.hpp       the one that README begins with

#include "of_kernels.hpp"
#include "one_change.hpp"
#include "spread.hpp"

#include <tegula/drawing/draw_ascii.hpp>
#include <tegula/drawing/explain.hpp>

#include <iostream>

static void show(const char* title, const encoding_value& e)
{
    draw_ascii(std::cout, picture{e, title});
    explain(std::cout, e);
    std::cout << "\n";
}

int main()
{
    show("small", small::value);
    show("A of v_mfma_f32_32x32x8_f16", mfma_operand::value);
    show("A replicated row", replicated_row::value);
}

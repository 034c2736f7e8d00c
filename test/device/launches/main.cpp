// Prints, a line of JSON each, how the host starts the kernels of the device tests: for run_ops.py and test/ptx.

#include "launches.hpp"

int main()
{
    tegula::record_rows();
    tegula::record_shapes();
    tegula::record_products();
}

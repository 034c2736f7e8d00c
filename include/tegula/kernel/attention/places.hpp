#pragma once

/// Where a block of an attention kernel has its operands: choices of an attention_tile.

namespace tegula {

/// Where a block keeps its queries while the keys go by.
enum class query_place {
    registers, ///< in the waves that own the rows; shared memory is for keys and values
    shared,    ///< reloaded for each tile of keys: the registers are for the output
};

/// Where a block has its tiles of keys and of values.
enum class key_value_place {
    apart,      ///< each in shared memory of its own
    two_stages, ///< two of each: the next pair is loaded while one is used, with one barrier a pair instead of two
    alternate,  ///< in the same shared memory, one after the other, waiting in registers: two barriers more a tile
    /// V is the first columns of K, as in multi-head latent attention: values are read from the tile of keys.
    /// There are two such tiles, so that the next is loaded while one is used.
    same,
};

} // namespace tegula

#pragma once

#include <tegula/chip/tensor_tile.hpp>
#include <tegula/emulator/cluster_state.hpp>

#include <map>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Tiles of gfx1250's tensor data mover that blocks of a cluster ask for together: the hardware waits for the same
/// request of each block that is named. The first request of one block belongs to the first requests of the others for
/// the same blocks, and so on.
class shared_tiles : private fault_holder
{
public:
    void begin_cluster() { lines_.clear(); }

    /// The request of block `rank`; null if all is well.
    const fault* add(int rank, const tensor_tile_words& request)
    {
        line& l = lines_[request.group1[0] & 0xffff];
        const std::size_t number = l.asked[rank]++;
        if (number == l.requests.size())
            l.requests.push_back(request);
        const tensor_tile_words& first = l.requests[number];
        for (int w = 0; w < 8; ++w)
            if (request.group1[w] != first.group1[w] || (w < 4 && request.group0[w] != first.group0[w]))
                return blame(
                    "a tile for several blocks of a cluster is another one than a block that it names asked for",
                    "let each of these blocks make the same requests in the same order");
        return nullptr;
    }

    /// The block ends: it must have asked for all that others wait for.
    const fault* check_block_exit(int rank)
    {
        for (auto& [blocks, l] : lines_)
            if ((blocks >> rank & 1) != 0 && l.asked[rank] < l.requests.size())
                return blame(
                    "the block returns without asking for a tile that another block of the cluster shares with it",
                    "let each block that a request names make the same requests");
        return nullptr;
    }

private:
    struct line
    {
        std::vector<tensor_tile_words> requests; ///< in the order of the first block that asked
        std::map<int, std::size_t> asked;        ///< by rank
    };
    std::map<std::uint32_t, line> lines_; // by the blocks that are named
};

} // namespace tegula::emulator::detail

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>

#include "test/kernel/attention/pages.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: pages of any number of keys", "[attention]") { check_pages_of_any_length<arch::gfx942>(); }
TEST_CASE("pages that are no multiple of the tile's keys ask for paged_by_key", "[attention]")
{
    using kernel = test_attention<
        arch::gfx942, half, 64, 64,
        attention_variant<attention_mask::none, attention_bias::none, attention_weights::all, attention_cache::paged>>;
    std::string said;
    check_page_length<kernel>(16, [&](auto& data) {
        data.args.band = {};
        emulated_device device;
        said = launch(device, kernel{}, data.args).message();
    });
    CHECK(said.find("pages have 16 keys; it must be a multiple of the tile's") != std::string::npos);
    CHECK(said.find("paged_by_key") != std::string::npos);
}

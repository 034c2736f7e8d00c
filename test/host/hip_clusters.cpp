#include "test/catch.hpp"

#include <tegula/host/hip_clusters.hpp>

#include <string>

using namespace tegula;

namespace {

hip_clusters::config seen;
hip_clusters::attribute seen_attribute;
const void* seen_function = nullptr;

int note_launch(const hip_clusters::config* c, const void* function, void** parameters)
{
    seen = *c;
    seen_attribute = *c->attributes;
    seen_function = function;
    return *static_cast<int*>(parameters[0]);
}

} // namespace

TEST_CASE("clusters are asked of HIP with their size, the grid counted in blocks")
{
    int answer = 17, stream = 0;
    void* parameters[] = {&answer};
    CHECK(hip_clusters::start(&note_launch, &answer, {6, 2, 1}, {2, 1, 1}, 256, 4096, &stream, parameters) == 17);
    CHECK(seen_function == &answer);
    CHECK(seen.grid.x == 6);
    CHECK(seen.grid.y == 2);
    CHECK(seen.block.x == 256);
    CHECK(seen.shared_bytes == 4096);
    CHECK(seen.stream == &stream);
    CHECK(seen.count == 1);
    CHECK(seen_attribute.id == 4);
    CHECK(seen_attribute.cluster.x == 2);
    CHECK(seen_attribute.cluster.z == 1);
}

TEST_CASE("a process without a HIP runtime that starts clusters is told what is missing")
{
    hip_clusters::launch_function found = &note_launch;
    const status s = hip_clusters::find_launch(found);
    CHECK(found == nullptr);
    CHECK(s.code() == status_code::unsupported);
    CHECK(std::string(s.message()).find("ROCm 7") != std::string::npos);
}

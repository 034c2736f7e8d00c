#pragma once

/// Reading of test/golden/golden.json.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tegula::test {

using nlohmann::json;

/// The array that compact.py's nested repetitions stand for.
inline std::vector<int> expand(const json& packed)
{
    if (packed.is_number())
        return {packed.get<int>()};
    std::vector<int> values;
    if (packed.is_object()) {
        for (const json& part : packed["list"])
            for (int value : expand(part))
                values.push_back(value);
        return values;
    }
    const std::vector<int> unit = expand(packed[2]);
    for (int i = 0; i < packed[0].get<int>(); ++i)
        for (int value : unit)
            values.push_back(value < 0 ? value : value + i * packed[1].get<int>());
    return values;
}

/// Rows of columns as records; a field that a record lacks is null.
inline std::vector<json> read_records(const json& table)
{
    std::vector<json> records;
    for (const json& row : table["rows"]) {
        json record;
        for (std::size_t i = 0; i < table["fields"].size(); ++i)
            record[table["fields"][i].get<std::string>()] = row[i];
        records.push_back(record);
    }
    return records;
}

/// TEGULA_SOURCE_DIR, which only golden.cpp is compiled with: a path in every object would keep it from being shared.
inline const json& golden_file()
{
    static const json file = json::parse(std::ifstream(TEGULA_SOURCE_DIR "/test/golden/golden.json"));
    return file;
}

} // namespace tegula::test

#!/usr/bin/env python3
"""Writes tensor_memory.json, where things lie in the tensor memory of sm_100a and the block scales of sm_120a in lanes, from the
published data file.

    tensor_memory.py FOLDER > tensor_memory.json      FOLDER holds blackwell.json

Taken are the records of D (tmem_d), scales (tmem_sf), loads (tmem_ld), copies (tmem_cp), of instruction descriptors
(idesc) and of the atom of scales (sf_atom), and of mma.sync with block scales (mma) the bytes of lanes that hold them;
arrays are packed as compact.py packs them.
"""

import json
import pathlib
import sys

from compact import expand, pack

KINDS = ("tmem_d", "tmem_sf", "tmem_ld", "tmem_cp", "idesc", "sf_atom", "mma")
ARRAYS = ("D0", "D1", "R", "T", "S", "SFA", "SFB")
LEFT_OUT = ("vendor", "arch", "notes", "source", "blocks", "wave", "c_bits")


def main():
    data = json.loads((pathlib.Path(sys.argv[1]) / "blackwell.json").read_text())
    records = []
    for record in data["records"]:
        if record["kind"] not in KINDS:
            continue
        kept = {key: value for key, value in record.items() if key not in LEFT_OUT}
        if record["kind"] == "mma":
            kept = {key: kept[key] for key in ("id", "kind", "m", "n", "k", "sf_vec", "SFA", "SFB")}
        for key in ARRAYS:
            if key in kept:
                values = data["layouts"][kept[key]]
                kept[key] = pack(values)
                assert expand(kept[key]) == values
        records.append(kept)
    lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    print(f'{{"records": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()

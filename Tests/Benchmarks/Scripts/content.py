"""Writes what the server serves into a folder: the JSON array and the files of zeros."""

import json
import pathlib
import sys

import scenarios

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

items = []
size = len("[]")
number = 0
while size < 100 * 1024:
    number += 1
    item = {
        "id": number,
        "name": f"Item number {number}",
        "isActive": number % 2 == 0,
        "score": number * 1.25,
        "tags": ["red", "green", "blue"][: number % 4],
    }
    size += len(json.dumps(item, separators=(",", ":"))) + 1
    items.append(item)
(folder / scenarios.ITEMS).write_text(json.dumps(items, separators=(",", ":")))

for name, length in scenarios.ZEROS.items():
    with open(folder / name, "wb") as file:
        file.truncate(length)

"""What the server serves from a folder: small and large JSON, files of zeros, and the pages of a site."""

import json
import pathlib
import random
import sys

ITEMS = "items.json"
ZEROS = {"zeros-1gib": 1 << 30, "zeros-64mib": 1 << 26}
FIRST_PAGE = "site/0.html"

#: The same as in nginx.conf.in, for a location that needs a file.
_SMALL = '{"id":1,"name":"Ada Lovelace","isActive":true,"score":99.5,"tags":[]}\n'


def write(folder):
    (folder / "etag").mkdir(parents=True)
    (folder / "etag" / "small.json").write_text(_SMALL)
    (folder / ITEMS).write_text(json.dumps(_items(100 * 1024), separators=(",", ":")))
    for name, length in ZEROS.items():
        with open(folder / name, "wb") as file:
            file.truncate(length)


def _items(size):
    items = []
    while size > 0:
        number = len(items) + 1
        item = {
            "id": number,
            "name": f"Item number {number}",
            "isActive": number % 2 == 0,
            "score": number * 1.25,
            "tags": ["red", "green", "blue"][: number % 4],
        }
        size -= len(json.dumps(item, separators=(",", ":"))) + 1
        items.append(item)
    return items


def write_site(folder, pages, seed):
    """Writes the pages of a site, of 2 to 60 KB each. Links lead from the first page to all others."""
    site = folder / pathlib.Path(FIRST_PAGE).parent
    site.mkdir(parents=True)
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(500)]
    text = " ".join(chance.choices(words, k=20_000))
    for number in range(pages):
        size = chance.randint(2_000, 60_000)
        children = [child for child in (2 * number + 1, 2 * number + 2) if child < pages]
        targets = children + [chance.randrange(pages) for _ in range(size // 1000)]
        chance.shuffle(targets)
        parts = []
        for target in targets:
            begin = chance.randrange(len(text) // 2)
            link = f'<a href="/site/{target}.html">{words[target % len(words)]}</a>'
            parts.append(f"<p>{text[begin:begin + size // len(targets) - len(link) - 8]}{link}</p>\n")
        (site / f"{number}.html").write_text("<!doctype html>\n" + "".join(parts))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))

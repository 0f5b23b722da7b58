import os
from pathlib import Path

import httpx

part, tag = Path("disk.iso.part"), Path("disk.iso.etag")
try:
    length = part.stat().st_size if part.exists() and tag.exists() else 0
    headers = {"Accept-Encoding": "identity"}
    if length:
        headers |= {"Range": f"bytes={length}-", "If-Range": tag.read_text()}
    with httpx.stream("GET", "https://downloads.example.com/disk.iso", headers=headers) as response:
        response.raise_for_status()
        if response.status_code != 206:
            length = 0
        total = length + int(response.headers.get("Content-Length", 0))
        tag.write_text(response.headers.get("ETag", ""))
        with part.open("ab" if length else "wb") as file:
            for chunk in response.iter_bytes():
                file.write(chunk)
                print(length + response.num_bytes_downloaded, "of", total)
    part.replace("disk.iso")
    tag.unlink()
    print(os.path.abspath("disk.iso"))
except httpx.HTTPError as error:
    print(error)

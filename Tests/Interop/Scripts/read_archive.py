"""Reads an HTTP archive by a schema and a library that others wrote, and prints what they find in it."""
import json
import sys

from haralyzer import HarParser
from marshmallow_har import HARSchema

with open(sys.argv[1]) as file:
    archive = json.load(file)

# An error for a field that is missing or has another type.
loaded = HARSchema().load(archive)
pages = HarParser(archive).pages
entries = [entry for page in pages for entry in page.entries]
print(
    json.dumps(
        {
            "version": loaded.log.version,
            "isSameNumber": len(loaded.log.entries) == len(entries),
            "entries": [
                {
                    "method": entry.request.method,
                    "url": entry.request.url,
                    "status": entry.response.status,
                    "text": entry.raw_entry["response"]["content"].get("text"),
                    "mimeType": entry.response.mimeType,
                    "start": entry.startTime.isoformat(),
                    "time": entry.time,
                }
                for entry in entries
            ],
        }
    )
)

import json
import logging
from datetime import datetime, timezone
from pathlib import Path

import httpx

entries = []


def fields(pairs):
    return [{"name": name, "value": value} for name, value in pairs]


def record(response):
    response.read()
    request = response.request
    seconds = response.elapsed.total_seconds()
    attributes = {"http.request.method": request.method, "http.response.status_code": response.status_code}
    print("http.client.request.duration", seconds, "s", attributes)
    entries.append({
        "startedDateTime": (datetime.now(timezone.utc) - response.elapsed).isoformat(),
        "time": seconds * 1000,
        "request": {
            "method": request.method,
            "url": str(request.url),
            "httpVersion": response.http_version,
            "cookies": [],
            "headers": fields(request.headers.multi_items()),
            "queryString": fields(request.url.params.multi_items()),
            "headersSize": -1,
            "bodySize": len(request.content),
        },
        "response": {
            "status": response.status_code,
            "statusText": response.reason_phrase,
            "httpVersion": response.http_version,
            "cookies": [],
            "headers": fields(response.headers.multi_items()),
            "content": {"size": len(response.content), "mimeType": response.headers.get("Content-Type", "")},
            "redirectURL": response.headers.get("Location", ""),
            "headersSize": -1,
            "bodySize": response.num_bytes_downloaded,
        },
        "cache": {},
        "timings": {"send": 0, "wait": seconds * 1000, "receive": 0},
    })


logging.basicConfig(level=logging.INFO)
with httpx.Client(base_url="https://api.example.com/v1", event_hooks={"response": [record]}) as client:
    for number in range(1, 4):
        print(client.get(f"users/{number}").status_code)
creator = {"name": "httpx", "version": httpx.__version__}
Path("calls.har").write_text(json.dumps({"log": {"version": "1.2", "creator": creator, "entries": entries}}))

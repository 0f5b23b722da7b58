import json
import os
import sys

import httpx

headers = {"Authorization": f"Bearer {os.environ['API_TOKEN']}"}
client = httpx.Client(base_url="https://models.example.com/v1", headers=headers, timeout=300)

for line in sys.stdin:
    with client.stream("POST", "chat", json={"prompt": line.rstrip("\n"), "stream": True}) as response:
        for event in response.raise_for_status().iter_lines():
            if event == "data: [DONE]":
                break
            if event.startswith("data: "):
                print(json.loads(event.removeprefix("data: "))["text"], end="", flush=True)
    print()

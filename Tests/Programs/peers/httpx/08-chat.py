import json
import os
import sys

import httpx

headers = {"Authorization": f"Bearer {os.environ['API_TOKEN']}"}
client = httpx.Client(base_url="https://models.example.com/v1", headers=headers, timeout=300)

for line in sys.stdin:
    question = {"model": "small", "messages": [{"role": "user", "content": line.rstrip("\n")}], "stream": True}
    with client.stream("POST", "chat/completions", json=question) as response:
        for event in response.raise_for_status().iter_lines():
            if event == "data: [DONE]":
                break
            if event.startswith("data: "):
                choices = json.loads(event.removeprefix("data: ")).get("choices")
                print(choices[0]["delta"].get("content") or "" if choices else "", end="", flush=True)
    print()

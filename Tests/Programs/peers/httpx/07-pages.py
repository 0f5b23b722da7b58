from dataclasses import dataclass

import httpx


@dataclass
class Repository:
    name: str


@dataclass
class Batch:
    items: list[str]
    next: str | None = None


with httpx.Client(base_url="https://api.example.com") as client:
    url, parameters = "repositories", {"per_page": 100}
    while url:
        page = client.get(url, params=parameters).raise_for_status()
        for repository in page.json():
            print(Repository(repository["name"]).name)
        url, parameters = page.links.get("next", {}).get("url"), None
    parameters = {}
    while parameters is not None:
        batch = Batch(**client.get("items", params=parameters).raise_for_status().json())
        print(batch.items)
        parameters = {"after": batch.next} if batch.next else None

from dataclasses import asdict, dataclass

import httpx


@dataclass
class NewUser:
    name: str
    tags: list[str]


@dataclass
class User:
    id: int


@dataclass
class Refusal:
    field: str
    reason: str


try:
    url = "https://api.example.com/v1/users"
    response = httpx.post(url, json=asdict(NewUser(name="Ada", tags=["vip"])))
    print(User(**response.raise_for_status().json()).id)
except httpx.HTTPStatusError as error:
    try:
        refusal = Refusal(**error.response.json())
        print(f"{refusal.field}: {refusal.reason}")
    except (TypeError, ValueError):
        print(error)
except httpx.HTTPError as error:
    print(error)

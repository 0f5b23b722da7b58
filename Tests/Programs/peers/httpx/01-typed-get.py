from dataclasses import dataclass

import httpx


@dataclass
class User:
    id: int
    name: str


try:
    user = User(**httpx.get("https://api.example.com/users/1").raise_for_status().json())
    print(user.id, user.name)
except httpx.HTTPStatusError as error:
    print(error.response.status_code, error)
except httpx.HTTPError as error:
    print(0, error)

import asyncio

import httpx


class Renewal(httpx.Auth):
    def __init__(self, token):
        self.token = token
        self.lock = asyncio.Lock()

    async def async_auth_flow(self, request):
        token = self.token
        request.headers["Authorization"] = f"Bearer {token}"
        response = yield request
        if response.status_code != 401:
            return
        async with self.lock:
            if self.token == token:
                refresh = yield httpx.Request("POST", "https://api.example.com/v1/token", data={"old": token})
                await refresh.aread()
                self.token = refresh.raise_for_status().json()["token"]
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


async def text(client, url):
    return (await client.get(url)).raise_for_status().text


async def main():
    async with httpx.AsyncClient(base_url="https://api.example.com/v1", auth=Renewal("an old token")) as client:
        print(*await asyncio.gather(text(client, "account"), text(client, "orders")))


asyncio.run(main())

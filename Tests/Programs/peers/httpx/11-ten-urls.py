import asyncio

import httpx


async def load(client, number):
    try:
        async with asyncio.timeout(30):
            response = await client.get(f"reports/{number}")
        print(number, len(response.raise_for_status().content), "complete")
    except (httpx.HTTPError, TimeoutError) as error:
        print(number, 0, type(error).__name__)


async def main():
    limits = httpx.Limits(max_connections=3)
    async with httpx.AsyncClient(base_url="https://api.example.com/v1", limits=limits, timeout=None) as client:
        await asyncio.gather(*(load(client, number) for number in range(1, 11)))


asyncio.run(main())

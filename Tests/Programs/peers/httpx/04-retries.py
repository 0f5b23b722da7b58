import random
import time

import httpx

try:
    for attempt in range(5):
        response = httpx.get("https://api.example.com/v1/report")
        if response.status_code != 503 or attempt == 4:
            break
        time.sleep(random.uniform(0, 0.5 * 2**attempt))
    print("The server is still busy." if response.status_code == 503 else response.raise_for_status().text)
except httpx.HTTPError as error:
    print(error)

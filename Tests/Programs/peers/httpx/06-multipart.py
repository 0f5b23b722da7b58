import httpx


def counted(request):
    completed, total = 0, request.headers["Content-Length"]
    for chunk in request.stream:
        completed += len(chunk)
        print(completed, "of", total)
        yield chunk


with httpx.Client() as client, open("portrait.jpg", "rb") as portrait:
    url = "https://api.example.com/v1/portraits"
    form = client.build_request("POST", url, files={"portrait": portrait}, data={"note": "for the front page"})
    request = httpx.Request("POST", url, headers=form.headers, content=counted(form))
    print(client.send(request).raise_for_status().text)

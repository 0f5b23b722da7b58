import os
import ssl

import httpx

context = ssl.create_default_context(cafile="company-ca.pem")
context.load_cert_chain("client.pem", "client-key.pem", password=os.environ.get("KEY_PASSPHRASE"))

with httpx.Client(verify=context, proxy="http://proxy.example.com:3128") as client:
    print(client.get("https://internal.example.com/status").raise_for_status().text)

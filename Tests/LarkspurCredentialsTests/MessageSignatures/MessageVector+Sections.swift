/// The messages in the text of RFC 9421.
extension MessageVector {
    static let all = ofAppendix + ofText

    static let ofText = [
        MessageVector(
            section: "2.4, a response",
            label: "reqres",
            key: .ecdsa,
            base: """
                "@status": 503
                "content-digest": sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOz\
                q24uJFpHsMuAg==:
                "content-type": application/json
                "@authority";req: example.com
                "@method";req: POST
                "@path";req: /foo
                "content-digest";req: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyeal\
                dVLvRwEmTHWXvJwew==:
                "@signature-params": ("@status" "content-digest" "content-type" "@authority";req "@method";req "@pat\
                h";req "content-digest";req);created=1618884479;keyid="test-key-ecc-p256"
                """,
            request: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Type: application/json
                Content-Length: 18

                {"hello": "world"}
                """,
            message: """
                HTTP/1.1 503 Service Unavailable
                Date: Tue, 20 Apr 2021 02:07:56 GMT
                Content-Type: application/json
                Content-Length: 62
                Content-Digest: sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq2\
                4uJFpHsMuAg==:
                Signature-Input: reqres=("@status" "content-digest" "content-type" "@authority";req "@method";req "@\
                path";req "content-digest";req);created=1618884479;keyid="test-key-ecc-p256"
                Signature: reqres=:dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3\
                tV5Ag==:

                {"busy": true, "message": "Your call is very important to us"}
                """
        ),
        MessageVector(
            section: "2.4, a response to a signed request",
            label: "reqres",
            key: .ecdsa,
            base: """
                "@status": 503
                "content-digest": sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOz\
                q24uJFpHsMuAg==:
                "content-type": application/json
                "@authority";req: example.com
                "@method";req: POST
                "@path";req: /foo
                "@query";req: ?param=Value&Pet=dog
                "content-digest";req: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyeal\
                dVLvRwEmTHWXvJwew==:
                "content-type";req: application/json
                "content-length";req: 18
                "@signature-params": ("@status" "content-digest" "content-type" "@authority";req "@method";req "@pat\
                h";req "@query";req "content-digest";req "content-type";req "content-length";req);created=1618884479\
                ;keyid="test-key-ecc-p256"
                """,
            request: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Type: application/json
                Content-Length: 18
                Signature-Input: sig1=("@method" "@authority" "@path" "@query" "content-digest" "content-type" "cont\
                ent-length");created=1618884475;keyid="test-key-rsa-pss"
                Signature: sig1=:e8UJ5wMiRaonlth5ERtE8GIiEH7Akcr493nQ07VPNo6y3qvjdKt0fo8VHO8xXDjmtYoatGYBGJVlMfIp06e\
                VMEyNW2I4vN7XDAz7m5v1108vGzaDljrd0H8+SJ28g7bzn6h2xeL/8q+qUwahWA/JmC8aOC9iVnwbOKCc0WSrLgWQwTY6VLp42Qt\
                7jjhYT5W7/wCvfK9A1VmHH1lJXsV873Z6hpxesd50PSmO+xaNeYvDLvVdZlhtw5PCtUYzKjHqwmaQ6DEuM8udRjYsoNqp2xZKcuC\
                O1nKc0V3RjpqMZLuuyVbHDAbCzr0pg2d2VM/OC33JAU7meEjjaNz+d7LWPg==:

                {"hello": "world"}
                """,
            message: """
                HTTP/1.1 503 Service Unavailable
                Date: Tue, 20 Apr 2021 02:07:56 GMT
                Content-Type: application/json
                Content-Length: 62
                Content-Digest: sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq2\
                4uJFpHsMuAg==:
                Signature-Input: reqres=("@status" "content-digest" "content-type" "@authority";req "@method";req "@\
                path";req "@query";req "content-digest";req "content-type";req "content-length";req);created=1618884\
                479;keyid="test-key-ecc-p256"
                Signature: reqres=:C73J41GVKc+TYXbSobvZf0CmNcptRiWN+NY1Or0A36ISg6ymdRN6ZgR2QfrtopFNzqAyv+CeWrMsNbcV2\
                Ojsgg==:

                {"busy": true, "message": "Your call is very important to us"}
                """
        ),
        MessageVector(
            section: "3.2",
            label: "sig1",
            key: .rsaPSS,
            base: """
                "@method": POST
                "@authority": example.com
                "@path": /foo
                "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLv\
                RwEmTHWXvJwew==:
                "content-length": 18
                "content-type": application/json
                "@signature-params": ("@method" "@authority" "@path" "content-digest" "content-length" "content-type\
                ");created=1618884473;keyid="test-key-rsa-pss"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig1=("@method" "@authority" "@path" "content-digest" "content-length" "content-typ\
                e");created=1618884473;keyid="test-key-rsa-pss"
                Signature: sig1=:HIbjHC5rS0BYaa9v4QfD4193TORw7u9edguPh0AW3dMq9WImrlFrCGUDih47vAxi4L2YRZ3XMJc1uOKk/J0\
                ZmZ+wcta4nKIgBkKq0rM9hs3CQyxXGxHLMCy8uqK488o+9jrptQ+xFPHK7a9sRL1IXNaagCNN3ZxJsYapFj+JXbmaI5rtAdSfSvz\
                PuBCh+ARHBmWuNo1UzVVdHXrl8ePL4cccqlazIJdC4QEjrF+Sn4IxBQzTZsL9y9TP5FsZYzHvDqbInkTNigBcE9cKOYNFCn4D/WM\
                7F6TNuZO9EgtzepLWcjTymlHzK7aXq6Am6sfOrpIC49yXjj3ae6HRalVc/g==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "4.3",
            label: "proxy_sig",
            key: .rsa,
            base: """
                "@method": POST
                "@authority": origin.host.internal.example
                "@path": /foo
                "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLv\
                RwEmTHWXvJwew==:
                "content-type": application/json
                "content-length": 18
                "forwarded": for=192.0.2.123;host=example.com;proto=https
                "@signature-params": ("@method" "@authority" "@path" "content-digest" "content-type" "content-length\
                " "forwarded");created=1618884480;keyid="test-key-rsa";alg="rsa-v1_5-sha256";expires=1618884540
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: origin.host.internal.example
                Date: Tue, 20 Apr 2021 02:07:56 GMT
                Content-Type: application/json
                Content-Length: 18
                Forwarded: for=192.0.2.123;host=example.com;proto=https
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Signature-Input: sig1=("@method" "@authority" "@path" "content-digest" "content-type" "content-lengt\
                h");created=1618884475;keyid="test-key-ecc-p256", proxy_sig=("@method" "@authority" "@path" "content\
                -digest" "content-type" "content-length" "forwarded");created=1618884480;keyid="test-key-rsa";alg="r\
                sa-v1_5-sha256";expires=1618884540
                Signature: sig1=:X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaH\
                D3A==:, proxy_sig=:S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRP\
                z+MjniOaYmdkDcnL9cCpXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7L\
                B5YAv0RAGhB8tmpv7sFnIm9y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/v\
                fJvye+YuI87HU38lZHowtznbLVdp770I6VHR6WfgS9ddzirrswsE1w5o0LV/g==:

                {"hello": "world"}
                """
        ),
    ]
}

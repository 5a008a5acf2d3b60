"""Sends the requests that stdin lists as JSON, one after the other, with nothing but the standard library, and prints what came back."""
import json
import sys
import urllib.error
import urllib.request

# Whatever proxy the environment names, the server under test is called itself.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def send(one):
    body = one["body"].encode("utf-8") if one["body"] is not None else None
    request = urllib.request.Request(one["url"], data=body, method=one["method"], headers=one["headers"])
    try:
        answer = opener.open(request, timeout=60)
    except urllib.error.HTTPError as refused:
        answer = refused
    with answer:
        return {
            "status": answer.status,
            "type": answer.headers.get("Content-Type"),
            "id": answer.headers.get("X-Request-ID"),
            "headers": {name.lower(): value for name, value in answer.headers.items()},
            "text": answer.read().decode("utf-8"),
        }


json.dump([send(one) for one in json.load(sys.stdin)], sys.stdout)

"""A node as existing ones behave, of the standard library alone.

It answers POST /execute-task: one heartbeat with an empty body and a JSON content type, the executable's own envelope as output, no token counts, and the
same once more as the answer of the request. It takes its key from MEMBRIDGE_AGENT_KEY, as it is. It knows nothing of leases: it appends to the address that it is given.
"""
import json
import os
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def post(url, body):
    data = b"" if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status, json.loads(answer.read() or b"null")


class Node(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("X-MEMBRIDGE-AGENT") != os.environ["MEMBRIDGE_AGENT_KEY"]:
            return self.answer(401, {"detail": "Unauthorized"})
        began = time.time()
        task = f'{asked["runtime_url"]}/api/runtime/llm-tasks/{asked["task_id"]}'
        beat, _ = post(f"{task}/heartbeat", None)
        answer = json.dumps({"from": asked["agent_slug"], "bytes": len(asked["prompt"].encode())})
        envelope = {"type": "result", "subtype": "success", "is_error": False, "result": f"```json\n{answer}\n```",
                    "usage": {"input_tokens": 11, "output_tokens": 4}}
        output = json.dumps(envelope)
        duration = (time.time() - began) * 1000
        status, done = post(f"{task}/complete", {
            "status": "success", "output": output, "error_message": None,
            "metrics": {"duration_ms": duration, "tokens_used": None},
            "artifact_type": "LLM_RESULT", "artifact_tags": ["uk"],
        })
        self.answer(200, {"ok": True, "task_id": asked["task_id"], "output": output, "duration_ms": duration,
                          "returncode": 0, "context_id": asked["context_id"], "session_messages": 0,
                          "detail": f'{beat} {status} {done["task"]["status"]}'})

    def answer(self, status, said):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Node)
print(server.server_address[1], flush=True)
server.serve_forever()

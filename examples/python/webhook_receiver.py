"""Receives webhooks, and trusts only those that are signed (Standard Webhooks). Needs no packages."""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

# Without a secret, anyone could sign with the empty key.
SECRET = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
if not SECRET:
    sys.exit("Set WEBHOOK_SECRET to the secret of the webhook: whsec_…")
TOLERANCE_SECONDS = 300
# A delivery that was not acknowledged is repeated with the same ID. A real receiver stores them.
seen = set()


def is_signed(headers, body):
    """Whether the request was signed with the secret, a short time ago."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    # There are two while a secret is being replaced. As bytes: compare_digest refuses text that is not ASCII.
    sent = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, each.encode()) for each in sent)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(self.headers, body):
            self.send_response(401)
            self.end_headers()
            return
        event = json.loads(body)
        if self.headers["webhook-id"] not in seen:
            print(event["type"], json.dumps(event["data"]), flush=True)
        seen.add(self.headers["webhook-id"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print("listening", flush=True)
    server.serve_forever()

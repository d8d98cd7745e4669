"""Imports a CSV file, enriches the leads, and starts a campaign with them. Needs no packages."""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("OUTREACHD_URL", "http://127.0.0.1:8080").rstrip("/")
KEY = os.environ.get("OUTREACHD_API_KEY", "")


def call(method, path, body=None, query=None, content_type="application/json"):
    """Sends a request and returns the `data` of the response."""
    url = f"{URL}/api/v2{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    headers = {"x-api-key": KEY}
    if method == "POST":
        # The same for each attempt, so that the server carries the request out once.
        headers["idempotency-key"] = str(uuid.uuid4())
    data = None
    if body is not None:
        headers["content-type"] = content_type
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
    for attempt in range(3):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            if error.code in (429, 503) and attempt < 2:
                time.sleep(min(float(error.headers.get("retry-after") or 1), 60))
                continue
            raise SystemExit(f"{method} {path}: {json.load(error).get('message', error)}") from error
    raise AssertionError("unreachable")


def ended(job_id):
    """The job once it has ended."""
    while True:
        job = call("GET", f"/users/jobs/{job_id}")
        if job["status"] in ("completed", "failed", "canceled"):
            return job
        time.sleep(0.3)


def main():
    tag = f"example-{int(time.time() * 1000)}"
    with open(sys.argv[1] if len(sys.argv) > 1 else "people.csv", "rb") as file:
        job = call("POST", "/leads/import", file.read(), {"tags": tag, "onDuplicate": "update"}, "text/csv")
    print("Import:", ended(job["id"])["status"])

    lead_ids, cursor = [], None
    while True:
        query = {"tag": tag, "limit": 100, **({"cursor": cursor} if cursor else {})}
        page = call("GET", "/leads", query=query)
        lead_ids += [lead["id"] for lead in page["leads"]]
        cursor = page.get("nextCursor")
        if not cursor:
            break

    call("POST", "/enrich", {"leads": [{"leadId": lead_id} for lead_id in lead_ids], "writeBack": True})
    print("Enriched.")

    campaign = call(
        "POST",
        "/campaigns",
        {
            "name": f"Hello {tag}",
            "steps": [
                {"type": "action", "actionType": "visitProfile"},
                {"type": "wait", "days": 1},
                {"type": "action", "actionType": "sendConnectionRequest", "message": "Hello {{firstName|there}}"},
            ],
        },
    )
    call("POST", f"/campaigns/{campaign['id']}/enroll", {"leadIds": lead_ids})
    started = call("POST", f"/campaigns/{campaign['id']}/start")
    print(f"Campaign {campaign['id']} is {started['state']}, with {len(lead_ids)} leads.")


if __name__ == "__main__":
    main()

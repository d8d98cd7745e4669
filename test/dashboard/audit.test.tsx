import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { button } from "../support/dashboard.ts";
import { AuditLog } from "../../src/surfaces/dashboard/app/pages/settings/audit-log.tsx";
import { navigate } from "../../src/surfaces/dashboard/app/router.tsx";
import type { AuditEntryView } from "../../src/platform/auth/audit/model.ts";

const who = { userId: "u", via: "api", actorId: "u", keyId: "k", keyName: "<b>page</b>" } as const;
const where = { address: "192.0.2.7", userAgent: "curl/8", requestId: "r1" };
const entry: AuditEntryView = {
  ...{ id: 7, at: "2026-01-05T10:00:00Z", action: "key.created", ...who, ...where },
  ...{ targetType: "key", targetId: "k9", details: { permissions: ["leads:read", "leads:write"] } },
};

const users = { success: true, data: { users: [{ id: "u", name: "Ada", email: "ada@example.com" }], total: 1 } };

test("an entry shows who did what, when, and from where, as plain text", async () => {
  signInAs();
  navigate("/settings?part=audit");
  const byService = { ...entry, id: 6, action: "backup.made", via: "service", actorId: null, keyName: null } as const;
  answerWith({
    "GET /api/v2/audit?limit=50": () => ({
      body: { success: true, data: { entries: [entry, byService], nextCursor: null } },
    }),
    "GET /api/v2/users?limit=100": () => ({ body: users }),
  });
  const place = await show(<AuditLog />);
  await settled();
  const rows = [...place.querySelectorAll("tbody tr")].map((row) => row.textContent);
  for (const words of ["Key created", "Ada", "<b>page</b>", "192.0.2.7"]) expect(rows[0]).toContain(words);
  expect(rows[1]).toContain("Server");
  await change(() => button(place, "Key created").click());
  expect(place.querySelector("dialog")?.textContent).toContain("leads:read, leads:write");
});

test("filters are stored in the URL, with days in the user's time zone", async () => {
  signInAs();
  navigate("/settings?part=audit&action=key.created&from=2026-01-05&to=2026-01-05");
  const span = "from=2026-01-05T00%3A00%3A00.000Z&to=2026-01-06T00%3A00%3A00.000Z";
  const asked = answerWith({
    [`GET /api/v2/audit?action=key.created&${span}&limit=50`]: () => ({
      body: { success: true, data: { entries: [], nextCursor: null } },
    }),
    "GET /api/v2/users?limit=100": () => ({ body: users }),
  });
  const place = await show(<AuditLog />);
  await settled();
  expect(asked).toHaveLength(2);
  expect(place.textContent).toContain("No matching entries");
});

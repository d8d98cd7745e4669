import { expect, test } from "bun:test";
import { answerWith, settled, show, signInAs } from "../support/page.ts";
import { InboxPage } from "../../src/surfaces/dashboard/app/pages/inbox/inbox-page.tsx";
import { navigate } from "../../src/surfaces/dashboard/app/router.tsx";

const ok = (data: object) => () => ({ body: { success: true, data } });

const received = { state: "received", text: "Tell me more!", at: "2026-01-05T10:00:00.000Z" };
const conversation = (id: string, queuedMessage: object | null, lastMessage: object = received) => ({
  ...{ id, accountId: "a", profileUrl: `https://network.example/in/${id}`, personName: null, leadId: null, unread: 0 },
  ...{ assignedTo: null, label: null, snoozedUntil: null, receivedAt: null, lastMessage, queuedMessage },
});
const queued = (change: object = {}) => ({
  ...{ id: "m", kind: "message", text: "Gladly!", scheduledFor: "2026-01-05T14:30:00.000Z" },
  ...{ status: "Waiting for a break", campaignId: null, userId: null, ...change },
});

test("a row shows the reply that waits to be sent below what it answers", async () => {
  signInAs();
  navigate("/inbox");
  const conversations = [
    conversation("ada", queued()),
    conversation("bob", queued({ campaignId: "c", scheduledFor: null })),
    conversation("cy", queued({ userId: "u2" })),
    conversation("dan", queued(), { ...received, state: "queued", text: "Gladly!" }),
    conversation("eve", null),
  ];
  answerWith({
    "GET /api/v2/inbox/conversations?replied=true&limit=50": ok({ conversations, total: 5, nextCursor: null }),
    "GET /api/v2/network/accounts": ok({ accounts: [], nextCursor: null }),
    "GET /api/v2/members": ok({ members: [{ userId: "u2", name: "Grace Hopper", email: "g@x.io" }] }),
  });
  const place = await show(<InboxPage />);
  await settled();
  await settled();
  const previews = [...place.querySelectorAll(".conversations li")].map((row) =>
    [...row.querySelectorAll(".conversation-preview")].map(({ textContent }) => textContent),
  );
  expect(previews[0]).toEqual(["Tell me more!", expect.stringMatching(/^You, queued for .*14:30: Gladly!$/)]);
  expect(previews[1]).toEqual(["Tell me more!", "Campaign, queued: Gladly!"]);
  expect(previews[2]?.[1]).toMatch(/^Grace Hopper, queued for /);
  expect(previews[3]).toEqual([expect.stringMatching(/^You, queued for /)]);
  expect(previews[4]).toEqual(["Tell me more!"]);
  expect(place.querySelector(".queued")?.getAttribute("title")).toBe("Waiting for a break");
});

import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import type { DeliveryView } from "../../src/features/webhooks/model.ts";
import { DeliveryLog } from "../../src/surfaces/dashboard/app/pages/settings/delivery-log.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { button, signIn } from "../support/dashboard.ts";

afterEach(() => (session.value = null));

test("a delivery shows every attempt and its response as plain text", async () => {
  signIn(["webhooks:read"]);
  const at = "2030-01-01T00:00:00.000Z";
  const delivery: DeliveryView = {
    id: "e1",
    endpointId: "w1",
    webhookId: "msg_e1",
    type: "lead.created",
    state: "pending",
    happenedAt: at,
    nextAttemptAt: at,
    attempts: [{ at, status: 500, latencyMs: 12, error: "Answered 500", response: "<img src=x onerror=alert(1)>" }],
    payload: { type: "lead.created" },
  };
  answerWith({
    "GET /api/v2/webhooks/w1/deliveries?limit=25": () => ({
      body: { data: { deliveries: [delivery], nextCursor: null } },
    }),
  });
  const place = await show(<DeliveryLog path="/webhooks/w1" />);
  await change(() => Bun.sleep(0));
  await change(() => button(place, "lead.created").click());
  expect(place.querySelector("img")).toBeNull();
  expect(place.querySelector(".timeline")?.textContent).toContain("<img src=x onerror=alert(1)>");
  expect([...place.querySelectorAll("button")].map((one) => one.textContent)).not.toContain("Redeliver");
});

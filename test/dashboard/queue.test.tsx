import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { QueuePage } from "../../src/surfaces/dashboard/app/pages/queue/queue-page.tsx";
import { countAhead, reasonInFull } from "../../src/surfaces/dashboard/app/pages/queue/reason.ts";
import { navigate } from "../../src/surfaces/dashboard/app/router.tsx";

const ok = (data: object) => () => ({ body: { success: true, data } });
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test("the reason says until when, and behind how many", () => {
  signInAs();
  const at = later(30 * 24);
  const full = reasonInFull({ pendingReason: "outsideWorkingHours", scheduledFor: at }, 4);
  expect(full).toMatch(/^Outside working hours · opens \d+ \w+ \d{4} \d\d:\d\d · 4\u00a0ahead$/);
  expect(reasonInFull({ pendingReason: "spacing", scheduledFor: at }, 0)).toBe("Spacing between actions");
  expect(reasonInFull({ pendingReason: "queued", scheduledFor: at }, 2)).toBe("In the queue · 2\u00a0ahead");
  expect(reasonInFull({ pendingReason: "accountPaused", scheduledFor: null }, null)).toBe(
    "Account is paused · resume the account to send",
  );
});

test("actions are counted by account, over several pages", () => {
  const of = (jobId: string, accountId: string) => ({ jobId, accountId, scheduledFor: later(1), isReply: false });
  const first = countAhead([of("1", "a"), of("2", "b"), of("3", "a")], {});
  expect([...first.ahead]).toEqual([
    ["1", 0],
    ["2", 0],
    ["3", 1],
  ]);
  expect([...countAhead([of("4", "a"), of("5", "b")], first.after).ahead]).toEqual([
    ["4", 2],
    ["5", 1],
  ]);
});

test("a reply overtakes the actions of its account that are due at the same time, and no earlier ones", () => {
  const [soon, then] = ["2026-01-05T10:00:00.000Z", "2026-01-05T10:05:00.000Z"];
  const of = (jobId: string, scheduledFor: string | null, isReply = false, accountId = "a") => {
    return { jobId, accountId, scheduledFor, isReply };
  };
  const { ahead, after } = countAhead(
    [of("1", soon), of("2", then), of("3", then), of("4", then, true), of("5", then, true, "b"), of("6", null)],
    { a: 10 },
  );
  expect(Object.fromEntries(ahead)).toEqual({ 1: 10, 4: 11, 2: 12, 3: 13, 5: 0, 6: 14 });
  expect(after).toEqual({ a: 15, b: 1 });
  const unscheduled = countAhead([of("1", null), of("2", null, true)], {});
  expect(Object.fromEntries(unscheduled.ahead)).toEqual({ 2: 0, 1: 1 });
});

function action(jobId: string, change: object = {}) {
  const person = { profileUrl: `https://network.example/in/${jobId}`, personName: null, leadId: null };
  const waiting = { state: "scheduled", pendingReason: "spacing", scheduledFor: later(1), isReply: false, status: "" };
  return {
    jobId,
    accountId: "a",
    actionType: "sendConnectionRequest",
    message: null,
    ...person,
    ...waiting,
    ...change,
  };
}

const account = { id: "a", name: "Main", state: "active" };
const counts = (query = "") => ({
  [`GET /api/v2/network/actions?order=soonest${query}&limit=1`]: ok({ total: 2 }),
  [`GET /api/v2/network/actions?state=awaitingApproval${query}&limit=1`]: ok({ total: 0 }),
  [`GET /api/v2/network/actions?state=awaiting${query}&limit=1`]: ok({ total: 0 }),
  [`GET /api/v2/network/actions?state=unknown${query}&limit=1`]: ok({ total: 0 }),
  [`GET /api/v2/network/actions?state=failed${query}&limit=1`]: ok({ total: 3 }),
});

test("tabs show how much there is, a filter is kept in the URL, and Clear does not move anything", async () => {
  signInAs();
  navigate("/queue");
  const accounts = [account, { ...account, id: "b", name: "Desk" }];
  answerWith({
    ...counts(),
    ...counts("&accountId=b"),
    "GET /api/v2/network/accounts": ok({ accounts, nextCursor: null }),
    "GET /api/v2/network/actions?order=soonest&limit=50": ok({ actions: [action("1"), action("2")], nextCursor: null }),
    "GET /api/v2/network/actions?order=soonest&accountId=b&limit=50": ok({ actions: [], nextCursor: null }),
  });
  const place = await show(<QueuePage />);
  await settled();
  expect([...place.querySelectorAll("[role=tab]")].map(({ textContent }) => textContent)).toContain("Next2");
  expect([...place.querySelectorAll("[role=tab]")].map(({ textContent }) => textContent)).toContain("Needs approval");
  expect(place.textContent).toContain("Spacing between actions · 1\u00a0ahead");
  const clear = () => [...place.querySelectorAll("button")].find(({ textContent }) => textContent === "Clear");
  expect(clear()?.disabled).toBe(true);
  const select = place.querySelector("select")!;
  await change(() => {
    select.value = "b";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await settled();
  expect(location.search).toBe("?account=b");
  expect(clear()?.disabled).toBe(false);
  expect(place.textContent).toContain("No actions scheduled");
});

test("the calendar shows the week of each account, and the times of a day", async () => {
  signInAs();
  navigate("/queue?view=calendar");
  const soon = later(0.01);
  answerWith({
    ...counts(),
    "GET /api/v2/network/accounts": ok({ accounts: [account], nextCursor: null }),
    "GET /api/v2/network/accounts/a/plan?limit=1000": ok({
      waiting: 1,
      actions: [{ ...action("ada"), scheduledFor: soon, reason: "spacing" }],
    }),
  });
  const place = await show(<QueuePage />);
  await settled();
  await settled();
  expect(place.querySelectorAll("thead th")).toHaveLength(8);
  const day = place.querySelector<HTMLButtonElement>(".calendar-day")!;
  expect(day.textContent).toContain("Main, ");
  await change(() => day.click());
  expect(place.querySelector(".feed li")?.textContent).toContain("Connection request to ada");
});

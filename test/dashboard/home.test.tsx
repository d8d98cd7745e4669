import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { Attention } from "../../src/surfaces/dashboard/app/pages/home/attention.tsx";
import { Checklist } from "../../src/surfaces/dashboard/app/pages/home/checklist.tsx";
import { Replies } from "../../src/surfaces/dashboard/app/pages/home/replies.tsx";
import { Timeline } from "../../src/surfaces/dashboard/app/pages/home/timeline.tsx";
import { Weeks } from "../../src/surfaces/dashboard/app/pages/home/weeks.tsx";
import { simulatedNow } from "../../src/surfaces/dashboard/app/clock.ts";
import { JobsChart } from "../../src/surfaces/dashboard/app/pages/home/jobs-chart.tsx";

const ok = (data: object) => () => ({ body: { success: true, data } });
const network = {
  "GET /api/v2/network/accounts": ok({ accounts: [{ id: "a", name: "Main", state: "active" }] }),
  "GET /api/v2/network/tasks?limit=1": ok({ tasks: [], total: 0 }),
  "GET /api/v2/network/actions?state=awaitingApproval&limit=100": ok({ actions: [], nextCursor: null }),
  "GET /api/v2/network/actions?state=unknown&limit=100": ok({ actions: [], nextCursor: null }),
};

test("lists what needs attention, with links", async () => {
  signInAs({ permissions: ["network:read"] });
  answerWith({
    ...network,
    "GET /api/v2/network/accounts": ok({
      accounts: [{ id: "a", name: "Main", state: "needsReconnect", stateReason: "Signed out." }],
    }),
    "GET /api/v2/network/tasks?limit=1": ok({ tasks: [{}], total: 3 }),
    "GET /api/v2/network/actions?state=unknown&limit=100": ok({ actions: [{}], nextCursor: "1" }),
  });
  const place = await show(<Attention />);
  await settled();
  expect([...place.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual([
    "Main needs reconnecting. Its actions are waiting. Signed out.Open account",
    "The outcome of 1 or more actions is unknown. Check the profile, then report the outcome.Report outcome",
    "3 actions are waiting for you in the work list.Open the work list",
  ]);
});

test("failures are listed, but not as such an action whose outcome is unknown: it must not be repeated", async () => {
  signInAs({ permissions: ["network:read", "users:read"] });
  simulatedNow.value = "2026-01-10T00:00:00.000Z";
  const job = { type: "linkedin_action", completedAt: "2026-01-09T22:00:00.000Z" };
  const startDate = Date.parse("2026-01-03") / 1000;
  answerWith({
    ...network,
    [`GET /api/v2/users/jobs?status=failed&startDate=${startDate}&limit=20`]: ok({
      jobs: [
        { ...job, id: "1", message: "May have been sent.", metadata: { outcome: "unknown" } },
        { ...job, id: "2", message: "Canceled.", metadata: { canceled: true } },
        { ...job, id: "3", message: "Refused.", metadata: { outcome: "failed" } },
      ],
    }),
  });
  const place = await show(<Attention />);
  await settled();
  const items = [...place.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(items).toEqual([expect.stringMatching(/^Action failed .+: Refused\.$/)]);
});

test("shows nothing if nothing needs attention", async () => {
  signInAs({ permissions: ["network:read"] });
  answerWith(network);
  const place = await show(<Attention />);
  await settled();
  expect(place.textContent).toBe("");
});

test("the chart stacks its bars, and a table contains the same data", async () => {
  signInAs();
  const days = [
    { date: "2026-01-04", completed: 0, running: 0, pending: 0, failed: 0 },
    { date: "2026-01-05", completed: 6, running: 1, pending: 2, failed: 1 },
  ];
  answerWith({ "GET /api/v2/users/jobs/history?days=30&by=executed": ok({ days }) });
  const place = await show(<JobsChart />);
  await settled();
  const heights = [...place.querySelectorAll("rect.bar")].map((bar) => Number(bar.getAttribute("height")));
  expect(heights).toEqual([0, 0, 0, 0, 90, 15, 30, 15]);
  const cells = [...place.querySelectorAll("tbody td")].map(({ textContent }) => textContent);
  expect(cells).toEqual(["6", "1", "2", "1"]);
});

test("each number of the week stands against the last, and a table has all weeks, the latest first", async () => {
  signInAs();
  const week = { invites: 0, messages: 0, sent: 0, accepted: 0, replied: 0 };
  const weeks = [
    { ...week, week: "2026-01-05", invites: 3, messages: 5, sent: 8, accepted: 2, replied: 1 },
    { ...week, week: "2026-01-12", invites: 9, messages: 1, sent: 10, accepted: 2 },
  ];
  answerWith({ "GET /api/v2/statistics/weekly": ok({ timeZone: "UTC", weeks }) });
  const place = await show(<Weeks />);
  await settled();
  expect([...place.querySelectorAll("figure")].map((tile) => tile.getAttribute("aria-label"))).toEqual([
    "Sent: 10 this week, 8 last week",
    "Accepted: 2 this week, 2 last week",
    "Replied: 0 this week, 1 last week",
  ]);
  const trends = [...place.querySelectorAll("figure .small")].map(({ textContent }) => textContent);
  expect(trends).toEqual(["2 more than last week", "As many as last week", "1 last week"]);
  const rows = [...place.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ["12 Jan", "9", "1", "2", "0"],
    ["5 Jan", "3", "5", "2", "1"],
  ]);
});

test("people who wrote are listed with their text", async () => {
  signInAs();
  const common = {
    id: "c",
    profileUrl: "https://network.example/in/ada",
    leadId: null,
    receivedAt: null,
    queuedMessage: null,
  };
  const queuedMessage = { text: "Great", campaignId: null };
  const conversations = [
    {
      ...common,
      personName: "Ada",
      unread: 2,
      lastMessage: { state: "received", text: "Yes!", at: "2026-01-05T10:00:00Z" },
    },
    {
      ...common,
      queuedMessage,
      id: "d",
      personName: null,
      unread: 1,
      lastMessage: { state: "sent", text: null, at: "2026-01-05T09:00:00Z" },
    },
  ];
  answerWith({ "GET /api/v2/inbox/conversations?unread=true&limit=5": ok({ conversations, total: 7 }) });
  const place = await show(<Replies />);
  await settled();
  expect(place.querySelector("header")?.textContent).toContain("View all 7");
  const texts = [...place.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(texts[0]).toContain("2 messages");
  expect(texts[0]).toContain("Yes!");
  expect(texts.map((text) => text?.includes("Reply queued"))).toEqual([false, true]);
  expect(texts[0]).not.toContain("You:");
  expect(texts[1]).toContain("ada");
  expect(texts[1]).toContain("You: The text was not provided.");
});

test("the day of an account: what is left, when the next is due, and what is full", async () => {
  signInAs();
  const account = { id: "a", name: "Main", state: "active", stateReason: null };
  const action = (jobId: string, scheduledFor: string, actionType = "sendConnectionRequest") => ({
    ...{ jobId, scheduledFor, actionType, profileUrl: "https://network.example/in/ada", reason: "spacing" },
  });
  const done = (jobId: string, carriedOutAt: string) => ({ jobId, carriedOutAt, actionType: "sendMessage" });
  const day = { window: "day", limit: 20, used: 20, remaining: 0, planned: 0, isWarmUp: false };
  const plan = [
    action("1", "2026-01-05T14:05:00Z"),
    action("2", "2026-01-05T15:00:00Z", "sendMessage"),
    action("3", "2026-01-06T09:00:00Z"),
  ];
  answerWith({
    "GET /api/v2/network/accounts": ok({ accounts: [account], nextCursor: null }),
    "GET /api/v2/network/accounts/a/plan?limit=300": ok({ actions: plan }),
    "GET /api/v2/network/actions?accountId=a&state=completed&order=latest&limit=100": ok({
      actions: [done("4", "2026-01-05T08:10:00Z"), done("5", "2026-01-04T17:00:00Z")],
    }),
    "GET /api/v2/network/accounts/a/usage": ok({
      meters: [{ meter: "invites", windows: [{ ...day, resetsAt: "2026-01-06T08:30:00Z" }], coolDown: null }],
    }),
  });
  const answer = globalThis.fetch;
  globalThis.fetch = (async (...request: Parameters<typeof fetch>) => {
    const response = await answer(...request);
    response.headers.set("x-simulation", "2026-01-05T10:00:00Z");
    return response;
  }) as typeof fetch;
  const place = await show(<Timeline />);
  await settled();
  await settled();
  expect(place.textContent).toContain("1 done. 2 actions left today, next at 14:05: 1 connection request, 1 message");
  expect(place.textContent).toContain("20 of 20, more from Tue 08:30");
  const marks = [...place.querySelectorAll(".day-mark")].map((mark) => mark.textContent);
  expect(marks).toEqual(["08:10 Message, done", "14:05 Connection request", "15:00 Message"]);
  simulatedNow.value = null;
});

test("the first steps lead on until all are done, and stay hidden once hidden", async () => {
  signInAs({ name: null });
  const answers = (total: number) => ({
    "GET /api/v2/network/accounts": ok({ accounts: [{}], nextCursor: null }),
    "GET /api/v2/leads?limit=1": ok({ total }),
    "GET /api/v2/campaigns?limit=1": ok({ campaigns: [] }),
    "GET /api/v2/network/actions?limit=1": ok({ actions: [] }),
  });
  answerWith(answers(3));
  const place = await show(<Checklist />);
  await settled();
  expect(place.querySelector("header")?.textContent).toContain("2 of 5 done");
  expect(place.querySelector(".next a")?.getAttribute("href")).toBe("/app/welcome");
  await change(() => place.querySelector<HTMLButtonElement>("[aria-label='Hide these steps']")!.click());
  expect(place.textContent).toBe("");
  const again = await show(<Checklist />);
  await settled();
  expect(again.textContent).toBe("");
  localStorage.clear();
});

import { expect, test } from "bun:test";
import { answerWith, settled, show, signInAs } from "../support/page.ts";
import { Attention } from "../../src/surfaces/dashboard/app/pages/home/attention.tsx";
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
    "Main needs reconnecting. Its actions are waiting. Signed out.",
    "The outcome of 1 or more actions is unknown. Check the profile, then report the outcome.Report outcome",
    "3 actions are waiting for you in the work list.Open the work list",
  ]);
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
  answerWith({ "GET /api/v2/users/jobs/history?days=30": ok({ days }) });
  const place = await show(<JobsChart />);
  await settled();
  const heights = [...place.querySelectorAll("rect.bar")].map((bar) => Number(bar.getAttribute("height")));
  expect(heights).toEqual([0, 0, 0, 0, 90, 15, 30, 15]);
  const cells = [...place.querySelectorAll("tbody td")].map(({ textContent }) => textContent);
  expect(cells).toEqual(["6", "1", "2", "1"]);
});

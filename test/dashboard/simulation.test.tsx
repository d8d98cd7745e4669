import { afterEach, expect, test } from "bun:test";
import { change, settled, show, signInAs } from "../support/page.ts";
import { button } from "../support/dashboard.ts";
import { api } from "../../src/surfaces/dashboard/app/api.ts";
import { now, simulatedNow } from "../../src/surfaces/dashboard/app/clock.ts";
import { SimulationBar } from "../../src/surfaces/dashboard/app/simulation.tsx";
import { RelativeTime } from "../../src/surfaces/dashboard/app/ui/time.tsx";
import type { Advanced } from "../../src/features/simulation/model.ts";

afterEach(() => (simulatedNow.value = null));

/** A server that returns this for every request, with its simulated time. */
function serverAt(time: () => string | null, data: unknown = {}): unknown[] {
  const sent: unknown[] = [];
  globalThis.fetch = (async (_url: string, init: RequestInit) => {
    if (typeof init.body === "string") sent.push(JSON.parse(init.body));
    const at = time();
    return Response.json({ success: true, data }, { headers: at === null ? {} : { "x-simulation": at } });
  }) as unknown as typeof fetch;
  return sent;
}

test("a real server has no simulation bar and uses the real time", async () => {
  signInAs();
  serverAt(() => null);
  await api.get("/leads");
  expect((await show(<SimulationBar />)).textContent).toBe("");
  expect(Math.abs(now() - Date.now())).toBeLessThan(60_000);
});

test("a simulation can be advanced and reports what happened; times follow its clock", async () => {
  signInAs();
  let at = "2026-01-05T10:00:00.000Z";
  const happened: Partial<Advanced> = {
    ...{ from: at, to: "2026-01-12T10:00:00.000Z", actions: { sendMessage: { completed: 3, failed: 1 } }, accepted: 2 },
    ...{ replied: 0, enrollments: {}, jobs: { lead_import: { completed: 1 } }, total: 6 },
  };
  const sent = serverAt(() => at, happened);
  await api.get("/leads");
  const bar = await show(<SimulationBar />);
  const time = await show(<RelativeTime at="2026-01-05T13:00:00.000Z" />);
  expect(bar.textContent).toContain("The clock is stopped at Mon, 5 Jan 2026, 10:00");
  expect(time.textContent).toBe("in 3 hours");
  at = "2026-01-12T10:00:00.000Z";
  await change(() => button(bar, "1 week").click());
  await settled();
  expect(sent).toEqual([{ advance: "P7D" }]);
  expect(bar.textContent).toContain("Mon, 12 Jan 2026");
  const told = bar.querySelector("dialog")?.textContent;
  for (const words of ["6 events", "Message3 completed, 1 failed", "Lead import1 completed"])
    expect(told).toContain(words);
  expect(told).not.toContain("Replies");
  expect(time.textContent).toBe("7 days ago");
});

test("only admins can advance the clock", async () => {
  signInAs({ permissions: ["leads:read"] });
  serverAt(() => "2026-01-05T10:00:00.000Z");
  await api.get("/leads");
  const bar = await show(<SimulationBar />);
  expect(bar.textContent).toContain("Simulation");
  expect(bar.querySelectorAll("button")).toHaveLength(0);
});

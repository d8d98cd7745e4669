import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import type { NodeList, NodeView } from "../../src/platform/cluster/model.ts";
import { NodeTable } from "../../src/surfaces/dashboard/app/pages/settings/nodes.tsx";
import { SettingsPage } from "../../src/surfaces/dashboard/app/pages/settings/settings.tsx";
import { setQuery } from "../../src/surfaces/dashboard/app/router.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { signIn } from "../support/dashboard.ts";

afterEach(() => {
  session.value = null;
  setQuery({ part: null });
});

const node: NodeView = {
  ...{ id: "n-1", host: "alpha", pid: 7, role: "all", state: "running", version: "1.0.0", isSelf: true, hasLead: true },
  ...{ chores: ["delete expired sessions"], startedAt: "2030-01-01T00:00:00.000Z", seenAt: "2030-01-01T01:00:00.000Z" },
  ...{ clockAheadMs: 3, keysVersion: 4, hasCurrentKeys: true, pool: { size: 10, open: 5, busy: 2, waiting: 0 } },
};

async function table(list: NodeList): Promise<{ text: string; rows: string[] }> {
  signIn(["*"], true);
  answerWith({ "GET /api/v2/nodes": () => ({ body: { success: true, data: list } }) });
  const place = await show(<NodeTable />);
  await change(() => Bun.sleep(0));
  return {
    text: place.textContent ?? "",
    rows: [...place.querySelectorAll("tbody tr")].map((row) => row.textContent ?? ""),
  };
}

test("nodes are listed in plain words, those that are gone last: what each does, and what needs attention", async () => {
  const other: NodeView = {
    ...node,
    ...{ id: "n-2", host: "<b>beta</b>", role: "worker", state: "gone", isSelf: false, hasLead: false, chores: [] },
    ...{ clockAheadMs: -2_500, pool: { size: 4, open: 4, busy: 4, waiting: 9 } },
  };
  const busy: NodeView = { ...other, id: "n-3", host: "gamma", state: "running" };
  const { text, rows } = await table({ clustered: true, claimLagMs: 61_000, nodes: [node, other, busy] });
  expect(text).toContain("2 nodes share the database. The oldest due job has been waiting for 61 seconds.");
  expect(text).not.toContain("docs/scale-out.md");
  expect(rows[0]).toContain("alpha (this one) process 7");
  for (const words of ["Running", "Requests, jobs, recurring chores, webhooks", "1.0.0", "Correct", "2 of 10 busy"])
    expect(rows[0]).toContain(words);
  for (const words of ["<b>beta</b>", "Not responding", "Last seen", "Jobs", "2.5 s behind", "None"])
    expect(rows[2]).toContain(words);
  for (const words of ["2.5 s behind", "4 of 4 busy", "9 waiting"]) expect(rows[1]).toContain(words);
});

test("the embedded database has one node, and says where to read about several", async () => {
  const { text, rows } = await table({ clustered: false, claimLagMs: 0, nodes: [{ ...node, pool: null }] });
  expect(text).toContain("This server uses the embedded database, so it is the only node. No job is late.");
  expect(text).toContain("docs/scale-out.md");
  expect(rows).toHaveLength(1);
});

test("only admins of the installation see nodes in the settings", async () => {
  const tabs = async (isAdmin: boolean) => {
    signIn(["users:read"], isAdmin);
    const place = await show(<SettingsPage />);
    return [...place.querySelectorAll("[role=tab]")].map((tab) => tab.textContent);
  };
  answerWith({});
  expect(await tabs(true)).toContain("Nodes");
  expect(await tabs(false)).not.toContain("Nodes");
});

test("an error is shown with a way to try again", async () => {
  signIn(["*"], true);
  answerWith({
    "GET /api/v2/nodes": () => ({
      status: 503,
      body: { error: true, code: "SERVICE_UNAVAILABLE", message: "The server's database is unavailable." },
    }),
  });
  const place = await show(<NodeTable />);
  await change(() => Bun.sleep(0));
  expect(place.textContent).toContain("The server's database is unavailable.");
});

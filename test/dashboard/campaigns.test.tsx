import { afterEach, expect, test } from "bun:test";
import { answerWith, change, settled, show } from "../support/page.ts";
import type { CampaignStep, CampaignView, PreviewView } from "../../src/features/campaigns/model.ts";
import { compile } from "../../src/features/campaigns/program.ts";
import { AccountNotices } from "../../src/surfaces/dashboard/app/pages/campaigns/account-notices.tsx";
import { CampaignsPage } from "../../src/surfaces/dashboard/app/pages/campaigns/campaign-list.tsx";
import { CampaignPreview } from "../../src/surfaces/dashboard/app/pages/campaigns/campaign-preview.tsx";
import { inOrder, stepName } from "../../src/surfaces/dashboard/app/pages/campaigns/labels.ts";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { account, signIn } from "../support/dashboard.ts";

afterEach(() => (session.value = null));

const steps: CampaignStep[] = [
  {
    type: "branch",
    condition: "connected",
    withinDays: 7,
    yes: [{ type: "wait", days: 1, hours: 2 }],
    no: [{ type: "action", actionType: "visitProfile" }],
  },
  { type: "action", actionType: "sendMessage", message: "<b>Hello</b> {{firstName|there}}" },
];
const campaign: CampaignView = {
  id: "c1",
  name: "Spring",
  state: "draft",
  steps,
  accountIds: ["a1"],
  settings: { stopOnReply: true, excludeOtherCampaigns: true, excludeContactedDays: null, allowOverlap: false },
  version: 1,
  firstStep: 0,
  winners: {},
  startedAt: null,
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:00.000Z",
};

test("steps have the same numbers as on the server", () => {
  expect(inOrder(steps).map(({ type }) => type)).toEqual(compile(steps).map(({ kind }) => kind));
  expect(stepName(campaign, 1)).toBe("2. Wait 1 day and 2 hours");
  expect(stepName(campaign, 3)).toBe("4. Message");
});

test("a preview shows why steps never run, and when the others run", async () => {
  signIn(["network:read"]);
  const preview: PreviewView = {
    leads: 20,
    finishedAt: "2030-01-03T09:00:00.000Z",
    steps: [
      {
        step: 3,
        actionType: "sendMessage",
        count: 20,
        firstAt: "2030-01-02T09:00:00.000Z",
        lastAt: "2030-01-03T09:00:00.000Z",
      },
    ],
    days: [
      { date: "2030-01-02", actions: 15 },
      { date: "2030-01-03", actions: 5 },
    ],
    first: [{ step: 3, actionType: "sendMessage", at: "2030-01-02T09:00:00.000Z" }],
    problems: ["Step 2 (visitProfile) would never run: dailyLimit."],
  };
  answerWith({ "POST /api/v2/campaigns/c1/preview": () => ({ body: { success: true, data: preview } }) });
  const place = await show(<CampaignPreview campaign={campaign} path="/campaigns/c1" />);
  await change(() => Bun.sleep(0));
  expect(place.querySelector(".notice.warn")?.textContent).toContain("would never run");
  expect(place.querySelector(".timeline")?.textContent).toContain("4. Message Wed");
  expect(place.querySelectorAll(".day-bars li")).toHaveLength(2);
});

test("the list shows the results of each campaign, as soon as they are counted", async () => {
  signIn(["network:read"]);
  const rate = (percent: number) => ({ rate: percent, low: 0, high: 100 });
  const results = {
    ...{ campaignId: "c1", name: "Spring", state: "running", startedAt: null, enrolled: 1_180, contacted: 138 },
    ...{ connected: 39, replied: 5, interested: 0 },
    rates: { connected: rate(28.26), replied: rate(3.62), interested: rate(0) },
  };
  const list = { campaigns: [campaign, { ...campaign, id: "c2", name: "Autumn" }], total: 2, nextCursor: null };
  answerWith({
    "GET /api/v2/campaigns": () => ({ body: { success: true, data: list } }),
    "GET /api/v2/campaigns/compare?limit=100": () => ({
      body: { success: true, data: { campaigns: [results], total: 1, nextCursor: null } },
    }),
  });
  const place = await show(<CampaignsPage />);
  await settled();
  const rows = [...place.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ["Spring", "Draft", "1,180", "138", "39 (28%)", "5 (3.6%)", "0 (0%)", "Not yet"],
    ["Autumn", "Draft", "–", "–", "–", "–", "–", "Not yet"],
  ]);
});

test("a campaign names those of its accounts that send nothing until someone acts", async () => {
  signIn(["network:read"]);
  const accounts = [
    { ...account, id: "a1", name: "Ada", state: "needsReconnect" },
    { ...account, id: "a2", name: "Bo", state: "paused" },
    { ...account, id: "a3", name: "Cy" },
    { ...account, id: "a4", name: "Not of this campaign", state: "paused" },
  ];
  answerWith({
    "GET /api/v2/network/accounts": () => ({ body: { success: true, data: { accounts } } }),
  });
  const place = await show(<AccountNotices campaign={{ ...campaign, accountIds: ["a1", "a2", "a3"] }} />);
  await settled();
  expect([...place.querySelectorAll("p")].map(({ textContent }) => textContent)).toEqual([
    "Ada is signed out of the network. Its leads wait until the account is reconnected.",
    "Bo is paused. Its leads wait until the account is resumed.",
  ]);
  expect(place.querySelector("a")?.getAttribute("href")).toContain("/settings/accounts/a1");
});

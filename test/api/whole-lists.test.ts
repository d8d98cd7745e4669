import { afterAll, expect, test } from "bun:test";
import type { CampaignView } from "../../src/features/campaigns/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2";
/** What the documents promise to store as one operation. */
const most = 500;

/** While `work` runs, the database refuses a row: a fault in the middle, as a crash or a full disk is one. */
async function withFault<T>(table: string, when: string, work: () => Promise<T>): Promise<T> {
  await using database = await service.openDatabase();
  await using _ = await database.refuse(table, when);
  return await work();
}

async function leadsOf(user: Client, query: Record<string, string> = {}): Promise<number> {
  return succeeded(await user.get<{ total: number }>(`${api}/leads`, { query: { limit: 1, ...query } })).data.total;
}

function uploaded(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    name: "Ada Lovelace",
    network_url: `https://network.example/in/ada-${n}`,
    email: `ada-${n}@example.com`,
  }));
}

async function storedLeads(user: Client, count: number): Promise<string[]> {
  const { prospect_ids: ids } = (await user.post(`${api}/network/upload-prospects`, { prospects: uploaded(count) }))
    .body as { prospect_ids: string[] };
  expect(ids).toHaveLength(count);
  return ids;
}

test.each([2, 23, most])("an upload of %d rows that fails in the middle leaves nothing", async (count) => {
  const user = await service.user();
  const upload = () => user.post(`${api}/network/upload-prospects`, { prospects: uploaded(count) });
  const refused = await withFault("leads", `new.email = 'ada-${count - 1}@example.com'`, upload);
  expect(refused.status).toBe(503);
  expect(await leadsOf(user)).toBe(0);
  expect(succeeded(await upload()).body).toMatchObject({ uploaded_count: count, skipped_count: 0 });
  expect(await leadsOf(user)).toBe(count);
});

test("rows of one upload that are the same person are one lead", async () => {
  const user = await service.user();
  const [first] = uploaded(1);
  const { body } = await user.post(`${api}/network/upload-prospects`, { prospects: [first, { name: "x" }, first] });
  expect(body).toMatchObject({
    uploaded_count: 1,
    results: [
      { index: 0, outcome: "uploaded" },
      { index: 1, outcome: "invalid" },
      { index: 2, outcome: "duplicate" },
    ],
  });
  expect(await leadsOf(user)).toBe(1);
});

test("a list of values for the do-not-contact list that fails in the middle leaves nothing", async () => {
  const user = await service.user();
  const values = Array.from({ length: most }, (_, n) => `ada-${n}@example.com`);
  const add = () => user.post(`${api}/suppressions`, { values });
  const fault = `new.value = 'ada-${most - 1}@example.com'`;
  expect((await withFault("suppressions", fault, add)).status).toBe(503);
  const total = async () => succeeded(await user.get<{ total: number }>(`${api}/suppressions`)).data.total;
  expect(await total()).toBe(0);
  succeeded(await add());
  expect(await total()).toBe(most);
});

test("an enrollment of many leads that fails in the middle enrolls nobody", async () => {
  const user = await service.user();
  const leadIds = await storedLeads(user, most);
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const { id } = succeeded(await user.post<CampaignView>(`${api}/campaigns`, { name: "Spring", steps })).data;
  const enroll = () => user.post(`${api}/campaigns/${id}/enroll`, { leadIds });
  const fault = `new.lead_id = '${leadIds.at(-1)}'`;
  expect((await withFault("campaign_enrollments", fault, enroll)).status).toBe(503);
  const enrolled = async () =>
    succeeded(await user.get<{ enrollments: unknown[] }>(`${api}/campaigns/${id}/enrollments`)).data.enrollments.length;
  expect(await enrolled()).toBe(0);
});

test("a change of many leads is one commit", async () => {
  const user = await service.user();
  const leadIds = await storedLeads(user, most);
  await using database = await service.openDatabase();
  const tagged = async () =>
    (await database.all<{ n: number }>("SELECT count(*) AS n FROM lead_tags WHERE tag = 'fair'"))[0]!.n;
  const seen = new Set<number>();
  let isDone = false;
  const change = user.post(`${api}/leads/bulk/update`, { ids: leadIds, addTags: ["fair"] }).then((answer) => {
    isDone = true;
    return answer;
  });
  while (!isDone) {
    seen.add(await tagged());
    await new Promise((resolve) => setImmediate(resolve));
  }
  succeeded(await change);
  seen.add(await tagged());
  expect([...seen].filter((n) => n !== 0 && n !== most)).toEqual([]);
});

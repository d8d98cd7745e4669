import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { UploadAnswer } from "../../src/features/network/upload-model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/network/upload-prospects";
type Leads = { leads: LeadView[]; total: number };

const people = (...names: string[]) =>
  names.map((name) => ({ name: `${name} Smith`, network_url: `https://network.example/in/${name.toLowerCase()}` }));
const upload = async (client: Client, names: string[], more: object) =>
  (await client.post(path, { prospects: people(...names), ...more })).body as UploadAnswer;
async function found(client: Client, query: Record<string, string>): Promise<string[]> {
  const { leads, total } = succeeded(await client.get<Leads>("/api/v2/leads", { query })).data;
  expect(total).toBe(leads.length);
  return leads.map(({ firstName }) => firstName!).toSorted();
}

test("an id of the client's own is kept as a reference of the leads, also of those that were there, and finds them", async () => {
  const user = await service.user();
  await upload(user, ["Ada"], { tags: ["old"] });
  await upload(user, ["Zoe"], {});
  const report = await upload(user, ["Ada", "Bob"], { campaign_id: " crm-4711 ", tags: ["new"] });
  expect(report).toMatchObject({ success: true, uploaded_count: 1, skipped_count: 1 });
  expect(report.results.map(({ enrollment }) => enrollment)).toEqual([null, null]);
  expect(await found(user, { campaignId: "crm-4711" })).toEqual(["Ada", "Bob"]);
  expect(await found(user, { campaignId: "crm-4711", tag: "new" })).toEqual(["Bob"]);
  expect(await found(user, { campaignId: "crm-471" })).toEqual([]);
  const lead = await user.get<LeadView>(`/api/v2/leads/${report.results[0]!.prospect_id}`);
  expect(lead.data.tags).toEqual(["old", "campaign:crm-4711"]);
  // To send it again changes nothing.
  await upload(user, ["Ada", "Bob"], { campaign_id: "crm-4711" });
  expect((await user.get<LeadView>(`/api/v2/leads/${report.results[0]!.prospect_id}`)).data).toEqual(lead.data);
  expect(await found(await service.user(), { campaignId: "crm-4711" })).toEqual([]);
});

test("a dry run keeps no reference, and none is kept for an empty id", async () => {
  const user = await service.user();
  await upload(user, ["Ada"], {});
  expect(await upload(user, ["Ada", "Bob"], { campaign_id: "x", dryRun: true })).toMatchObject({ uploaded_count: 1 });
  for (const campaign_id of ["", "  ", null]) await upload(user, ["Bob"], { campaign_id });
  expect(await found(user, { campaignId: "x" })).toEqual([]);
  expect((await user.get<Leads>("/api/v2/leads")).data.leads.flatMap(({ tags }) => tags)).toEqual([]);
});

test("a campaign of this server enrolls, and the same filter finds its leads", async () => {
  const user = await service.user();
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const { id } = succeeded(await user.post<{ id: string }>("/api/v2/campaigns", { name: "spring", steps })).data;
  const report = await upload(user, ["Ada"], { campaign_id: id });
  expect(report.results).toMatchObject([{ outcome: "uploaded", enrollment: "enrolled" }]);
  expect(await found(user, { campaignId: id })).toEqual(["Ada"]);
  expect((await user.get<Leads>("/api/v2/leads")).data.leads.flatMap(({ tags }) => tags)).toEqual([]);
  // Somebody else's campaign looks like any other id.
  const stranger = await service.user();
  expect(await upload(stranger, ["Bob"], { campaign_id: id })).toMatchObject({ uploaded_count: 1 });
  expect(await found(stranger, { campaignId: id })).toEqual(["Bob"]);
  expect(await found(user, { campaignId: id })).toEqual(["Ada"]);
});

test("an id that is too long to be kept is refused before anything is stored", async () => {
  const user = await service.user();
  const refused = await user.post(path, { prospects: people("Ada"), campaign_id: "x".repeat(92) });
  expect(refused).toMatchObject({ status: 400, details: { errors: [{ path: "campaign_id" }] } });
  expect(await found(user, {})).toEqual([]);
  expect(await upload(user, ["Ada"], { campaign_id: "x".repeat(91) })).toMatchObject({ uploaded_count: 1 });
});

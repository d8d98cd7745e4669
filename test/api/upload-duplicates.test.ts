import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { UploadAnswer } from "../../src/features/network/upload-model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/network/upload-prospects";
type Leads = { leads: LeadView[]; total: number };
type Row = Record<string, string>;

const ada: Row = { name: "Ada Smith", network_url: "https://network.example/in/ada" };
const bob: Row = { name: "Bob Smith", network_url: "https://network.example/in/bob" };
const upload = async (client: Client, prospects: Row[], more: object) =>
  (await client.post(path, { prospects, ...more })).body as UploadAnswer;
const leadsOf = async (client: Client) => succeeded(await client.get<Leads>("/api/v2/leads?sort=createdAt")).data.leads;
const outcomes = ({ results }: UploadAnswer): string[] => results.map(({ outcome }) => outcome);

test("an upload that updates merges what is new into the leads that exist", async () => {
  const user = await service.user();
  const first = await upload(user, [{ ...ada, title: "CEO", company: "Acme" }], { tags: ["old"] });
  expect(first).toMatchObject({ uploaded_count: 1, updated_count: 0, skipped_count: 0 });
  const rows = [{ ...ada, title: "CTO", email: "ada@acme.example" }, bob, { name: "", network_url: "" }];
  const report = await upload(user, rows, { onDuplicate: "update", tags: ["new"], campaign_id: "crm-1" });
  expect(report).toMatchObject({ uploaded_count: 1, updated_count: 1, skipped_count: 1 });
  expect(outcomes(report)).toEqual(["updated", "uploaded", "invalid"]);
  expect(report.results[0]).toMatchObject({ prospect_id: first.prospect_ids[0], message: null });
  expect(report.prospect_ids).toEqual([report.results[1]!.prospect_id!]);
  expect(report.errors).toHaveLength(1);
  const [stored] = (await leadsOf(user)).filter(({ firstName }) => firstName === "Ada");
  expect(stored).toMatchObject({
    ...{ id: first.prospect_ids[0], title: "CTO", company: "Acme", email: "ada@acme.example" },
    tags: ["old", "new", "campaign:crm-1"],
  });
});

test("by default, and with skip, leads that exist stay as they are", async () => {
  const user = await service.user();
  await upload(user, [ada], {});
  for (const more of [{}, { onDuplicate: "skip" }]) {
    const report = await upload(user, [{ ...ada, title: "CTO" }], more);
    expect(report).toMatchObject({ uploaded_count: 0, updated_count: 0, skipped_count: 1 });
    expect(outcomes(report)).toEqual(["duplicate"]);
  }
  expect(await leadsOf(user)).toMatchObject([{ title: null }]);
});

test("with create, every row becomes a lead", async () => {
  const user = await service.user();
  const report = await upload(user, [ada, ada], { onDuplicate: "create" });
  expect(outcomes(report)).toEqual(["uploaded", "uploaded"]);
  expect(await leadsOf(user)).toHaveLength(2);
});

test("one person in several rows is updated by each of them, and a dry run says so before", async () => {
  const user = await service.user();
  await upload(user, [ada], {});
  // The first row adds the address by which alone the fourth is found; the second and third are one new person.
  const rows = [
    { ...ada, email: "ada@acme.example" },
    { ...bob, title: "CEO" },
    { ...bob, title: "CTO" },
    { ...ada, network_url: "https://network.example/in/ada-2", email: "ada@acme.example" },
  ];
  for (const onDuplicate of ["update", "skip", "create"]) {
    const expected = {
      update: ["updated", "uploaded", "updated", "updated"],
      skip: ["duplicate", "uploaded", "duplicate", "uploaded"],
      create: ["uploaded", "uploaded", "uploaded", "uploaded"],
    }[onDuplicate]!;
    const another = await service.user();
    await upload(another, [ada], {});
    const before = await leadsOf(another);
    const forecast = await upload(another, rows, { onDuplicate, dryRun: true });
    expect([onDuplicate, outcomes(forecast)]).toEqual([onDuplicate, expected]);
    expect(await leadsOf(another)).toEqual(before);
    expect(outcomes(await upload(another, rows, { onDuplicate }))).toEqual(expected);
  }
  await upload(user, rows, { onDuplicate: "update" });
  expect((await leadsOf(user)).map(({ firstName, title }) => `${firstName} ${title}`)).toEqual(["Ada null", "Bob CTO"]);
});

test("leads that are updated are enrolled, too", async () => {
  const user = await service.user();
  await upload(user, [ada], {});
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const { id } = succeeded(await user.post<{ id: string }>("/api/v2/campaigns", { name: "spring", steps })).data;
  const more = { campaign_id: id, onDuplicate: "update" };
  const expected = [
    { outcome: "updated", enrollment: "enrolled" },
    { outcome: "uploaded", enrollment: "enrolled" },
  ];
  expect((await upload(user, [ada, bob], { ...more, dryRun: true })).results).toMatchObject(expected);
  expect((await upload(user, [ada, bob], more)).results).toMatchObject(expected);
});

test("a key that may upload, but not change leads, cannot update them", async () => {
  const owner = await service.user();
  await upload(owner, [ada], {});
  const created = await owner.post<{ key: string }>("/api/v2/keys", { name: "up", permissions: ["network:upload"] });
  const uploader = service.client(succeeded(created).data.key);
  const refused = await uploader.post(path, { prospects: [{ ...ada, title: "CTO" }], onDuplicate: "update" });
  expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "leads:write" } } });
  expect(await leadsOf(owner)).toMatchObject([{ title: null }]);
  expect(outcomes(await upload(uploader, [ada], { onDuplicate: "skip" }))).toEqual(["duplicate"]);
});

test("unknown values are refused", async () => {
  const user = await service.user();
  const refused = await user.post(path, { prospects: [ada], onDuplicate: "replace" });
  expect(refused).toMatchObject({ status: 400, details: { errors: [{ path: "onDuplicate" }] } });
});

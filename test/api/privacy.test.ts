import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntryView } from "../../src/platform/auth/audit/model.ts";
import { permissions } from "../../src/platform/auth/key-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { ErasureView, PersonIdentifiers, PersonRecordView } from "../../src/features/privacy/model.ts";
import type { Client } from "../support/client.ts";
import { eventually, startService, succeeded, testEmbedded, usesPostgres, type Service } from "../support/service.ts";
import { clonesPath, createClone, spokenWav, type CloneDetailView } from "../support/voices.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type Document = { identifiers: PersonIdentifiers; records: PersonRecordView[]; notes: string[] };
let people = 0;

/** Somebody whom nobody else in these tests is, all over the data of the client. */
async function somebody(client: Client) {
  const name = `quill${++people}`;
  const email = `${name}@example.com`;
  const profileUrl = `https://network.example/in/${name}-hart`;
  const lead = succeeded(
    await client.post<{ id: string }>("/api/v2/leads", {
      email,
      networkUrl: profileUrl,
      firstName: name,
      notes: "Prefers mornings",
    }),
  ).data;
  const action = succeeded(
    await client.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", {
      actionType: "sendMessage",
      profileUrl,
      message: `Hello ${name}`,
      leadId: lead.id,
    }),
  ).data;
  const rows = `{"email":"${email}","title":"CTO"}\n`;
  const headers = { "content-type": "application/x-ndjson" };
  const imported = succeeded(await client.post<{ id: string }>("/api/v2/prospecting/import", rows, { headers })).data;
  await service.ended(client, imported.id);
  const mentioned = succeeded(
    await client.post<{ id: string }>("/api/v2/leads", {
      email: `friend-of-${name}@example.org`,
      notes: `Ask ${email}!`,
    }),
  ).data;
  return { name, email, profileUrl, leadId: lead.id, jobId: action.jobId, mentionedIn: mentioned.id };
}

const exported = async (client: Client, body: object) =>
  succeeded(await client.post<Document>("/api/v2/privacy/export", body)).data;
const placesOf = (records: readonly PersonRecordView[]) =>
  records.map(({ collection, kind }) => (kind === "person" ? collection : `${collection} (${kind})`)).toSorted();
const allPlaces = [
  ...["actions", "conversations", "events", "jobs (mention)", "leads", "leads (mention)", "messages", "prospects"],
];

async function erased(client: Client, body: object, from: Service = service) {
  const { jobId, ...answer } = succeeded(
    await client.post<ErasureView>("/api/v2/privacy/erase", { ...body, dryRun: false }),
  ).data;
  return { ...answer, job: await from.ended(client, jobId!) };
}

/** Whether any file of the service, or any row of its database server, holds one of these texts. */
async function isStored(...texts: string[]): Promise<boolean> {
  return (await isIn(service.dataDir, ...texts)) || (usesPostgres && (await isInRows(texts)));
}

async function isInRows(texts: readonly string[]): Promise<boolean> {
  await using database = await service.openDatabase();
  const tables = await database.all<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { name } of tables)
    for (const text of texts) {
      // Bytes are in hexadecimal.
      const holds = `strpos(r::text, $1) > 0 OR strpos(r::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0`;
      if ((await database.all(`SELECT 1 FROM "${name}" AS r WHERE ${holds} LIMIT 1`, [text])).length > 0) return true;
    }
  return false;
}

async function isIn(directory: string, ...texts: string[]): Promise<boolean> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = Buffer.from(await Bun.file(join(entry.parentPath, entry.name)).arrayBuffer());
    if (texts.some((text) => content.includes(text))) return true;
  }
  return false;
}

test("everything about a person is handed out, whichever way they are named", async () => {
  const user = await service.user();
  const who = await somebody(user);
  const document = await exported(user, { email: who.email.toUpperCase() });
  expect(document.identifiers).toEqual({
    emails: [who.email],
    profileUrls: [who.profileUrl],
    phones: [],
    leadIds: [who.leadId],
  });
  const names = [...new Set(placesOf(document.records))];
  expect(names).toEqual(allPlaces.filter((place) => names.includes(place)));
  expect(names).toEqual(expect.arrayContaining(["actions", "leads", "leads (mention)", "prospects"]));
  const lead = document.records.find(({ collection }) => collection === "leads");
  expect(lead).toMatchObject({ userId: user.userId, fields: { id: who.leadId, notes: "Prefers mornings", tags: [] } });
  expect(lead?.fields["createdAt"]).toMatch(/^\d{4}-.*Z$/);
  for (const body of [{ networkUrl: who.profileUrl }, { leadId: who.leadId }])
    expect([...new Set(placesOf((await exported(user, body)).records))]).toEqual(names);
});

test("a dry run tells what would go and changes nothing; that is what happens unless one says otherwise", async () => {
  const user = await service.user();
  const who = await somebody(user);
  const answer = succeeded(await user.post<ErasureView>("/api/v2/privacy/erase", { email: who.email })).data;
  expect(answer).toMatchObject({ dryRun: true, jobId: null, records: { leads: 1, actions: 1, prospects: 1 } });
  expect(answer.mentions["leads"]).toBe(1);
  expect((await user.get(`/api/v2/leads/${who.leadId}`)).status).toBe(200);
});

test("who is erased is nowhere any more, in no file and no row, and can't come back", async () => {
  const user = await service.user();
  const who = await somebody(user);
  expect(await isStored(who.email)).toBe(true);
  const { job } = await erased(user, { leadId: who.leadId });
  expect(job).toMatchObject({ status: "completed", type: "person_erasure" });
  expect(job.metadata["records"]).toMatchObject({ actions: 1, leads: 2, prospects: 1 });
  expect(JSON.stringify(job)).not.toContain(who.name);

  expect((await user.get(`/api/v2/leads/${who.leadId}`)).status).toBe(404);
  expect(succeeded(await user.get<{ notes: string }>(`/api/v2/leads/${who.mentionedIn}`)).data.notes).toBe(
    "Ask [erased]!",
  );
  const action = succeeded(await user.get<NetworkAction>(`/api/v2/users/jobs/${who.jobId}`)).data;
  expect(action).toMatchObject({ status: "failed", metadata: { canceled: true, erased: true } });
  expect((await user.post("/api/v2/leads", { email: who.email })).code).toBe("DO_NOT_CONTACT");
  // The other lead has its own address, which has the name in it.
  await user.delete(`/api/v2/leads/${who.mentionedIn}`);
  expect(await isStored(who.email, who.profileUrl, `Hello ${who.name}`)).toBe(false);
});

test("what somebody replied is handed out and erased with them, also when they are no lead", async () => {
  const user = await service.user();
  const [profileUrl, text] = ["https://network.example/in/rae-no-lead", "Reach me behind the bakery on Monday"];
  succeeded(await user.post("/api/v2/network/actions/record", { actionType: "sendConnectionRequest", profileUrl }));
  succeeded(await user.post("/api/v2/network/contacts/events", { profileUrl, event: "replied", text }));
  const { records } = await exported(user, { networkUrl: profileUrl });
  const replies = records.filter(({ fields }) => fields["type"] === "message.replied");
  expect(replies).toMatchObject([{ collection: "events", kind: "person", fields: { data: { text } } }]);
  expect(await isStored(text)).toBe(true);
  expect((await erased(user, { networkUrl: profileUrl })).job).toMatchObject({ status: "completed" });
  expect(await isStored(text)).toBe(false);
});

testEmbedded(
  "what was spoken to somebody who is erased is gone, and addresses that voices and their files name",
  async () => {
    await using own = await startService({ settings: { SIMULATE: "true" } });
    const user = await own.user();
    const { email } = await somebody(user);
    const voice = succeeded(
      await createClone(user, [[`${email}.wav`, await spokenWav(12)]], {
        description: `Reads for ${email}`,
        labels: JSON.stringify({ about: email }),
      }),
    ).data;
    await own.ended(user, voice.jobId);
    // Tried for the person before anything was scheduled.
    const spoken = await fetch(`${own.url}${clonesPath}/${voice.voiceId}/preview`, {
      method: "POST",
      headers: { "x-api-key": user.key!, "content-type": "application/json" },
      body: JSON.stringify({ text: "Dear Wilhelmina" }),
    });
    expect(spoken.status).toBe(200);
    const kept = () => readdir(join(own.dataDir, "blobs", "speech"));
    await eventually("speech to be kept", async () => ((await kept()).length > 0 ? true : null));

    const { identifiers, records } = await exported(user, { email });
    expect(identifiers.emails).toEqual([email]);
    expect(placesOf(records)).toEqual(expect.arrayContaining(["voiceSamples (mention)", "voices (mention)"]));
    await erased(user, { email }, own);
    expect(await kept()).toEqual([]);
    const { data } = succeeded(await user.get<CloneDetailView>(`${clonesPath}/${voice.voiceId}`));
    expect(data).toMatchObject({
      name: "Ada",
      status: "ready",
      description: "Reads for [erased]",
      labels: { about: "[erased]" },
      samples: [{ fileName: "[erased].wav" }],
    });
    expect(await isIn(own.dataDir, email)).toBe(false);
  },
);

test("an export that is told again is the same file", async () => {
  const user = await service.user();
  const email = `quill${++people}@example.com`;
  succeeded(await user.post("/api/v2/leads", { email }));
  const key = { headers: { "idempotency-key": "export it once" } };
  const ask = () => user.post("/api/v2/privacy/export", { email }, key);
  const [first, again] = [await ask(), await ask()];
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  for (const name of ["content-type", "content-disposition"])
    expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  expect(first.headers.get("content-disposition")).toContain("attachment");
});

test("who is erased is told again by no answer that was kept, and the request is not carried out again", async () => {
  const user = await service.user();
  const other = await service.user();
  const email = `quill${++people}@example.com`;
  const key = { headers: { "idempotency-key": "store it once" } };
  const person = { email, firstName: "Quill", phone: "+442079460018" };
  for (const client of [user, other]) succeeded(await client.post("/api/v2/leads", person, key));
  expect(placesOf((await exported(user, { email })).records)).toContain("answers (mention)");
  await erased(user, { email, suppress: false });
  const again = await user.post("/api/v2/leads", person, key);
  expect([again.status, again.code]).toEqual([409, "CONFLICT"]);
  expect(JSON.stringify(again.body)).not.toContain("Quill");
  expect((await exported(user, { email })).records).toEqual([]);
  // Another user's data is another user's.
  expect((await other.post("/api/v2/leads", person, key)).headers.get("idempotent-replayed")).toBe("true");
  await erased(other, { email, scope: "user", suppress: false });
  expect((await other.post("/api/v2/leads", person, key)).code).toBe("CONFLICT");
});

test("to erase twice, or somebody who never was, is no error", async () => {
  const user = await service.user();
  const who = await somebody(user);
  await erased(user, { email: who.email });
  expect((await erased(user, { email: who.email })).job).toMatchObject({
    status: "completed",
    message: "Erased 0 entries",
  });
  const nobody = { email: "nobody@example.com", suppress: false, dryRun: false };
  expect(succeeded(await user.post<ErasureView>("/api/v2/privacy/erase", nobody)).data.jobId).toBeNull();
});

test("whoever does not want to be kept off can come back", async () => {
  const user = await service.user();
  const who = await somebody(user);
  await erased(user, { email: who.email, suppress: false });
  expect((await user.post("/api/v2/leads", { email: who.email })).status).toBe(200);
});

test("an admin reaches into everybody's data, a member only into their own", async () => {
  const [ada, bob] = [await service.user(), await service.user({ role: "admin" })];
  const who = await somebody(ada);
  expect((await exported(bob, { email: who.email })).records).toEqual([]);
  const scope = "team";
  expect((await exported(bob, { email: who.email, scope })).records.length).toBeGreaterThan(2);
  expect((await ada.post("/api/v2/privacy/export", { email: who.email, scope })).status).toBe(403);
  expect((await ada.post("/api/v2/privacy/erase", { email: who.email, scope, dryRun: false })).status).toBe(403);
  await erased(bob, { email: who.email, scope });
  expect((await exported(ada, { email: who.email })).records).toEqual([]);
  expect(placesOf((await exported(bob, { email: who.email, scope })).records)).toEqual(["suppressions"]);
  expect((await ada.post("/api/v2/leads", { email: who.email })).code).toBe("DO_NOT_CONTACT");
});

test("the audit log tells who exported and erased, and only by hash whom", async () => {
  const user = await service.user();
  const who = await somebody(user);
  await exported(user, { email: who.email });
  await erased(user, { email: who.email });
  const page = await user.get<{ entries: AuditEntryView[] }>("/api/v2/audit", { query: { action: "person" } });
  const { entries } = succeeded(page).data;
  expect(entries.map(({ action }) => action)).toEqual(["person.erased", "person.erasureBegun", "person.exported"]);
  const hash = new Bun.CryptoHasher("sha256").update(`email:${who.email}`).digest("hex").slice(0, 32);
  for (const { details, actorId } of entries) {
    expect(actorId).toBe(user.userId);
    expect(details["subject"]).toContain(`sha256:email:${hash}`);
  }
  expect(JSON.stringify(entries)).not.toContain(who.name);
});

test("what can't name a person is refused with words", async () => {
  const user = await service.user();
  const refusal = async (body: object) => (await user.post("/api/v2/privacy/export", body)).message;
  expect(await refusal({})).toContain("Identify the person");
  expect(await refusal({ email: "nonsense" })).toContain("email:");
  expect(await refusal({ networkUrl: "nonsense" })).toContain("networkUrl:");
  expect((await user.post("/api/v2/privacy/export", { leadId: "nobody" })).status).toBe(404);
});

test("reading and erasing have permissions of their own", async () => {
  const user = await service.user();
  const body = { email: "ada@example.com" };
  for (const [path, permission] of [
    ["export", "privacy:read"],
    ["erase", "privacy:write"],
  ] as const) {
    // prettier-ignore
    const lesser = await service.keyOf(user, permissions.filter((name) => name !== permission)); // prettier-ignore
    expect((await lesser.post(`/api/v2/privacy/${path}`, body)).status).toBe(403);
  }
});

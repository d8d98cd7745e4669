import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";
import { api, imported, searched, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

test("the report tells which rows became which new prospects", async () => {
  const client = await service.user();
  await imported(service, client, "Email,First Name\nknown@example.com,K\n");
  const rowOf = new Map<string, number>();
  const rows = ["Email,First Name,Company"];
  for (let n = 0; n < 300; n++) {
    if (n % 50 === 20) rows.push(""); // has a number too
    rowOf.set(`p${n}@example.com`, rows.length + 1);
    rows.push(n % 7 === 3 ? "known@example.com,K," : `p${n}@example.com,P${n},Acme`);
  }
  const job = await imported(service, client, [...rows, "nonsense,X,"].join("\n"));
  type Line = { row: number; outcome: string; prospectId: string };
  type Report = { rows: Line[]; total: number; nextRow: number | null };
  const report = async (of: Client, query: object) =>
    succeeded(await of.get<Report>(`${api}/import/${job.id}/report`, { query: { outcome: "created", ...query } })).data;
  const created: Line[] = [];
  for (let afterRow: number | null = 0; afterRow !== null;) {
    const page: Report = await report(client, { afterRow, limit: 40 });
    expect(page.total).toBe(257);
    created.push(...page.rows);
    afterRow = page.nextRow;
  }
  expect(created).toHaveLength(257);
  expect(created.map(({ row }) => row)).toEqual(created.map(({ row }) => row).toSorted((a, b) => a - b));
  for (const { row, outcome, prospectId } of [created[0]!, created[5]!, created[150]!, created.at(-1)!]) {
    const { data } = succeeded(await client.get<{ email: string }>(`/api/v2/prospecting/prospects/${prospectId}`));
    expect([outcome, rowOf.get(data.email)]).toEqual(["created", row]);
  }
  succeeded(await client.delete(`/api/v2/prospecting/prospects/${created.at(-1)!.prospectId}`));
  const left = await report(client, { afterRow: created.at(-3)!.row });
  expect(left).toMatchObject({ total: 256, rows: [{ prospectId: created.at(-2)!.prospectId }] });
  const stranger = await service.user();
  expect((await stranger.get(`${api}/import/${job.id}/report`, { query: { outcome: "created" } })).status).toBe(404);
});

test("broken rows are reported and the others stored", async () => {
  const client = await service.user();
  const rows = `Email,First Name,Title
good@example.com,A,CEO
not an address,B,CEO
,C,CEO
"unclosed,D,CEO
long@example.com,${"x".repeat(201)},CEO
a@example.com,E,CEO,more,cells
bell\u0007@example.com,F,CEO
`;
  const job = await imported(service, client, rows);
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 7, created: 2, failed: 5 } });
  const { data } = await client.get<{ rows: { row: number; errors: { path: string }[] }[] }>(
    `${api}/import/${job.id}/report`,
  );
  expect(data.rows.map(({ row, errors }) => [row, errors[0]?.path])).toEqual([
    [3, "email"],
    [4, ""],
    [5, ""],
    [6, "firstName"],
    [7, ""],
  ]);
});

test.each([
  ["", 400, "empty"],
  ["Colour,Shape\nred,round\n", 202, "No header line"],
  ["\u0000\u0001\u0002\u0003".repeat(50), 202, "not text"],
  ["<!doctype html><table></table>", 202, "web page"],
  ['[{"email":"a@example.com"}]', 202, "JSON array"],
])("a file that is no list of prospects fails with the reason (%#)", async (content, status, reason) => {
  const client = await service.user();
  const answer = await client.post<JobView>(`${api}/import`, content, { headers: { "content-type": "text/plain" } });
  expect(answer.status).toBe(status);
  const message = status === 202 ? (await service.ended(client, answer.data.id)).message : answer.message;
  expect(message).toContain(reason);
});

test("files in other encodings are understood, and bytes that mean nothing are reported", async () => {
  const client = await service.user();
  const latin = Buffer.from("Email;Vorname;Nachname;Firma\nm@example.com;Jürgen;Größe;Müller\n", "latin1");
  const wide = Buffer.from("\ufeffEmail\tCompany\nw@example.com\tŁódź\n", "utf16le");
  const broken = Buffer.concat([
    Buffer.from(`Email,Company\n${"x@example.com,Firma ü\n".repeat(4000)}bad@example.com,`),
    Buffer.from([0xff, 0xfe, 0x0a]),
  ]);
  for (const [body, created, failed] of [
    [latin, 1, 0],
    [wide, 1, 0],
    [broken, 1, 1],
  ] as const) {
    const started = await client.post<JobView>(`${api}/import`, new Uint8Array(body), {
      headers: { "content-type": "text/csv" },
    });
    expect((await service.ended(client, started.data.id)).metadata).toMatchObject({ created, failed });
  }
  const { prospects } = await searched(client, {}, { limit: 10 });
  expect(prospects.map(({ company }) => company ?? "").toSorted()).toEqual(["Firma ü", "Müller", "Łódź"]);
});

test("a dry run foresees what the import then does, row by row, and stores nothing", async () => {
  const header = "First Name,Last Name,Email,LinkedIn URL,Company,Website,Industry,# Employees";
  const file = `${header}
Ada,Lovelace,ada@engines.example,,Analytical Engines,,Mathematics,
Ann,New,ann@new.example,,New Works,,,
Ann,New,ANN@new.example,https://network.example/in/ann,New Works,,,
,,,https://network.example/in/ann,New Works,,,
No,Body,broken,,,,,
,,,,New Works,new.example,Shipping,20
,,,,New Works,new.example,Shipping,20
,,,,New Works,new.example,Shipping,30
Bob,Next,bob@new.example,,New Works,,,
Bob,Next,bob@new.example,,New Works,,Shipping,
Zoe,,zoe@z.example,,,,,
,,,https://network.example/in/zoe,,,Toys,
,,zoe@z.example,https://network.example/in/zoe,,,,
Zoe,,zoe@z.example,https://network.example/in/zoe,,,Toys,
Zoe,,zoe@z.example,https://network.example/in/zoe,,,Toys,
,,ada@engines.example,https://network.example/in/zoe,,,,
,,joan@park.example,https://network.example/in/bridge,,,,
`;
  type Line = { row: number; outcome: string; prospectId: string | null };
  // Where rows are skipped, the profile of the third row is news again in the fourth.
  for (const [onDuplicate, created] of [
    ["update", 5],
    ["skip", 6],
  ] as const) {
    const client = await directory(service);
    const counts = async (dryRun: boolean) => {
      const { message, metadata, id } = await imported(service, client, file, { onDuplicate, dryRun: String(dryRun) });
      const { rows, created, updated, skipped, failed, companies } = metadata;
      expect(message.includes("nothing was stored")).toBe(dryRun);
      const report = succeeded(await client.get<{ rows: Line[] }>(`${api}/import/${id}/report`)).data.rows;
      const lines = report.map(({ row, outcome }) => [row, outcome]);
      return { rows, created, updated, skipped, failed, companies, lines, known: report[0]?.prospectId };
    };
    const foretold = await counts(true);
    expect((await searched(client, {}, { dryRun: true })).total).toBe(4);
    expect(foretold).toMatchObject({ rows: 17, created, failed: 1, companies: 3 });
    expect(await counts(false)).toEqual(foretold);
  }
});

test("a column that is named by hand, but not in the file, is refused with those that are", async () => {
  const client = await service.user();
  const file = "Email,Company Name\na@example.com,Werk\n";
  const of = (targets: object) => imported(service, client, file, { columns: JSON.stringify(targets) });
  expect(await of({ Nope: "company", "Compny Name": "company" })).toMatchObject({
    status: "failed",
    message: expect.stringContaining(
      "The file has no column called Nope, Compny Name. It has: Email, Company Name. Did you mean Company Name?",
    ),
    metadata: { reason: "badColumns", unknown: ["Nope", "Compny Name"], headers: ["Email", "Company Name"] },
  });
  expect((await searched(client, {}, { dryRun: true })).total).toBe(0);
  expect(await of({ "company-name": "company" })).toMatchObject({ status: "completed", metadata: { created: 1 } });
});

test("columns can be named by hand; a wrong target is refused", async () => {
  const client = await service.user();
  const file = "Adresse,Betrieb,Kopfzahl\na@example.com,Werk,300\n";
  const columns = (targets: object) => ({ columns: JSON.stringify(targets) });
  const job = await imported(
    service,
    client,
    file,
    columns({ Adresse: "email", Betrieb: "company", Kopfzahl: "companySize" }),
  );
  expect(job.metadata).toMatchObject({ created: 1 });
  expect((await searched(client, { company: { size: ["201-500"] } })).total).toBe(1);
  expect(await imported(service, client, file, columns({ Adresse: "spaceship" }))).toMatchObject({
    status: "failed",
    metadata: { reason: "badColumns" },
  });
  expect(
    await client.post(`${api}/import`, file, { query: { columns: "{" }, headers: { "content-type": "text/csv" } }),
  ).toMatchObject({ status: 400 });
  expect(await client.post(`${api}/import`, file, { headers: { "content-type": "image/png" } })).toMatchObject({
    status: 415,
  });
});

import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { encoded } from "../support/encoded.ts";
import { startService, succeeded } from "../support/service.ts";
import { leadsOf } from "../support/lead-import-api.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

type Preview = {
  problem: string | null;
  encoding: string | null;
  delimiter: string | null;
  columns: { header: string; target: string | null }[];
  targets: string[];
  rows: { row: number; lead: LeadView | null; errors: { path: string }[] }[];
};

const preview = (client: Client, file: SendOptions["body"], query: SendOptions["query"] = {}) =>
  client.post<Preview>("/api/v2/leads/import/preview", file, { query, headers: { "content-type": "text/csv" } });

test("a preview tells how the beginning of a file would be read, and stores nothing", async () => {
  const user = await service.user();
  const file = `Vorname;Nachname;Firma;Lieblingsfarbe\nAda;Lovelace;Engines;blau\nGrace;;;\n`;
  const { data } = succeeded(await preview(user, file));
  expect(data).toMatchObject({ problem: null, delimiter: ";" });
  expect(data.columns.map(({ target }) => target)).toEqual([
    "firstName",
    "lastName",
    "company",
    "customFields.Lieblingsfarbe",
  ]);
  expect(data.rows[0]).toMatchObject({ row: 2, lead: { firstName: "Ada", customFields: { Lieblingsfarbe: "blau" } } });
  expect(data.rows[1]).toMatchObject({ row: 3, lead: null });
  expect(data.rows[1]?.errors).not.toEqual([]);
  expect(await leadsOf(user)).toEqual([]);
});

test("a preview tells the encoding, takes another that is named, and refuses what can't be told", async () => {
  const user = await service.user();
  const western = encoded("Email,First Name\na@x.com,Zoë\n", "windows-1252");
  const told = succeeded(await preview(user, western)).data;
  expect(told).toMatchObject({ encoding: "windows-1252", rows: [{ lead: { firstName: "Zoë" } }] });
  const named = succeeded(await preview(user, western, { encoding: "iso-8859-2" })).data;
  expect(named).toMatchObject({ encoding: "iso-8859-2", rows: [{ lead: { firstName: "Zoë" } }] });
  const unknown = await preview(user, encoded("Email,First Name\na@x.com,Łukasz Wiśniewski\n", "windows-1250"));
  expect(unknown).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(unknown.message).toContain("UTF-8");
});

test("a preview of headers that nobody understands names them, until they are mapped", async () => {
  const user = await service.user();
  const file = "Kürzel,Kontakt\nx,ada@example.com\n";
  const unknown = succeeded(await preview(user, file)).data;
  expect(unknown.problem).toContain("Kürzel");
  expect(unknown.columns).toEqual([
    { header: "Kürzel", target: null },
    { header: "Kontakt", target: null },
  ]);
  expect(unknown.targets).toContain("email");
  const mapped = succeeded(await preview(user, file, { columns: JSON.stringify({ Kontakt: "email" }) })).data;
  expect(mapped).toMatchObject({ problem: null, rows: [{ lead: { email: "ada@example.com" } }] });
});

test("a preview of what is no list of people says what it is", async () => {
  const user = await service.user();
  const answer = await preview(user, "PK\u0003\u0004 and so on");
  expect([answer.status, answer.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(answer.message).toContain("sent as CSV");
  expect((await preview(user, "x".repeat(2 * 65_536 + 1))).status).toBe(413);
});

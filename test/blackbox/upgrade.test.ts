import { Database } from "bun:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createDirectory, startServer } from "../support/program.ts";

// The server may start from source on a busy machine.
setDefaultTimeout(60_000);

const fixture = join(import.meta.dir, "../fixtures/upgrade/0.1.0.sql");
/** Migrations of 0.1.0. */
const releasedMigrations = 24;
const adminKey = "oak_dfee3dff90f1781fb7739700cfc642b06e9e4f4ec4d3667718b392e79535c88e";
const carolKey = "oak_f8a2e50d8e0aad03c64bc3c8913c085c3820a25950838d041100b962d0237e49";
const lead = {
  unicode: "01a208cc-ba94-7789-a2f1-11d0cf480f85",
  punycode: "01a208cc-bab9-70a1-b38b-0e143a4a0625",
  acmeInc: "01a208cc-babd-72e6-ba54-17470248daa0",
  acme: "01a208cc-bac4-7461-84f1-b6449589e908",
  escapes: "01a208cc-bac8-76a6-8860-fd7b48dece11",
  subdomains: "01a208cc-bace-73d9-848f-5c21bd9554d1",
  eastAsian: "01a208cc-bad0-744c-a4fb-6f0f6efe1c2c",
  blocked: "01a208cc-bad2-74c0-a87a-0c1fa648b057",
  cyrillic: "01a208cc-bad7-7046-b40e-4c1084c4c794",
};

type Body = { success?: boolean; code?: string; data?: Record<string, unknown> };
type Listed = { total: number; [list: string]: unknown };

let directory: Awaited<ReturnType<typeof createDirectory>>;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  directory = await createDirectory();
  await writeReleasedDatabase(join(directory.path, "outreachd.db"));
  const env = { OUTREACHD_LOG_LEVEL: "silent", OUTREACHD_PHONE_REGION: "GB" };
  server = await startServer(directory.path, { env });
});
afterAll(async () => {
  await server.stop();
  await directory[Symbol.asyncDispose]();
});

/** A database as 0.1.0 left it. */
async function writeReleasedDatabase(path: string): Promise<void> {
  using database = new Database(path, { create: true, strict: true });
  database.run("PRAGMA journal_mode = WAL");
  migrate(database, migrations.slice(0, releasedMigrations), 1);
  database.run("PRAGMA foreign_keys = OFF");
  database.run(await Bun.file(fixture).text());
  // Results are reused for a limited time.
  database.run("UPDATE enrichment_results SET at = ?", [Date.now()]);
}

async function call(method: string, path: string, body?: unknown, key = adminKey) {
  const response = await fetch(`${server.api}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as Body) };
}

async function read<T = Listed>(path: string, key?: string): Promise<T> {
  const { status, data } = await call("GET", path, undefined, key);
  expect(status).toBe(200);
  return data as T;
}

/** IDs of the leads with an email address, sorted. */
async function leadsWith(email: string): Promise<string[]> {
  const { leads } = await read<{ leads: { id: string }[] }>(`/leads?email=${encodeURIComponent(email)}`);
  return leads.map(({ id }) => id).toSorted();
}

const create = (body: object) => call("POST", "/leads?onDuplicate=update", body);

describe("after an upgrade from 0.1.0", () => {
  test("everything is still there", async () => {
    const { leads } = await read<{ leads: { id: string; tags: string[] }[] }>("/leads?limit=100");
    expect(leads).toHaveLength(11);
    for (const id of Object.values(lead)) expect(leads.map((each) => each.id)).toContain(id);
    expect(await read(`/leads/${lead.unicode}`)).toMatchObject({
      ...{ firstName: "Jürgen", email: "juergen@Bücher.example", company: "Bücher GmbH", phone: "020 7946 0018" },
      ...{ tags: ["books"], customFields: { tier: 1 }, doNotContact: true },
    });
    expect(await read("/leads?tag=fair")).toMatchObject({ total: 2 });
    expect(await read("/suppressions")).toMatchObject({ total: 6 });
    expect(await read("/credits")).toMatchObject({ balance: 999 });
    expect(await read("/users/jobs?limit=100")).toMatchObject({ total: 3 });
    expect(await read("/leads", carolKey)).toMatchObject({ total: 0 });
    const { users } = await read<{ users: { email: string }[] }>("/users");
    expect(users.map(({ email }) => email).toSorted()).toEqual(["admin@localhost", "carol@example.com"]);
    const { campaigns } = await read<{ campaigns: { id: string; name: string }[] }>("/campaigns");
    expect(campaigns).toMatchObject([{ name: "Spring" }]);
    expect(await read(`/campaigns/${campaigns[0]!.id}/enrollments`)).toMatchObject({
      enrollments: [{ leadId: lead.subdomains, state: "active" }],
    });
    expect(await read("/network/actions")).toMatchObject({ actions: [{ actionType: "sendConnectionRequest" }] });
  });

  test("leads are found by either spelling of a domain", async () => {
    const both = [lead.unicode, lead.punycode].toSorted();
    expect(await leadsWith("juergen@bücher.example")).toEqual(both);
    expect(await leadsWith("Juergen@XN--bcher-kva.example")).toEqual(both);
    expect(await leadsWith("imported@bücher.example")).toHaveLength(1);
    expect(await leadsWith("kim@xn--e1afmkfd.xn--p1ai")).toEqual([lead.cyrillic]);
  });

  test("two leads that have become one person stay two, and the next write finds the first of them", async () => {
    for (const company of ["ACME GmbH", "The Acme Company"])
      expect(await create({ firstName: "ADA", lastName: "Lovelace", company })).toMatchObject({
        status: 200,
        data: { id: lead.acmeInc },
      });
    expect(await create({ email: "KIM@xn--e1afmkfd.xn--p1ai" })).toMatchObject({ data: { id: lead.cyrillic } });
    expect(await create({ networkUrl: "network.example/in/Grace" })).toMatchObject({ data: { id: lead.subdomains } });
    expect(await read("/leads?limit=100")).toMatchObject({ total: 11 });
  });

  test("the do-not-contact list holds", async () => {
    const blocked = { status: 409, code: "DO_NOT_CONTACT" };
    for (const email of ["objector", "hidden", "team"])
      for (const domain of ["bücher.example", "xn--bcher-kva.example"])
        expect(await create({ email: `${email}@${domain}` })).toMatchObject(blocked);
    expect(await create({ email: "someone@mail.stop.example" })).toMatchObject(blocked);
    expect(await create({ email: "new@example.com", phone: "+44 20 7946 0018" })).toMatchObject(blocked);
    for (const networkUrl of ["https://network.example/in/zo%C3%AB%20ang", "network.example/in/ZOË%20ANG/"])
      expect(await create({ networkUrl })).toMatchObject(blocked);
    expect(await create({ email: "free@bücher.example" })).toMatchObject({ status: 200 });
  });

  test("what was paid for is found again, and so are people of the directory", async () => {
    // Paid for as "grace@bücher.example" at "ACME, Inc.".
    const email = "grace@xn--bcher-kva.example";
    const grace = { firstName: "Grace", lastName: "Hopper", company: "Acme GmbH", email };
    expect(await call("POST", "/enrich", { leads: [grace] })).toMatchObject({
      data: { enriched: [{ creditsUsed: 0, fromCache: true, enrichedData: { title: "Admiral" } }] },
    });
    expect(await read("/credits")).toMatchObject({ balance: 999 });
    const filters = { company: {}, person: {}, technology: {} };
    expect(await call("POST", "/prospecting/search", { filters, limit: 10, offset: 0 })).toMatchObject({
      data: { total: 3 },
    });
  });

  test("an action that waits is not queued again", async () => {
    const [waiting] = (await read<{ actions: { accountId: string; jobId: string }[] }>("/network/actions")).actions;
    const repeated = {
      ...{ actionType: "sendConnectionRequest", message: "Hello", accountId: waiting?.accountId },
      profileUrl: "https://network.example/in/ZO%C3%8B%20bell/",
    };
    expect(await call("POST", "/network/scheduleNetworkAction", repeated)).toMatchObject({
      data: { isNew: false, jobId: waiting?.jobId },
    });
  });
});

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MergeReport } from "../../src/features/workspaces/merge/model.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { startS3Server } from "../support/s3-server.ts";

// Each command starts the program, and PostgreSQL starts once.
setDefaultTimeout(120_000);

const s3 = startS3Server({ bucket: "files" });
afterAll(() => s3.stop());

const bucket = {
  OUTREACHD_FILES: "s3://files/main",
  OUTREACHD_S3_ENDPOINT: s3.url,
  OUTREACHD_S3_ACCESS_KEY_ID: "AKIDEXAMPLE",
  OUTREACHD_S3_SECRET_ACCESS_KEY: "s3cret",
};

/** An empty database, and a directory to start commands in. Files are in a bucket. */
async function arrange() {
  const database = await createTestDatabase();
  const directory = await createDirectory();
  s3.objects.clear();
  const env: Record<string, string> = { ...bucket, OUTREACHD_LOG_LEVEL: "error" };
  const run = (...args: string[]) => runProgram(args, { env, cwd: directory.path });

  /** What a command prints with --json. */
  async function answerOf<T>(...args: string[]): Promise<T> {
    const { out, err, exitCode } = await run(...args, "--json");
    expect({ args, err, exitCode }).toEqual({ args, err: expect.any(String), exitCode: 0 });
    return JSON.parse(out.trim().split("\n").at(-1)!) as T;
  }

  return {
    ...{ database, directory, env, run, answerOf },
    async [Symbol.asyncDispose]() {
      await database.release();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function disposableDatabase() {
  const database = await createTestDatabase();
  return { url: database.url, [Symbol.asyncDispose]: () => database.release() };
}

/** A database without any tables. */
const otherDatabase = ({ url }: TestDatabase) => url.replace(/[^/]+$/, "postgres");

type Named = { id: string };
type NewUser = { key: { key: string } };

test("commands work on the database that a flag, a variable, or a file names, and leave nothing on this machine", async () => {
  await using world = await arrange();
  const { database, directory, env, answerOf, run } = world;
  const flag = ["--database", database.url];
  const made = await answerOf<NewUser>("user", "create", "ada@example.com", "--key", ...flag);
  expect(made.key.key).toMatch(/^oak_/);
  env["OUTREACHD_DATABASE"] = database.url;
  await answerOf("user", "create", "eve@example.com");
  expect(await answerOf("user", "list")).toMatchObject({
    users: [{ email: "ada@example.com" }, { email: "eve@example.com" }],
  });
  delete env["OUTREACHD_DATABASE"];
  env["OUTREACHD_DATABASE_FILE"] = join(directory.path, "secret");
  writeFileSync(env["OUTREACHD_DATABASE_FILE"], `${database.url}\n`);
  await answerOf("key", "create", "--name", "sync", "--user", "eve@example.com");
  expect(await answerOf("key", "list", "--user", "eve@example.com")).toMatchObject({ keys: [{ name: "sync" }] });
  const team = await answerOf<Named>("workspace", "create", "Sales", "--owner", "eve@example.com");
  expect(await answerOf("member", "list", "--workspace", team.id)).toMatchObject({
    members: [{ email: "eve@example.com", role: "owner" }],
  });
  writeFileSync(join(directory.path, "people.csv"), "email,first name\ngrace@example.com,Grace\n");
  expect(await answerOf("import", "leads", "people.csv", "--user", "eve@example.com")).toMatchObject({
    status: "completed",
  });
  const exported = await run("export", "leads", "--format", "ndjson", "--user", "eve@example.com");
  expect(exported.out).toContain("grace@example.com");
  expect(readdirSync(directory.path).toSorted()).toEqual(["people.csv", "secret"]);
});

test("without a bucket, commands and a node that does not start leave nothing on this machine, either", async () => {
  await using database = await disposableDatabase();
  await using directory = await createDirectory();
  const run = (...args: string[]) =>
    runProgram([...args, "--database", database.url], { cwd: directory.path, env: { OUTREACHD_LOG_LEVEL: "error" } });
  for (const command of [["user", "create", "ada@example.com"], ["key", "list"], ["nodes"], ["user", "list"]])
    expect(await run(...command)).toMatchObject({ exitCode: 0 });
  await run("doctor", "--offline");
  const listen = ["--listen", new URL(database.url).host];
  expect(await run("serve", ...listen)).toMatchObject({ exitCode: 1, err: expect.stringContaining("Cannot listen") });
  expect(readdirSync(directory.path)).toEqual([]);
});

test("a database without tables is filled by nobody who only wants to look", async () => {
  await using world = await arrange();
  const { database, run } = world;
  for (const command of [
    ["user", "list"],
    ["workspace", "merge", "a", "b"],
  ])
    // prettier-ignore
    expect(await run(...command, "--database", otherDatabase(database))).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/No outreachd data found in postgres:\/\/.*\/postgres\.\n.*outreachd user create/),
    });
});

test("upgrade --check reads which migrations the database lacks", async () => {
  await using world = await arrange();
  const { database, answerOf, run } = world;
  await answerOf("user", "create", "ada@example.com", "--database", database.url);
  const report = await answerOf("upgrade", "--check", "--database", database.url);
  expect(report).toMatchObject({ isPossible: true, database: { pending: [], copyBytes: null, problem: null } });
  expect((await run("upgrade", "--check", "--database", otherDatabase(database))).err).toContain("No outreachd data");
});

test("workspaces are merged while a node runs, which serves the other workspace at once", async () => {
  await using world = await arrange();
  const { database, directory, env, answerOf, run } = world;
  env["OUTREACHD_DATABASE"] = database.url;
  const { key } = await answerOf<NewUser>("user", "create", "ada@example.com", "--key");
  await answerOf("user", "create", "eve@example.com");
  await using node = await startServer(join(directory.path, "node"), { env });
  const headers = { "x-api-key": key.key, "content-type": "application/json" };
  const body = JSON.stringify({ email: "grace@example.com" });
  expect((await fetch(`${node.url}/api/v2/leads`, { method: "POST", headers, body })).status).toBe(200);
  const merge = ["workspace", "merge", "ada@example.com", "eve@example.com"];
  const shown = await run(...merge);
  expect(shown).toMatchObject({ exitCode: 0, err: "", out: expect.stringContaining("Nothing was changed.") });
  expect(await answerOf<MergeReport>(...merge, "--yes")).toMatchObject({ merged: { leads: { moved: 1, united: 0 } } });
  const members = await answerOf("member", "list", "--workspace", "eve@example.com");
  expect(members).toMatchObject({ members: [{ email: "ada@example.com", role: "admin" }, { role: "owner" }] });
  const exported = await run("export", "leads", "--format", "ndjson", "--user", "eve@example.com");
  expect(exported.out).toContain("grace@example.com");
  // Nodes notice within a second that the key belongs to another workspace.
  await eventually("the lead in the other workspace", async () => {
    const leads = await fetch(`${node.url}/api/v2/leads`, { headers });
    const { data } = (await leads.json()) as { data: { total: number } };
    expect(leads.status).toBe(200);
    return data.total === 1 || null;
  });
});

test("a command uses the node of its data directory only if that uses the same database", async () => {
  await using world = await arrange();
  const { database, directory, env, answerOf, run } = world;
  const data = join(directory.path, "data");
  await answerOf("user", "create", "eve@example.com", "--database", database.url);
  {
    // Whoever names the data directory of a running node needs no other setting.
    await using _ = await startServer(data, { env: { ...env, OUTREACHD_DATABASE: database.url } });
    expect(await answerOf("user", "list", "--data", data)).toMatchObject({ users: [{ email: "eve@example.com" }] });
  }
  const embedded = { OUTREACHD_LOG_LEVEL: "error" };
  await using _ = await startServer(join(directory.path, "embedded"), { env: embedded });
  const both = ["--database", database.url, "--data", join(directory.path, "embedded")];
  expect(await answerOf("user", "list", ...both)).toMatchObject({ users: [{ email: "eve@example.com" }] });
  const merge = await run("workspace", "merge", "a", "b", ...both);
  expect(merge).toMatchObject({ exitCode: 2, err: expect.stringContaining("--data or --database, not both") });
  env["OUTREACHD_DATABASE"] = database.url;
  const ambiguous = await run("workspace", "merge", "a", "b", "--data", join(directory.path, "embedded"));
  expect(ambiguous).toMatchObject({ exitCode: 2, err: expect.stringContaining("contains an embedded database") });
});

test("what a database needs no command for is refused with what to do instead", async () => {
  await using world = await arrange();
  const { database, run } = world;
  const flag = ["--database", database.url];
  const clock = await run("clock", "accept", ...flag);
  expect(clock).toMatchObject({ exitCode: 1, err: expect.stringContaining("the clock of the database") });
});

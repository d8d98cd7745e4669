import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createTestDatabase } from "../support/postgres.ts";
import { createDirectory, programCommand, runProgram, startServer } from "../support/program.ts";
import { startS3Server } from "../support/s3-server.ts";
import { eventually } from "../support/service.ts";

setDefaultTimeout(300_000);

const leads = 60_000;
const quiet = { OUTREACHD_RATE_LIMIT_MINUTE: "0", OUTREACHD_RATE_LIMIT_HOUR: "0", OUTREACHD_RATE_LIMIT_DAY: "0" };
type Table = { table: string; rows: number; checksum: string };

/** A data directory with an admin and many leads. */
async function filled(dataDir: string): Promise<string> {
  await using server = await startServer(dataDir, { env: quiet });
  const { key } = server.firstRun!;
  const rows = Array.from(
    { length: leads },
    (_, n) => `First ${n},Last ${n},person.${n}@example.com,Company ${n % 999}\n`,
  );
  const body = `First name,Last name,Email,Company\n${rows.join("")}`;
  const headers = { "x-api-key": key, "content-type": "text/csv" };
  await fetch(`${server.api}/leads/import`, { method: "POST", headers, body });
  await eventually("the import", async () => ((await countOf(server, key)) === leads ? true : null), {
    patienceMs: 120_000,
  });
  await server.stop();
  return key;
}

async function countOf({ api }: { api: string }, key: string): Promise<number> {
  const answer = await fetch(`${api}/leads?limit=1`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { data: { total: number } }).data.total;
}

/** Runs a copy, and kills it when it prints its `deadLine`-th line of progress. Null if it was killed. */
async function copyUntil(args: readonly string[], deadLine: number): Promise<Table[] | null> {
  const child = Bun.spawn([...programCommand, "copy", "--json", ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const problem = new Response(child.stderr).text();
  let lines = 0;
  let text = "";
  for await (const chunk of child.stdout as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString("utf8");
    lines = text.split("\n").filter((line) => line.includes('"event":"progress"')).length;
    if (lines >= deadLine) child.kill("SIGKILL");
  }
  const code = await child.exited;
  if (child.signalCode === "SIGKILL") return null;
  if (code !== 0) throw new Error(`The copy ended with ${code}: ${await problem}${text}`);
  return (JSON.parse(text.trim().split("\n").at(-1)!) as { tables: Table[] }).tables;
}

/** Kills a copy later and later, until one gets to its end. */
async function copyDespiteKills(args: readonly string[]): Promise<{ tables: Table[]; kills: number }> {
  for (let kills = 0; ; kills++) {
    const tables = await copyUntil(args, kills + 1);
    if (tables !== null) return { tables, kills };
  }
}

test("a copy that is killed again and again ends with the same rows, to PostgreSQL and back", async () => {
  await using directory = await createDirectory();
  const database = await createTestDatabase();
  const [first, second, scratch] = ["first", "second", "scratch"].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  const key = await filled(first);

  const there = await copyDespiteKills(["--from", first, "--database", database.url, "--to-files", scratch]);
  expect(there.kills).toBeGreaterThan(0);
  expect(there.tables.find(({ table }) => table === "leads")).toMatchObject({ rows: leads });
  {
    await using server = await startServer(scratch, { env: { ...quiet, OUTREACHD_DATABASE: database.url } });
    expect(server.firstRun).toBeNull();
    expect(await countOf(server, key)).toBe(leads);
    await server.stop();
  }
  // The server has written what it knows of its operation.
  const back = await copyDespiteKills(["--database", database.url, "--from-files", scratch, "--to", second]);
  expect(back.kills).toBeGreaterThan(0);
  const ofLeads = (tables: readonly Table[]) => tables.filter(({ table }) => /^leads|lead_(keys|counts)$/.test(table));
  expect(ofLeads(there.tables)).toHaveLength(3);
  expect(ofLeads(back.tables)).toEqual(ofLeads(there.tables));
  const doctor = await runProgram(["doctor", "--json", "--full", "--offline", "--data", second]);
  const { findings } = JSON.parse(doctor.out) as { findings: { state: string }[] };
  expect(findings.filter(({ state }) => state === "problem")).toEqual([]);
  await using server = await startServer(second, { env: quiet });
  expect(await countOf(server, key)).toBe(leads);
  await server.stop();
  await database.drop();
});

test("the two lines of the documentation copy to PostgreSQL and a bucket, and back", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  const database = await createTestDatabase();
  const [data, back] = [join(directory.path, "data"), join(directory.path, "back")];
  const key = await startServer(data).then(async ({ firstRun, stop }) => (await stop(), firstRun!.key));
  await Bun.write(join(data, "blobs", "voice", "0198.original"), new Uint8Array(100_000).fill(7));
  const env = {
    OUTREACHD_S3_ENDPOINT: s3.url,
    OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const files = `s3://${s3.bucket}/team`;
  const there = await runProgram(["copy", "--from", data, "--database", database.url, "--files", files], { env });
  expect(there).toMatchObject({ exitCode: 0, err: "" });
  expect(there.out).toMatch(/^users +1 +[0-9a-f]{16}$/m);
  expect(there.out).toMatch(/^voice\/ +1 +100.0 kB +[0-9a-f]{16}$/m);
  expect(there.out).toContain("Both sides have the same checksums.");
  expect([...s3.objects.keys()]).toEqual(["team/voice/0198.original"]);
  const settings = { ...env, OUTREACHD_DATABASE: database.url, OUTREACHD_FILES: files };
  const returned = await runProgram(["copy", "--to", back], { env: settings });
  expect(returned).toMatchObject({ exitCode: 0, err: "" });
  const tables = (out: string) => out.slice(0, out.indexOf("Copied"));
  expect(tables(returned.out)).toBe(tables(there.out));
  await using server = await startServer(back);
  expect(await countOf(server, key)).toBe(0);
  await server.stop();
  await database.drop();
});

test("the command says what it needs, and which side is which", async () => {
  await using directory = await createDirectory();
  const url = "postgres://nobody:secret@127.0.0.1:1/none";
  const wrong = [
    [["copy"], "add --from or --to"],
    [["copy", "--from", directory.path], "Say to where"],
    [["copy", "--from", directory.path, "--to", url, "--database", url], "got all three"],
    [["copy", "--from", directory.path, "--to", `${directory.path}/other`], "Both are data directories"],
    [["copy", "--from", url, "--database", url], "Both are on PostgreSQL"],
    [["copy", "--from", "mysql://x", "--database", url], "There is no database"],
  ] as const;
  for (const [args, message] of wrong) {
    const { exitCode, err } = await runProgram([...args]);
    expect(err).toContain(message);
    expect(exitCode).not.toBe(0);
    expect(err).not.toContain("secret");
  }
  const unreachable = await runProgram(["copy", "--database", url, "--to", directory.path]);
  expect(unreachable).toMatchObject({ exitCode: 1, out: "" });
  expect(unreachable.err).toContain("Cannot connect to the database postgres://nobody@127.0.0.1:1/none");
});

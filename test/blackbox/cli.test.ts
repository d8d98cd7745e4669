import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { createDirectory, programCommand, runProgram, startServer, textOf } from "../support/program.ts";

// The program is started several times in some of these tests, perhaps from source and on a busy machine.
setDefaultTimeout(30_000);

const people = ["email,first name,company", "ada@example.com,Ada,Analytical Engines", "grace@example.com,Grace,Navy"];
const csv = `${people.join("\n")}\n`;
const csvWithFailure = `${csv}not an address,Eve,\n`;

const inData = (path: string) => ({ env: { OUTREACHD_DATA: path } });

/** Leads as the export gives them, by email address. */
async function exported(env: Record<string, string>, ...flags: string[]): Promise<Record<string, unknown>[]> {
  const { exitCode, out, err } = await runProgram(["export", "leads", "--format", "ndjson", ...flags], { env });
  expect(err).toBe("");
  expect(exitCode).toBe(0);
  const leads = out.split("\n").filter((line) => line !== "");
  return leads
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .toSorted((a, b) => String(a["email"]).localeCompare(String(b["email"])));
}

test("without a command the program explains itself and makes nothing", async () => {
  await using directory = await createDirectory();
  const { exitCode, out } = await runProgram([], { cwd: directory.path });
  expect(exitCode).toBe(0);
  expect(out).toContain("First steps:");
  expect(existsSync(`${directory.path}/outreachd-data`)).toBe(false);
});

test("wrong usage and wrong configuration end with 2, and nothing is made", async () => {
  await using directory = await createDirectory();
  const env = { OUTREACHD_DATA: `${directory.path}/data` };
  expect((await runProgram(["serv"], { env })).exitCode).toBe(2);
  const { exitCode, err } = await runProgram(["serve", "--listen", "here"], {
    env: { ...env, OUTREACHD_LOGLEVEL: "info" },
  });
  expect(exitCode).toBe(2);
  expect(err).toContain("--listen: Expected HOST:PORT");
  expect(err).toContain("Did you mean OUTREACHD_LOG_LEVEL?");
  expect(existsSync(env.OUTREACHD_DATA)).toBe(false);
});

test("the first start shows the admin's key; it works, and a later start shows none", async () => {
  await using directory = await createDirectory();
  await using first = await startServer(directory.path);
  const key = first.firstRun?.key ?? "";
  expect(first.firstRun?.email).toBe("admin@localhost");
  const health = await fetch(`${first.url}/api/v2/health`, { headers: { "x-api-key": key } });
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ user: { email: "admin@localhost", role: "admin" } });
  const { exitCode, log } = await first.stop("SIGTERM");
  expect(exitCode).toBe(0);
  expect(log).not.toContain(key);

  await using second = await startServer(directory.path);
  expect(second.firstRun).toBeNull();
  expect((await fetch(`${second.url}/api/v2/health`, { headers: { "x-api-key": key } })).status).toBe(200);
  expect((await second.stop("SIGINT")).exitCode).toBe(0);
});

test("a second server on the same data directory is refused in plain words", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const { exitCode, err } = await runProgram(["serve", "--listen", "127.0.0.1:0"], inData(server.dataDir));
  expect(exitCode).toBe(1);
  expect(err).toContain("Error: ");
  expect(err).not.toMatch(/^ +at /m);
});

test("a port that is taken is refused in plain words", async () => {
  await using one = await createDirectory();
  await using other = await createDirectory();
  await using server = await startServer(one.path);
  const { exitCode, err } = await runProgram(["serve", "--listen", new URL(server.url).host], inData(other.path));
  expect(exitCode).toBe(1);
  expect(err).toContain(new URL(server.url).port);
  expect(err).not.toMatch(/^ +at /m);
});

test("commands work on the data directory while no server runs", async () => {
  await using directory = await createDirectory();
  const data = inData(`${directory.path}/data`);
  const missing = await runProgram(["user", "list"], data);
  expect(missing.exitCode).toBe(1);
  expect(missing.err).toContain("outreachd serve");

  const created = await runProgram(["user", "create", "ada@example.com", "--name", "Ada", "--key", "--json"], data);
  expect(created.exitCode).toBe(0);
  const { user, key } = JSON.parse(created.out);
  expect(user).toMatchObject({ email: "ada@example.com", name: "Ada", role: "admin" });
  expect(key.key).toMatch(/^oak_[0-9a-f]{64}$/);
  expect(created.err).not.toContain(key.key);

  const granted = await runProgram(["user", "grant", "ada@example.com", "500", "--json"], data);
  expect(JSON.parse(granted.out)).toMatchObject({ granted: 500, balance: 1500 });

  const { users } = JSON.parse((await runProgram(["user", "list", "--json"], data)).out);
  expect(users.map(({ email }: { email: string }) => email)).toEqual(["ada@example.com"]);

  const bob = await runProgram(["user", "create", "bob@example.com", "--json"], data);
  expect(JSON.parse(bob.out)).toMatchObject({ user: { email: "bob@example.com", role: "member" }, key: null });

  const twice = await runProgram(["user", "create", "ada@example.com"], data);
  expect(twice.exitCode).toBe(1);
  expect(twice.err).toContain("ada@example.com");
});

test("the first user is the admin unless they are expressly a member, and a bad address leaves nothing", async () => {
  await using directory = await createDirectory();
  const data = inData(`${directory.path}/data`);
  const wrong = await runProgram(["user", "create", "nonsense", "--key"], data);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.err).toContain('"nonsense" is not an email address');
  const member = await runProgram(["user", "create", "ada@example.com", "--role", "member", "--json"], data);
  expect(JSON.parse(member.out)).toMatchObject({ user: { role: "member" }, key: null });
  expect(member.err).toContain("created the admin admin@localhost");
});

test("members change roles, are deactivated, and removed on the command line", async () => {
  await using directory = await createDirectory();
  const data = inData(`${directory.path}/data`);
  await runProgram(["user", "create", "ada@example.com"], data);
  await runProgram(["user", "create", "bob@example.com"], data);
  const team = await runProgram(["workspace", "create", "Sales", "--owner", "bob@example.com", "--json"], data);
  const { id } = JSON.parse(team.out);
  const invited = await runProgram(["invite", "create", "carl@example.com", "--workspace", id, "--json"], data);
  expect(JSON.parse(invited.out)).toMatchObject({ email: "carl@example.com", role: "member" });
  expect(JSON.parse(invited.out).url).toMatch(/^\/app\/join#[\w-]{43}$/);
  const open = await runProgram(["invite", "list", "--workspace", id, "--json"], data);
  const [invitation] = JSON.parse(open.out).invitations;
  expect((await runProgram(["invite", "revoke", invitation.id, "--workspace", id], data)).exitCode).toBe(0);
  expect((await runProgram(["invite", "list", "--workspace", id], data)).out).toContain("No open invitations");
  const listed = await runProgram(["member", "list", "--workspace", id, "--json"], data);
  expect(JSON.parse(listed.out).members).toMatchObject([{ email: "bob@example.com", role: "owner" }]);
  const last = await runProgram(["member", "remove", "bob@example.com", "--workspace", id], data);
  expect(last.exitCode).toBe(1);
  expect(last.err).toContain("needs an active owner");
  const heir = ["--leads-to", "bob@example.com", "--accounts-to", "carl@example.com"];
  const nobody = await runProgram(["member", "remove", "bob@example.com", ...heir, "--workspace", id], data);
  expect(nobody.exitCode).toBe(1);
  expect(nobody.err).toContain("carl@example.com");
  const several = await runProgram(["export", "leads", "--user", "bob@example.com"], data);
  expect(several.exitCode).toBe(0);
  const renamed = await runProgram(["workspace", "update", id, "--name", "Marketing", "--json"], data);
  expect(JSON.parse(renamed.out)).toMatchObject({ name: "Marketing" });
  const updated = await runProgram(["user", "update", "bob@example.com", "--deactivate", "--json"], data);
  expect(JSON.parse(updated.out)).toMatchObject({ isActive: false });
  const nothing = await runProgram(["user", "update", "bob@example.com"], data);
  expect(nothing.exitCode).toBe(2);
});

test("leads go in from a file and come out again, with no server", async () => {
  await using directory = await createDirectory();
  const env = { OUTREACHD_DATA: `${directory.path}/data` };
  await runProgram(["user", "create", "ada@example.com"], { env });
  await Bun.write(`${directory.path}/people.csv`, csvWithFailure);
  const user = ["--user", "ada@example.com"];
  const importing = ["import", "leads", `${directory.path}/people.csv`, ...user, "--tag", "fair", "--source", "spring"];

  const dry = await runProgram([...importing, "--dry-run"], { env });
  expect(dry.exitCode).toBe(4);
  expect(await exported(env, ...user)).toEqual([]);

  const done = await runProgram(importing, { env });
  expect(done).toMatchObject({ exitCode: 4, err: "" });
  expect(done.out).toMatch(/created +2/);
  expect(done.out).toMatch(/failed +1/);
  expect(done.out).toMatch(/row \d+ +email: /);
  expect(await exported(env, ...user)).toMatchObject([
    { email: "ada@example.com", firstName: "Ada", company: "Analytical Engines", tags: ["fair"], source: "spring" },
    { email: "grace@example.com", firstName: "Grace", tags: ["fair"] },
  ]);

  const again = await runProgram([...importing, "--json"], { env });
  expect(JSON.parse(again.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ created: 0, skipped: 2, failed: 1 });
});

test("nothing on standard input is refused before anything is imported", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const { exitCode, err } = await runProgram(["import", "leads", "-"], { ...inData(server.dataDir), stdin: "" });
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: "Error: Standard input is empty. Nothing was imported.\n" });
});

test("the same commands use the server that runs on the data directory", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const data = inData(server.dataDir);
  const imported = await runProgram(["import", "leads", "-"], { ...data, stdin: csv });
  expect(imported.err).toBe("");
  expect(imported.exitCode).toBe(0);

  const file = `${directory.path}/out.csv`;
  const result = await runProgram(["export", "leads", "--output", file, "--q", "ada", "--json"], data);
  expect(JSON.parse(result.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ leads: 1, file });
  expect(await Bun.file(file).text()).toContain("ada@example.com");
});

test("with URL and key the commands use that server and need no data directory", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  await Bun.write(`${directory.path}/key`, `${server.firstRun?.key}\n`);
  const env = {
    OUTREACHD_URL: server.url,
    OUTREACHD_API_KEY_FILE: `${directory.path}/key`,
    OUTREACHD_DATA: "/nowhere/at/all",
  };
  expect((await runProgram(["import", "leads", "-", "--source", "remote"], { env, stdin: csv })).exitCode).toBe(0);
  expect(await exported(env)).toMatchObject([{ source: "remote" }, { source: "remote" }]);
});

test("a server that is gone ends a remote command with 3", async () => {
  const env = { OUTREACHD_URL: "http://127.0.0.1:1", OUTREACHD_API_KEY: `oak_${"0".repeat(64)}` };
  const { exitCode, err } = await runProgram(["key", "list"], { env });
  expect(exitCode).toBe(3);
  expect(err).toContain("Could not reach the server at http://127.0.0.1:1");
});

test("a key works until it is revoked", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const data = inData(directory.path);
  const args = ["key", "create", "--name", "sync", "--permission", "leads:read", "--expires-in-days", "30", "--json"];
  const { id, key, permissions } = JSON.parse((await runProgram(args, data)).out);
  expect(permissions).toEqual(["leads:read"]);
  const status = async () => (await fetch(`${server.url}/api/v2/leads`, { headers: { "x-api-key": key } })).status;
  expect(await status()).toBe(200);
  const listed = await runProgram(["key", "list"], data);
  expect(listed.out).toContain("sync");
  expect(listed.out).not.toContain(key);
  expect((await runProgram(["key", "revoke", id], data)).exitCode).toBe(0);
  expect(await status()).toBe(401);
});

test("a global key is made on the command line and names the user that it acts for", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const { key, userId } = JSON.parse(
    (await runProgram(["key", "create", "--global", "--json"], inData(directory.path))).out,
  );
  expect(userId).toBeNull();
  const env = { OUTREACHD_URL: server.url, OUTREACHD_API_KEY: key };
  expect(await exported(env)).toEqual([]);
});

test("`health` ends with 0 while the server answers and with 1 after it", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const check = () => runProgram(["health", "--listen", new URL(server.url).host]);
  expect((await check()).exitCode).toBe(0);
  await server.stop();
  expect((await check()).exitCode).toBe(1);
});

test("a reader that has seen enough ends an export quietly", async () => {
  await using directory = await createDirectory();
  const env = { OUTREACHD_DATA: `${directory.path}/data`, PATH: process.env["PATH"] ?? "" };
  await runProgram(["user", "create", "ada@example.com"], { env });
  const user = ["--user", "ada@example.com"];
  const rows = Array.from({ length: 5000 }, (_, index) => `${index}@example.com,Somebody,${"x".repeat(100)}`);
  await runProgram(["import", "leads", "-", ...user], { env, stdin: ["email,first name,company", ...rows].join("\n") });
  const line = `${[...programCommand, "export", "leads", ...user].join(" ")} | head -n 1`;
  const child = Bun.spawn(["sh", "-c", line], { env, stdout: "pipe", stderr: "pipe", stdin: "ignore" });
  expect(await textOf(child.stderr)).toBe("");
  expect((await textOf(child.stdout)).split("\n")).toHaveLength(2);
});

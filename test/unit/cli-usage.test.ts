import { expect, test } from "bun:test";
import { schema, version } from "../../src/platform/base/version.ts";
import { ada, createCommandLine, refused, success, userPage } from "../support/command-line.ts";

test("without a command the help shows first steps and exit codes", async () => {
  await using cli = await createCommandLine();
  const { exitCode, out } = await cli.run();
  expect(exitCode).toBe(0);
  expect(out).toContain("First steps:");
  expect(out).toContain("done in part: an import had rows that failed");
});

const unknownCommands = ["improve", "user nope", "import nope", "suppress nope", "key nope", "person nope"];

test.each(unknownCommands.flatMap((line) => [line, `${line} --help`, `${line} -h`, `--help ${line}`, `help ${line}`]))(
  "an unknown command (%s) is refused, also where help of it is asked for",
  async (line) => {
    await using cli = await createCommandLine();
    const { exitCode, out, err } = await cli.run(...line.split(" "));
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("unknown command");
  },
);

test.each(["-v", "-V", "--version"])("%s shows the version", async (flag) => {
  await using cli = await createCommandLine();
  expect(await cli.run(flag)).toEqual({ exitCode: 0, out: `${version}\n`, err: "" });
});

test("version names the commit, the schemas, and the runtime", async () => {
  await using cli = await createCommandLine();
  const { out } = await cli.run("version");
  expect(out).toContain(`outreachd ${version}\n`);
  expect(out).toContain(`schema ${schema.sqlite} (SQLite) and ${schema.postgres} (PostgreSQL)`);
  expect(JSON.parse((await cli.run("version", "--json")).out)).toMatchObject({ version, commit: null, schema });
});

test.each(["nonsense", "user", "user create", "import leads", "serve --prot 1"])(
  "wrong usage (%s) ends with 2 and explains itself on standard error",
  async (line) => {
    await using cli = await createCommandLine();
    const { exitCode, out, err } = await cli.run(...line.split(" "));
    expect(exitCode).toBe(2);
    expect(out).toBe("");
    expect(err).not.toBe("");
  },
);

test("the flag that was meant is proposed, also beside flags that are right", async () => {
  await using cli = await createCommandLine();
  const { exitCode, err } = await cli.run("serve", "--data", "x", "--lisen", "127.0.0.1:1");
  expect(exitCode).toBe(2);
  expect(err).toContain("Did you mean --listen?");
});

test("flags are read in each form that they may have", async () => {
  await using cli = await createCommandLine({ app: { start: async () => cli.signals.send("SIGTERM") } });
  const { exitCode } = await cli.run("serve", "--data=x", "--metrics", "false", "--simulate", "--json");
  expect(exitCode).toBe(0);
  expect(cli.configs).toEqual([expect.objectContaining({ dataDir: "x", metrics: false, simulate: true })]);
});

test("help of serve tells of every option", async () => {
  await using cli = await createCommandLine();
  const [asked, looked] = [await cli.run("serve", "--data", "x", "--help"), await cli.run("help", "serve")];
  expect(asked.out).toContain("--max-import-bytes");
  expect(looked.out).toBe(asked.out);
});

test("every problem of the configuration is told, and nothing is started", async () => {
  await using cli = await createCommandLine({ env: { OUTREACHD_DRAIN_SECONDS: "soon", OUTREACHD_DAAT: "x" } });
  const { exitCode, err } = await cli.run("serve", "--listen", "nowhere");
  expect(exitCode).toBe(2);
  expect(err).toContain("  - --listen: Expected HOST:PORT");
  expect(err).toContain('  - OUTREACHD_DRAIN_SECONDS: Expected a whole number from 0 to 3600, got "soon".');
  expect(err).toContain("  - OUTREACHD_DAAT: Unknown variable. Did you mean OUTREACHD_DATA?");
  expect(cli.configs).toEqual([]);
});

test("`config` tells values and where they came from, also as JSON", async () => {
  await using cli = await createCommandLine({ env: { OUTREACHD_LISTEN: "[::1]:9000" } });
  const human = await cli.run("config");
  expect(human.out).toMatch(/listen +\[::1\]:9000 +environment +OUTREACHD_LISTEN/);
  const { options } = JSON.parse((await cli.run("config", "--json", "--log-level", "warn")).out);
  expect(options).toContainEqual(expect.objectContaining({ name: "log-level", value: "warn", origin: "flag" }));
});

test("`version` as JSON is one document", async () => {
  await using cli = await createCommandLine();
  const { exitCode, out } = await cli.run("version", "--json");
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ version: expect.any(String), bun: Bun.version });
});

test("a refusal of the API is shown with each of its problems and ends with 1", async () => {
  const errors = [
    { path: "email", message: "Not an email address." },
    { path: "role", message: "Unknown." },
  ];
  const api = () => refused(400, "VALIDATION_ERROR", "email: Not an email address. (and 1 more)", { errors });
  await using cli = await createCommandLine({ api });
  const human = await cli.run("user", "create", "x");
  expect(human).toMatchObject({ exitCode: 1, out: "" });
  expect(human.err).toBe(
    "Error: email: Not an email address. (and 1 more)\n  - email: Not an email address.\n  - role: Unknown.\n",
  );
  const json = await cli.run("user", "create", "x", "--json");
  expect(json).toMatchObject({ exitCode: 1, err: "" });
  expect(JSON.parse(json.out)).toMatchObject({ error: true, code: "VALIDATION_ERROR", problems: { length: 2 } });
});

test("an answer that is no JSON is told as such", async () => {
  await using cli = await createCommandLine({ api: () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });
  const { exitCode, err } = await cli.run("user", "list");
  expect(exitCode).toBe(1);
  expect(err).toBe(
    "Error: The server responded with 502, and not in the format of outreachd. Is it another program?\n",
  );
});

test("users are listed oldest first", async () => {
  const bob = { ...ada, id: "u-bob", email: "bob@example.com", name: null, createdAt: "2025-12-31T00:00:00.000Z" };
  await using cli = await createCommandLine({ api: () => userPage([ada, bob]) });
  const [heading, first, second] = (await cli.run("user", "list")).out.split("\n");
  expect(heading).toStartWith("EMAIL ");
  expect(first).toStartWith("bob@example.com ");
  expect(second).toStartWith("ada@example.com  Ada ");
});

/** Serves a list as the API does, 100 items a page. */
function paged(field: string, all: readonly object[]) {
  return ({ url }: Request): Response => {
    const from = Number(new URL(url).searchParams.get("cursor") ?? 0);
    const next = from + 100 < all.length ? `${from + 100}` : null;
    return success({ [field]: all.slice(from, from + 100), total: all.length, limit: 100, nextCursor: next });
  };
}

test("keys are listed beyond the first page", async () => {
  const key = { name: "key", hint: "oak_…", permissions: ["*"], isActive: true, userId: "u", usageCount: 0 };
  const times = { created_at: "2026-01-05T10:00:00.000Z", last_used_at: null, expires_at: null };
  const all = Array.from({ length: 250 }, (_, n) => ({ ...key, ...times, id: `k-${n}` }));
  await using cli = await createCommandLine({ api: paged("keys", all) });
  expect(JSON.parse((await cli.run("key", "list", "--json")).out).keys).toHaveLength(250);
});

test("users are listed beyond the first page", async () => {
  const team = Array.from({ length: 101 }, (_, index) => ({ ...ada, id: `u-${index}`, email: `${index}@example.com` }));
  const api = paged("users", team);
  await using cli = await createCommandLine({ api });
  expect(JSON.parse((await cli.run("user", "list", "--json")).out).users).toHaveLength(101);
});

test("credits are granted to a user by email in any case", async () => {
  let body: unknown = null;
  const api = async (request: Request) => {
    if (request.method === "GET") return userPage([ada]);
    body = await request.json();
    return success({ balance: 1500 });
  };
  await using cli = await createCommandLine({ api });
  const { exitCode, out } = await cli.run("user", "grant", "ADA@example.com", "500", "--note", "trial");
  expect(exitCode).toBe(0);
  expect(out).toBe("Granted 500 credits to ada@example.com; the balance is 1500.\n");
  expect(cli.calls).toContain("POST /api/v2/users/u-ada/credits");
  expect(body).toEqual({ amount: 500, note: "trial" });
});

test("each command that the help lists has its own help", async () => {
  await using cli = await createCommandLine();
  const { out } = await cli.run("--help");
  const listed = /Commands:\n((?: {2}.*\n)+)/.exec(out)?.[1] ?? "";
  const names = [...listed.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) expect((await cli.run(name, "--help")).out).toStartWith(`Usage: outreachd ${name} `);
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { publicKeyText, sign } from "../../src/lib/minisign/minisign.ts";
import { schema, version } from "../../src/platform/base/version.ts";
import { createCommandLine } from "../support/command-line.ts";

/** A command line whose data directory has a database with the first `count` migrations. */
async function commandLineOn(count: number, options: Parameters<typeof createCommandLine>[0] = {}) {
  const cli = await createCommandLine(options);
  using database = new Database(join(cli.directory, "outreachd.db"));
  migrate(database, migrations.slice(0, count), 1);
  return cli;
}

const key = generateKeyPairSync("ed25519").privateKey;
const manifest = JSON.stringify({
  name: "outreachd",
  version: "99.0.0",
  commit: "0a1b2c",
  date: "2026-11-28T10:00:00.000Z",
});

/** Publishes a release, and counts requests. */
function publish(text = manifest) {
  const files: Record<string, string> = {
    "/latest/manifest.json": text,
    "/latest/manifest.json.minisig": sign(Buffer.from(manifest), key, "outreachd 99.0.0"),
  };
  const seen: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      seen.push(pathname);
      return files[pathname] === undefined ? new Response("", { status: 404 }) : new Response(files[pathname]);
    },
  });
  return { url: `${server.url.origin}/latest`, seen, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("a database of this version needs no upgrade, and none is made without --check", async () => {
  await using cli = await commandLineOn(migrations.length);
  const { exitCode, out } = await cli.run("upgrade", "--check");
  expect(exitCode).toBe(0);
  expect(out).toContain(`This program     ${version} (schema ${schema.sqlite})\n`);
  expect(out).toContain("Running server   none\n");
  expect(out).toContain("It matches this program");
  const bare = await cli.run("upgrade");
  expect(bare.exitCode).toBe(2);
  expect(bare.err).toContain("replace the executable");
});

test("pending migrations and the copy that precedes them are named, and nothing is changed", async () => {
  await using cli = await commandLineOn(migrations.length - 2);
  for (const _ of [1, 2]) {
    const { exitCode, out } = await cli.run("upgrade", "--check", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      program: { version, schema: schema.sqlite },
      server: null,
      isPossible: true,
      database: { pending: migrations.slice(-2).map(({ name }) => name), copyBytes: expect.any(Number), problem: null },
      release: null,
    });
  }
  expect((await cli.run("upgrade", "--check")).out).toContain("The first start runs 2 migrations, up to ");
});

test("a database of a newer version is reported with the exit code 1", async () => {
  await using cli = await commandLineOn(migrations.length);
  using database = new Database(join(cli.directory, "outreachd.db"));
  database.run("INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', 'x', 1)");
  const { exitCode, out } = await cli.run("upgrade", "--check");
  expect(exitCode).toBe(1);
  expect(out).toContain("written by a newer outreachd");
});

test("the running server says which build it is, unless it is too old to know", async () => {
  for (const [health, text] of [
    [{ server: { version: "0.0.9", commit: "0a1b2c", schema: 7 } }, "0.0.9 (commit 0a1b2c, schema 7)"],
    [{}, "a version that does not report itself"],
  ] as const) {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(health) });
    const running = { pid: 1, url: server.url.origin, localKey: "local" };
    await using cli = await commandLineOn(migrations.length, { backend: { readRunningServer: () => running } });
    expect((await cli.run("upgrade", "--check")).out).toContain(`Running server   ${text}\n`);
  }
});

test("a published release is read only if its place is given, and verified with a key", async () => {
  await using release = publish();
  await using cli = await commandLineOn(migrations.length);
  await cli.run("upgrade", "--check");
  expect(release.seen).toEqual([]);
  const unverified = await cli.run("upgrade", "--check", "--from", release.url);
  expect(unverified.out).toContain(
    "Published        99.0.0 of 2026-11-28: newer than this program; signature not checked",
  );
  const verified = await cli.run("upgrade", "--check", "--from", `${release.url}/`, "--public-key", publicKeyText(key));
  expect(verified.out).toContain("signature verified");
});

test("a manifest that was changed, is signed by another key, or is none is refused", async () => {
  await using changed = publish(manifest.replace("99.0.0", "99.0.1"));
  await using page = publish("<html>");
  await using cli = await commandLineOn(migrations.length);
  const check = (url: string, ...args: string[]) => cli.run("upgrade", "--check", "--from", url, ...args);
  const wrong = await check(changed.url, "--public-key", publicKeyText(key));
  expect(wrong.exitCode).toBe(1);
  expect(wrong.err).toContain("manifest.json is not signed with this key: The signature does not match.");
  expect((await check(page.url)).err).toContain("is not the manifest of a release of outreachd.");
  expect(await check(`${page.url}/none`)).toMatchObject({ exitCode: 3, err: expect.stringContaining("404") });
});

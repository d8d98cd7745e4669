import { afterAll, beforeAll, expect, test } from "bun:test";
import { pino } from "pino";
import type { Sql } from "postgres";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { openDatabase } from "../../src/app/database.ts";
import { StartError } from "../../src/platform/base/start-error.ts";
import { createAppNodes } from "../support/app-nodes.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const prefix = `start_${process.pid}`;
const other = `${prefix}_other`;
let database: TestDatabase;
let admin: Sql;

/** Creates databases and roles, which have the name of the test run in front. */
const run = (statement: string) => admin.unsafe(statement);

beforeAll(async () => {
  database = await createTestDatabase();
  admin = connect(database.url, { poolSize: 1 });
  await run(`CREATE ROLE ${prefix} LOGIN`);
});

afterAll(async () => {
  await run(`DROP DATABASE IF EXISTS ${other} WITH (FORCE)`);
  await run(`DROP OWNED BY ${prefix}`);
  await run(`DROP ROLE ${prefix}`);
  await admin.end();
  await database.drop();
});

/** The URL of the test's database, of another one, or of another user. */
function urlOf({ name, user, query = "" }: { name?: string; user?: string; query?: string }): string {
  const url = new URL(database.url);
  if (name !== undefined) url.pathname = `/${name}`;
  if (user !== undefined) url.username = user;
  return url.href + query;
}

/** Runs `statements` in a new database. */
async function createOther(options: string, ...statements: string[]): Promise<string> {
  await run(`DROP DATABASE IF EXISTS ${other} WITH (FORCE)`);
  await run(`CREATE DATABASE ${other} ${options}`);
  const url = urlOf({ name: other });
  if (statements.length > 0) {
    const client = connect(url, { poolSize: 1 });
    for (const statement of statements) await client.unsafe(statement);
    await client.end();
  }
  return url;
}

async function refusalOf(url: string): Promise<{ message: string; hint: string }> {
  const options = { url, poolSize: 3, prepare: true, role: "all" } as const;
  const error = await openDatabase(options, null, null, pino({ level: "silent" })).catch((reason: unknown) => reason);
  if (!(error instanceof StartError)) throw new Error("Expected a refusal", { cause: error });
  expect(error.hint).toEndWith(".");
  return { message: error.message, hint: error.hint ?? "" };
}

test("a user without privileges in the schema is told which one to grant", async () => {
  const url = new URL(await createOther("TEMPLATE template0"));
  url.username = prefix;
  const { message, hint } = await refusalOf(url.href);
  expect(message).toContain("may not create tables");
  expect(hint).toContain("ON SCHEMA public");
});

test("a database without a schema is refused", async () => {
  const { message, hint } = await refusalOf(await createOther("", "DROP SCHEMA public"));
  expect(message).toContain("has no schema that its user may use");
  expect(hint).toContain("CREATE SCHEMA");
  expect((await refusalOf(urlOf({ query: "?search_path=nowhere" }))).hint).toContain("search_path");
});

test("a database whose encoding lacks characters is refused before anything is stored in it", async () => {
  const url = await createOther("ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0");
  expect((await refusalOf(url)).message).toContain("stores text as LATIN1, not as UTF8");
  const client = connect(url, { poolSize: 1 });
  expect(await client`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
  await client.end();
});

test("tables of another program are left alone", async () => {
  const url = await createOther("", "CREATE TABLE users (id INTEGER)");
  const { message, hint } = await refusalOf(url);
  expect(message).toContain("has tables of another program");
  expect(hint).toContain("Create a database");
});

test("a user or a database without a connection left is named", async () => {
  await run(`CREATE ROLE ${prefix}_none LOGIN CONNECTION LIMIT 0`);
  try {
    const { message, hint } = await refusalOf(urlOf({ user: `${prefix}_none` }));
    expect(message).toContain(`too many connections for role "${prefix}_none"`);
    expect(hint).toContain("CONNECTION LIMIT");
  } finally {
    await run(`DROP ROLE ${prefix}_none`);
  }
});

test("what PostgreSQL says is passed on if the program knows no more about it", async () => {
  await createOther("ALLOW_CONNECTIONS false");
  const closed = await refusalOf(urlOf({ name: other }));
  expect(closed.message).toStartWith(`Cannot use the database postgres://postgres@`);
  expect(closed.message).toEndWith(
    `database "${other}" is not currently accepting connections (PostgreSQL error 55000).`,
  );
  const { message, hint } = await refusalOf(urlOf({ query: "?foo=banana" }));
  expect(message).toContain('unrecognized configuration parameter "foo"');
  expect(hint).toContain("its parameters");
});

test("a database that does not exist is named", async () => {
  const { message, hint } = await refusalOf(urlOf({ name: `${prefix}_missing` }));
  expect(message).toContain("does not exist");
  expect(hint).toContain("createdb");
});

test("a server that closes each connection is named at once", async () => {
  const url = new URL(database.url);
  await using proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  proxy.refuse();
  const { message, hint } = await refusalOf(url.href);
  expect(message).toContain("closed the connection");
  expect(hint).toContain("proxy");
});

test("a node whose user may not read a table does not start, and says which", async () => {
  await using nodes = await createAppNodes();
  const owner = connect(nodes.database.url, { poolSize: 1 });
  await owner.unsafe(`GRANT ALL ON SCHEMA public TO ${prefix}`);
  await owner.unsafe(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${prefix}`);
  await owner.unsafe(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${prefix}`);
  await owner.unsafe(`REVOKE ALL ON users FROM ${prefix}`);
  try {
    const url = new URL(nodes.database.url);
    url.username = prefix;
    const error = await nodes.start({ OUTREACHD_DATABASE: url.href }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).message).toContain("lacks a privilege. (permission denied for table users)");
  } finally {
    await owner.unsafe(`DROP OWNED BY ${prefix}`);
    await owner.end();
  }
});

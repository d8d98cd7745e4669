import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usableConnection } from "../../src/app/database.ts";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { StartError } from "../../src/platform/base/start-error.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

setDefaultTimeout(120_000);

/** A server takes up new certificates when it reloads its configuration; other tests do not use TLS. */
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "outreachd-tls-"));
  chmodSync(folder, 0o755);
});

afterAll(async () => {
  await configure(["ssl = off"]);
  await database.release();
  rmSync(folder, { recursive: true, force: true });
});

async function configure(settings: readonly string[]): Promise<void> {
  const client = connect(database.url, { poolSize: 1 });
  for (const setting of settings) await client.unsafe(`ALTER SYSTEM SET ${setting}`);
  await client`SELECT pg_reload_conf()`;
  await client.end();
}

/** A server certificate that is its own authority. */
async function serveCertificate(name: string, subjectAltName: string): Promise<string> {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=outreachd-test"];
  const files = ["-addext", `subjectAltName=${subjectAltName}`, "-keyout", key, "-out", certificate];
  const { status, stderr } = spawnSync("openssl", [...request, ...files], { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, 65_534, 65_534);
  await configure([`ssl_cert_file = '${certificate}'`, `ssl_key_file = '${key}'`, "ssl = on"]);
  // The postmaster reloads a moment after it says so.
  for (let tries = 0; tries < 200; tries++) {
    if ((await failureOf(`sslmode=verify-ca&sslrootcert=${certificate}`)) === null) return certificate;
    await Bun.sleep(50);
  }
  throw new Error(`PostgreSQL does not serve ${certificate}`);
}

const withQuery = (query: string, host = "127.0.0.1") => `${database.url.replace("127.0.0.1", host)}?${query}`;

/** Null if the database can be used. */
async function failureOf(query: string, host?: string): Promise<string | null> {
  try {
    await usableConnection(withQuery(query, host), true);
    return null;
  } catch (error) {
    if (error instanceof StartError) return `${error.message} ${error.hint}`;
    throw error;
  }
}

async function isEncrypted(query: string): Promise<boolean> {
  const client = connect(withQuery(query), { poolSize: 1 });
  const [row] = await client<{ ssl: boolean }[]>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
  await client.end();
  return row!.ssl;
}

test("a server without TLS is used with prefer, and refused by modes that need TLS", async () => {
  expect(await isEncrypted("sslmode=prefer")).toBe(false);
  expect(await failureOf("sslmode=require")).toContain("sslmode");
  expect(await failureOf("sslmode=verify-full")).toContain("sslmode");
});

test("a private authority is trusted by its file, and its absence is explained", async () => {
  const authority = await serveCertificate("right", "IP:127.0.0.1");
  const root = `sslrootcert=${authority}`;
  expect(await isEncrypted("sslmode=disable")).toBe(false);
  expect(await isEncrypted("sslmode=prefer")).toBe(true);
  expect(await isEncrypted("sslmode=require&channel_binding=require")).toBe(true);
  expect(await isEncrypted(`sslmode=verify-full&${root}`)).toBe(true);
  for (const mode of ["verify-full", "verify-ca"])
    expect(await failureOf(`sslmode=${mode}`)).toContain("Add sslrootcert=FILE to OUTREACHD_DATABASE");
});

test("a certificate for another name or address is refused by verify-full only", async () => {
  const root = `sslrootcert=${await serveCertificate("other", "DNS:localhost")}`;
  expect(await failureOf(`sslmode=verify-full&${root}`, "localhost")).toBeNull();
  expect(await failureOf(`sslmode=verify-full&${root}`, "127.0.0.1")).toContain("is for another host name");
  expect(await failureOf(`sslmode=verify-ca&${root}`, "127.0.0.1")).toBeNull();
  const address = `sslrootcert=${await serveCertificate("address", "IP:127.0.0.1")}`;
  expect(await failureOf(`sslmode=verify-full&${address}`, "localhost")).toContain("is for another host name");
});

import { expect, test } from "bun:test";
import { loadConfig } from "../../src/app/config/config.ts";
import { driverConnection, parseConnectionUrl } from "../../src/platform/base/database-url.ts";

const base = "postgres://ada:secret@db.example.com:5432/outreachd";
const noFiles = { rootFile: null, certificateFile: null, keyFile: null };
const tlsOf = (query: string) => parseConnectionUrl(`${base}?${query}`).tls;

test("a URL without parameters stays as it is", () => {
  expect(parseConnectionUrl(base)).toEqual({ url: base, tls: null });
  expect(driverConnection(base)).toEqual({ url: base });
});

test("parameters of libpq are not sent to the server, settings are", () => {
  const query =
    "sslmode=require&channel_binding=require&gssencmode=prefer&keepalives_idle=30&target_session_attrs=any&search_path=a%20b";
  expect(parseConnectionUrl(`${base}?${query}`)).toEqual({
    url: `${base}?search_path=a+b`,
    tls: { mode: "require", ...noFiles },
  });
  expect(parseConnectionUrl(`${base}?target_session_attrs=read-write`).url).toBe(
    `${base}?target_session_attrs=read-write`,
  );
});

test.each([
  ["sslmode=disable", "disable", null],
  ["sslmode=allow", "prefer", null],
  ["sslmode=prefer", "prefer", null],
  ["sslmode=require", "require", null],
  ["sslmode=require&sslrootcert=/ca.pem", "verify-ca", "/ca.pem"],
  ["sslmode=verify-ca&sslrootcert=/ca.pem", "verify-ca", "/ca.pem"],
  ["sslmode=verify-full", "verify-full", null],
  ["sslmode=verify-full&sslrootcert=system", "verify-full", null],
  ["sslrootcert=system", "verify-full", null],
  ["ssl=true", "verify-full", null],
  ["ssl=require", "require", null],
] as const)("%s means %s", (query, mode, rootFile) => {
  expect(tlsOf(query)).toEqual({ mode, ...noFiles, rootFile });
});

test.each([
  ["sslmode=always", "Expected one of disable, allow, prefer, require, verify-ca, verify-full as sslmode."],
  ["sslrootcert=/ca.pem", "need sslmode"],
  ["sslmode=require&sslrootcert=system", "needs sslmode=verify-full"],
  ["sslmode=require&sslcert=/me.pem", "sslcert and sslkey belong together"],
  ["channel_binding=require", "needs TLS"],
  ["sslmode=prefer&channel_binding=require", "needs TLS"],
  ["gssencmode=require", "GSSAPI"],
  ["target_session_attrs=master", "as target_session_attrs"],
  ["sslmode=require&require_auth=scram-sha-256", "The parameter require_auth is not supported"],
  ["host=/run/postgresql", "The parameter host is not supported"],
])("%s is refused", (query, words) => {
  expect(() => tlsOf(query)).toThrow(words);
});

test("certificates are verified with verify-ca and verify-full only, host names with verify-full only", () => {
  const sslOf = (url: string) => driverConnection(url).ssl as { checkServerIdentity?: Function };
  expect(driverConnection(`${base}?sslmode=disable`).ssl).toBe(false);
  expect(driverConnection(`${base}?sslmode=prefer`).ssl).toBe("prefer");
  expect(driverConnection(`${base}?sslmode=require`).ssl).toEqual({ rejectUnauthorized: false });
  expect(driverConnection(`${base}?sslmode=verify-full`).ssl).toEqual({ rejectUnauthorized: true });
  const other = { subject: { CN: "other" }, subjectaltname: "IP Address:192.0.2.2" };
  expect(sslOf(`${base}?sslmode=verify-ca`).checkServerIdentity?.("db.example.com", other)).toBeUndefined();
  const byAddress = sslOf("postgres://ada@192.0.2.1/x?sslmode=verify-full");
  expect(byAddress.checkServerIdentity?.("", other)).toBeInstanceOf(Error);
});

test("a file that is missing or no certificate is a problem of the configuration, without the password", () => {
  const load = (file: string) =>
    loadConfig({ flags: {}, env: { OUTREACHD_DATABASE: `${base}?sslmode=verify-full&sslrootcert=${file}` } });
  expect(() => load("/nowhere/ca.pem")).toThrow("Cannot read the file of sslrootcert, /nowhere/ca.pem (ENOENT).");
  expect(() => load("/nowhere/ca.pem")).not.toThrow("secret");
  expect(() => driverConnection(`${base}?sslmode=verify-full&sslrootcert=${import.meta.dir}/../../LICENSE`)).toThrow(
    "is not in PEM format",
  );
});

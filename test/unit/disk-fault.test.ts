import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFaultOf } from "../../src/platform/base/disk-fault.ts";
import { createLog } from "../../src/platform/base/log.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "outreachd-fault-"));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("errors as they really come", () => {
  test("a database that may not grow is full", () => {
    using database = new Database(":memory:");
    database.run("CREATE TABLE notes (body BLOB)");
    database.run("PRAGMA max_page_count = 4");
    const error = thrownBy(() => database.run("INSERT INTO notes VALUES (zeroblob(100000))"));
    expect(diskFaultOf(error)).toMatchObject({ kind: "full", words: "the disk is full" });
  });

  test("a database that was opened for reading alone is read-only", () => {
    const path = join(root, "read-only.db");
    new Database(path).run("CREATE TABLE notes (body BLOB)");
    using database = new Database(path, { readonly: true });
    expect(diskFaultOf(thrownBy(() => database.run("DELETE FROM notes")))?.kind).toBe("readOnly");
  });

  test("a database that can't be opened is read-only", () => {
    expect(diskFaultOf(thrownBy(() => new Database(join(root, "nowhere/x.db"))))?.kind).toBe("readOnly");
  });

  test.skipIf(!existsSync("/dev/full"))("a file without room is full, also as the cause of another error", async () => {
    await using file = await open("/dev/full", "w");
    const error = await file.write("x").catch((cause: unknown) => cause);
    expect(diskFaultOf(error)?.kind).toBe("full");
    expect(diskFaultOf(new Error("The upload failed", { cause: error }))?.kind).toBe("full");
  });
});

test.each<[string, Record<string, string>, string | null]>([
  ["a quota that is used up", { code: "EDQUOT" }, "full"],
  ["no room for the index of the log", { code: "SQLITE_IOERR_SHMSIZE" }, "full"],
  ["a read-only mount", { code: "EROFS" }, "readOnly"],
  ["a directory that may not be written to", { code: "SQLITE_READONLY_DIRECTORY" }, "readOnly"],
  ["a file of somebody else", { code: "EACCES", path: "/data/blobs" }, "readOnly"],
  ["a port that needs more rights", { code: "EACCES", syscall: "listen" }, null],
  ["a failed write", { code: "SQLITE_IOERR_WRITE" }, "failing"],
  ["a bad sector", { code: "EIO" }, "failing"],
  ["a file that is absent", { code: "ENOENT", path: "/data/blobs/x" }, null],
  ["a broken constraint", { code: "SQLITE_CONSTRAINT_UNIQUE" }, null],
  ["a busy database", { code: "SQLITE_BUSY" }, null],
])("%s is told apart by its code", (_what, fields, kind) => {
  expect(diskFaultOf(Object.assign(new Error("No"), fields))?.kind ?? null).toBe(kind as null);
});

test("what is no error is no fault of the disk", () => {
  for (const thrown of [undefined, null, "ENOSPC", { code: "ENOSPC" }]) expect(diskFaultOf(thrown)).toBeNull();
});

test("a line of the log tells a fault of the disk in words and without a stack", () => {
  const lines: string[] = [];
  const log = createLog("error", { write: (line) => void lines.push(line) });
  log.error({ err: Object.assign(new Error("no space left"), { code: "ENOSPC" }) }, "failed");
  log.error({ err: new TypeError("A fault of ours") }, "failed");
  const [disk, ours] = lines.map((line) => JSON.parse(line) as { err: Record<string, unknown> });
  expect(disk?.err).toMatchObject({ message: "the disk is full", reason: "no space left", code: "ENOSPC" });
  expect(disk?.err["stack"]).toBeUndefined();
  expect(ours?.err).toMatchObject({ type: "TypeError", stack: expect.stringContaining("A fault of ours") });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("Expected it to throw");
}

describe("a database on another machine", () => {
  const coded = (code: string) => Object.assign(new Error("x"), { code });
  const ofQuery = (cause: Error) =>
    Object.assign(new Error("Failed query: select 1", { cause }), { query: "select 1" });

  test.each([
    ["57P01", "databaseUnreachable"],
    ["57P03", "databaseUnreachable"],
    ["08006", "databaseUnreachable"],
    ["CONNECT_TIMEOUT", "databaseUnreachable"],
    ["CONNECTION_CLOSED", "databaseUnreachable"],
    ["DATABASE_UNREACHABLE", "databaseUnreachable"],
    ["53100", "databaseFull"],
    ["25006", "databaseReadOnly"],
  ])("%s is %s, also when a query failed by it", (code, kind) => {
    expect<string | undefined>(diskFaultOf(coded(code))?.kind).toBe(kind);
    expect<string | undefined>(diskFaultOf(ofQuery(coded(code)))?.kind).toBe(kind);
  });

  test("a refused connection is the database's only if a query failed by it", () => {
    expect(diskFaultOf(coded("ECONNREFUSED"))).toBeNull();
    expect(diskFaultOf(ofQuery(coded("ECONNREFUSED")))?.kind).toBe("databaseUnreachable");
  });

  test("an error of a query is none", () => {
    expect(diskFaultOf(ofQuery(coded("23505")))).toBeNull();
  });

  test("the log has the failed query, and neither its parameters nor what the database quotes", () => {
    const lines: string[] = [];
    const cause = Object.assign(new Error("duplicate key"), { code: "23505", detail: "Key (email)=(ada@x.example)" });
    const failed = Object.assign(new Error("Failed query: select $1\nparams: ada@x.example", { cause }), {
      query: "select $1",
      params: ["ada@x.example"],
    });
    const log = createLog("info", { write: (line) => void lines.push(line) });
    log.error({ err: failed }, "failed");
    expect(lines.join("")).not.toContain("ada@x.example");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      err: { type: "FailedQuery", message: "duplicate key", code: "23505", query: "select $1" },
    });
  });
});

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskScratchFiles } from "../../src/adapters/blobs/scratch-files.ts";
import { HeldFiles } from "../../src/platform/imports/held-files.ts";

const root = mkdtempSync(join(tmpdir(), "outreachd-held-"));
afterAll(() => rmSync(root, { recursive: true }));
const signal = new AbortController().signal;

async function* bytes(text: string) {
  yield new TextEncoder().encode(text);
}

test("the files of requests are empty at the start, and are gone once they are disposed of or not complete", async () => {
  const directory = join(root, "life");
  mkdirSync(directory);
  writeFileSync(join(directory, "1"), "of a process that died");
  const files = new DiskScratchFiles(directory, 10);
  expect(await files.receive(broken()).catch(String)).toContain("The client is gone");
  {
    using file = await files.receive(bytes("content"));
    expect(readFileSync(file.path, "utf8")).toBe("content");
    expect(await files.receive(bytes("more")).catch(String)).toContain("All 10 bytes");
  }
  {
    using file = await files.receive(bytes("0123456789"));
    expect(readFileSync(file.path, "utf8")).toBe("0123456789");
  }
  while (readdirSync(directory).length > 0) await Bun.sleep(1);
});

test("a workspace has some requests in progress and all workspaces a few more; others get 429 and 503", async () => {
  const held = new HeldFiles(new DiskScratchFiles(join(root, "limits"), 1000), "previews", { perOwner: 2, total: 3 });
  const ends = ["w1", "w1", "w2"].map((workspaceId) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = held.hold(workspaceId, bytes("x"), () => promise);
    return async () => (resolve(), await done);
  });
  const codeFor = (workspaceId: string) =>
    held.hold(workspaceId, bytes("x"), async () => "held").catch((error: { code: string }) => error.code);
  expect(await codeFor("w1")).toBe("RATE_LIMIT_EXCEEDED");
  expect(await codeFor("w2")).toBe("SERVICE_UNAVAILABLE");
  await ends[0]!();
  expect(await codeFor("w1")).toBe("held");
  await Promise.all(ends.map((end) => end()));
  const failed = held.hold("w1", bytes("x"), () => Promise.reject(new Error("Not a workbook")));
  expect(await failed.catch(String)).toContain("Not a workbook");
  expect(await codeFor("w1")).toBe("held");
});

test("those that ask for their turn have it one after another", async () => {
  const held = new HeldFiles(new DiskScratchFiles(join(root, "turns"), 1000), "previews", { perOwner: 9, total: 9 });
  let active = 0;
  let most = 0;
  const read = () =>
    held.hold("w1", bytes("x"), async ({ turn }) => {
      await turn(signal);
      most = Math.max(most, ++active);
      await Bun.sleep(1);
      active--;
    });
  await Promise.all(Array.from({ length: 5 }, read));
  expect([most, active]).toEqual([1, 0]);
});

async function* broken() {
  yield* bytes("partial");
  throw new Error("The client is gone");
}

import { expect, setDefaultTimeout } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "../support/program.ts";
import { mountSmallDisk, testOnSmallDisk } from "../support/small-disk.ts";
import { beep, cloneForm, clonesPath } from "../support/voices.ts";

setDefaultTimeout(60_000);

const megabyte = 2 ** 20;

testOnSmallDisk(
  "a disk that gets full in the middle of an upload is the reason that is told, and nothing of it stays",
  async () => {
    await using disk = mountSmallDisk(24 * megabyte);
    const dataDir = join(disk.path, "data");
    await using server = await startServer(dataDir);
    const send = (files: [string, Uint8Array][]) =>
      fetch(server.url + clonesPath, {
        method: "POST",
        headers: { "x-api-key": server.firstRun!.key },
        body: cloneForm(files),
      });
    const large = new Uint8Array(16 * megabyte);
    large.set(beep());
    const other = large.slice();
    other[other.length - 1] = 1;
    const refused = await send([
      ["a.wav", large],
      ["b.wav", other],
    ]);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringContaining("disk is full"),
    });
    expect(await readdir(join(dataDir, "blobs/voice"))).toEqual([]);
    const after = await send([["a.wav", beep(2)]]);
    expect(after.status).toBe(200);
  },
);

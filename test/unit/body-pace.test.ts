import { expect, test } from "bun:test";
import { paced, WholeBodies } from "../../src/platform/http/input.ts";

const second = 1000;
/** Chunks of so many bytes, each after a pause. */
async function* chunks(clock: { now: number }, count: number, bytes: number, pauseMs: number) {
  for (let n = 0; n < count; n++) {
    clock.now += pauseMs;
    yield new Uint8Array(bytes);
  }
}

async function received(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return bytes;
}

test("a recording of 50 MB over a slow line is taken", async () => {
  const clock = { now: 0 };
  // 20 KiB a second: forty-two minutes.
  const body = chunks(clock, 2560, 20 * 1024, second);
  expect(await received(paced(body, null, () => clock.now))).toBe(2560 * 20 * 1024);
});

test("a byte every now and then is refused after a minute, and nothing more is read", async () => {
  const clock = { now: 0 };
  const body = chunks(clock, 1000, 1, 5 * second);
  await expect(received(paced(body, null, () => clock.now))).rejects.toMatchObject({
    code: "REQUEST_TIMEOUT",
    status: 408,
  });
  expect(clock.now).toBe(65 * second);
  expect((await body.next()).done).toBe(true);
});

test("the time that the reader takes is not counted", async () => {
  const clock = { now: 0 };
  let bytes = 0;
  for await (const chunk of paced(chunks(clock, 10, 1, second), null, () => clock.now)) {
    clock.now += 60 * second;
    bytes += chunk.byteLength;
  }
  expect(bytes).toBe(10);
});

test("a body that is read in one piece is waited for as long, and no longer", async () => {
  const clock = { now: 0 };
  const bodies = new WholeBodies(() => clock.now, 1);
  const never = bodies.within(new Promise<string>(() => {}), 16 * 1024);
  const late = Promise.withResolvers<string>();
  const arriving = bodies.within(late.promise, 160 * 1024);
  clock.now = 62 * second;
  await expect(never).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
  late.resolve("here");
  expect(await arriving).toBe("here");
});

test("a body that is there already is answered at once, and what fails fails as it did", async () => {
  const bodies = new WholeBodies();
  expect(await bodies.within(Promise.resolve("here"), 4)).toBe("here");
  const broken = Promise.withResolvers<string>();
  const reading = bodies.within(broken.promise, 4);
  broken.reject(new Error("gone"));
  await expect(reading).rejects.toThrow("gone");
});

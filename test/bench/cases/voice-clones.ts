import { open } from "node:fs/promises";
import { join } from "node:path";
import { wavHeader, wavSamples } from "../../../src/lib/audio/audio.ts";
import { loadFlite } from "../../../src/lib/voice-engine/voice-assets.ts";
import { load } from "../load.ts";
import type { BenchCase, Measure } from "../report.ts";
import { createHome, fillWithLeads, memoryOf, startServer, withDirectory, type Home, type Server } from "../server.ts";

const largeBytes = 49 * 2 ** 20;
const files = 10;
const hundredCharacters =
  "Hi Maria, thanks for connecting, I saw your post on robotics and would love to hear more about it. OK?";

/** Uploads and trainings must not be felt by those who work meanwhile, and must not fill the memory. */
export const voiceClones: BenchCase = {
  about: `voice clones: ${files} files of 49 MB, taken in and trained from, lists of leads read meanwhile`,
  run: () => withDirectory(measure),
};

async function measure(directory: string): Promise<Measure[]> {
  const paths = await writeRecordings(directory);
  const home = await createHome(join(directory, "home"));
  await fillWithLeads(home, 2, 10_000);
  const server = await startServer(home);
  try {
    const alone = await meanwhile(server, home, () => Bun.sleep(5000));
    // Without a name the form is refused, but not before its files were taken in: no training disturbs the numbers.
    const one = await meanwhile(server, home, () => upload(server, home, paths, null));
    const four = await meanwhile(server, home, () =>
      Promise.all([1, 2, 3, 4].map(() => upload(server, home, paths, null))),
    );
    const minute = await meanwhile(server, home, () => train(server, home, [join(directory, "minute.wav")]));
    const voiceId = await train(server, home, [join(directory, "minute.wav")]);
    const trained = await firstByteMs(server, home, voiceId, hundredCharacters);
    const warm = await firstByteMs(server, home, voiceId, `${hundredCharacters} `.replace("Maria", "Marta"));
    const most = await meanwhile(server, home, () => train(server, home, paths));
    await server.stop();
    const cold = await coldFirstByteMs(home, voiceId, hundredCharacters.replace("Maria", "Martha"));
    return [
      { name: "lists alone, p99", value: alone.p99Ms, unit: "ms" },
      ...upTo("upload", one, { residentMB: 100 }),
      ...upTo("four uploads at once", four, { residentMB: 100 }),
      ...upTo("training from a minute of speech", minute, { seconds: 25 }),
      { name: "preview of 100 characters, first byte, after a start", value: cold, unit: "ms", goal: { atMost: 1000 } },
      { name: "preview of 100 characters, first byte, new clone", value: trained, unit: "ms", goal: { atMost: 1000 } },
      { name: "preview of 100 characters, first byte, warm", value: warm, unit: "ms", goal: { atMost: 1000 } },
      ...upTo("upload of and training from 490 MB", most, { seconds: 300, peakMB: 600 }),
    ];
  } finally {
    await server.stop();
  }
}

type Observed = { seconds: number; growthMB: number; peakMB: number; p99Ms: number };

/** Watches the server's memory and how quick its lists are while the work goes on. */
async function meanwhile(server: Server, home: Home, work: () => Promise<unknown>): Promise<Observed> {
  const before = (await memoryOf(server.pid)).resident;
  let peak = before;
  let isDone = false;
  const startedAt = performance.now();
  const done = work().finally(() => (isDone = true));
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, (await memoryOf(server.pid)).resident);
      await Bun.sleep(20);
    }
  })();
  const lists = {
    port: server.port,
    method: "GET",
    path: "/api/v2/leads?limit=50",
    headers: { "x-api-key": home.key },
    connections: 2,
    pauseMs: 20,
    warmUpMs: 200,
    durationMs: 600_000,
  } as const;
  const [{ p99Ms }] = await Promise.all([load(lists, { until: done }), watching, done]);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    growthMB: (peak - before) / 1e6,
    peakMB: peak / 1e6,
    p99Ms,
  };
}

function upTo(
  name: string,
  { seconds, growthMB, peakMB, p99Ms }: Observed,
  goals: { seconds?: number; residentMB?: number; peakMB?: number },
): Measure[] {
  const goal = (atMost: number | undefined) => (atMost === undefined ? {} : { goal: { atMost } });
  return [
    { name: `${name}, time`, value: seconds * 1000, unit: "ms", ...goal(goals.seconds && goals.seconds * 1000) },
    { name: `${name}, resident memory, growth`, value: growthMB, unit: "MB", ...goal(goals.residentMB) },
    { name: `${name}, resident memory, peak`, value: peakMB, unit: "MB", ...goal(goals.peakMB) },
    { name: `${name}, lists meanwhile, p99`, value: p99Ms, unit: "ms", goal: { atMost: 20 } },
  ];
}

async function upload(
  server: Server,
  home: Home,
  paths: readonly string[],
  name: string | null,
): Promise<string | null> {
  const form = new FormData();
  if (name !== null) form.set("name", name);
  for (const path of paths) form.append("files", Bun.file(path));
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v2/voice-clones`, {
    method: "POST",
    headers: { "x-api-key": home.key },
    body: form,
  });
  const body = (await response.json()) as { data?: { voiceId: string }; message: string };
  if (response.status !== (name === null ? 400 : 200)) throw new Error(`The upload was answered: ${body.message}`);
  return body.data?.voiceId ?? null;
}

async function train(server: Server, home: Home, paths: readonly string[]): Promise<string> {
  const voiceId = await upload(server, home, paths, "Bench");
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v2/voice-clones/${voiceId}`, {
      headers: { "x-api-key": home.key },
    });
    const { data } = (await response.json()) as { data: { status: string; message: string } };
    if (data.status === "failed") throw new Error(`The training failed: ${data.message}`);
    if (data.status === "ready") return voiceId!;
    await Bun.sleep(200);
  }
}

/** The first preview of all: nothing that speaks is loaded yet. */
async function coldFirstByteMs(home: Home, voiceId: string, text: string): Promise<number> {
  const server = await startServer(home);
  try {
    await Bun.sleep(1000); // what a start does after it is ready is not the preview's
    return await firstByteMs(server, home, voiceId, text);
  } finally {
    await server.stop();
  }
}

async function firstByteMs(server: Server, home: Home, voiceId: string, text: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v2/voice-clones/${voiceId}/preview`, {
    method: "POST",
    headers: { "x-api-key": home.key, "content-type": "application/json" },
    body: JSON.stringify({ text: text.trim() }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  const ms = performance.now() - startedAt;
  while (!(await reader.read()).done);
  return ms;
}

/** Speech and pauses at 44.1 kHz: ten files that differ in their last sample, and a minute. */
async function writeRecordings(directory: string): Promise<string[]> {
  const flite = await loadFlite();
  const said = flite.speak("Rice is often served in round bowls, while the juice of lemons makes fine punch.", "slt");
  // Samples are held and written once for each channel of a stereo file: how it sounds does not matter here.
  const factor = 2 * 2.75625;
  const held = Float32Array.from(
    { length: 2 * Math.floor(said.length * 2.75625) },
    (_, i) => said[Math.floor(i / factor)]!,
  );
  const block = wavSamples(held);
  async function write(name: string, bytes: number, last: number): Promise<string> {
    const path = join(directory, name);
    const file = await open(path, "w");
    const header = wavHeader(44_100, { samples: (bytes - 44) >> 1 });
    const view = new DataView(header.buffer);
    view.setUint16(22, 2, true);
    view.setUint32(28, 44_100 * 4, true);
    view.setUint16(32, 4, true);
    await file.write(header);
    for (let at = 44; at < bytes - 4; at += block.length)
      await file.write(block, 0, Math.min(block.length, bytes - 4 - at));
    await file.write(Uint8Array.of(last, 0, last, 0));
    await file.close();
    return path;
  }
  await write("minute.wav", 44 + 66 * 44_100 * 4, 0);
  const paths: string[] = [];
  for (let i = 0; i < files; i++) paths.push(await write(`large-${i}.wav`, largeBytes - (largeBytes % 4), i));
  return paths;
}

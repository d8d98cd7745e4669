import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { M4aEncoder, wavBytes, wavHeader, wavSamples } from "../../../src/lib/audio/audio.ts";
import { audioFile } from "../../support/audio-files.ts";
import { seeded } from "../../support/random.ts";
import { startService } from "../../support/service.ts";
import {
  cloneForm,
  clonesPath,
  createClone,
  hiss,
  spokenWav,
  type CheckView,
  type NamedFile,
} from "../../support/voices.ts";
import { joined, melody, mixed, speech } from "../../support/voice-signals.ts";

// Measuring speech takes seconds, on a busy machine many.
setDefaultTimeout(120_000);

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function check(files: readonly NamedFile[]) {
  const client = await service.user();
  return await client.post<CheckView>(`${clonesPath}/check`, cloneForm(files));
}

/** What is found in one file. */
async function found(bytes: Uint8Array) {
  const { status, data } = await check([["a.wav", bytes]]);
  expect(status).toBe(200);
  const [{ quality } = { quality: null }] = data.samples;
  return { verdict: quality?.verdict, codes: quality?.problems.map(({ code }) => code), isTrainable: data.isTrainable };
}

function m4aOf(samples: Float32Array): Uint8Array {
  const encoder = new M4aEncoder(16_000);
  encoder.add(samples);
  return encoder.finish();
}

/** An ID3v2 tag with a picture of so many bytes. */
function tagOf(bytes: number): Uint8Array {
  const tag = new Uint8Array(10 + bytes);
  tag.set(Buffer.from("ID3\x04\x00\x00"));
  for (let i = 0; i < 4; i++) tag[6 + i] = (bytes >> (7 * (3 - i))) & 127;
  return tag;
}

test("headers that lie and tags of 30 MB keep nobody from reading what is there", async () => {
  const said = await speech("rms", 3);
  const samples = wavSamples(said);
  const endless = Buffer.concat([wavHeader(16_000), samples]);
  expect(await found(endless)).toMatchObject({ verdict: "usable", codes: ["short"] });
  expect(await found(m4aOf(said))).toMatchObject({ verdict: "usable", codes: ["short"] });
  const tagged = Buffer.concat([tagOf(30_000_000), audioFile("joint-44100.mp3")]);
  expect(await found(tagged)).toMatchObject({ verdict: "unusable" });
  expect(await check([["a.mp3", Buffer.concat([tagOf(30_000_000), Buffer.from("no sound")])]])).toMatchObject({
    status: 400,
    code: "INVALID_FILE_FORMAT",
  });
  expect((await check([["a.mp3", tagOf(100_000).subarray(0, 50_000)]])).code).toBe("INVALID_FILE_FORMAT");
});

test("what is no speech of one person is told for what it is", async () => {
  const silence = wavBytes(new Float32Array(32_000), 16_000);
  expect(await found(silence)).toMatchObject({ verdict: "unusable", codes: ["silent"], isTrainable: false });
  expect(await found(hiss(2))).toMatchObject({ verdict: "unusable", isTrainable: false });
  expect(await found(wavBytes(melody(4), 16_000))).toMatchObject({ verdict: "unusable", isTrainable: false });
  const short = wavBytes((await speech("rms", 3)).subarray(8000, 11_200), 16_000);
  expect(await found(short)).toMatchObject({ verdict: "unusable", isTrainable: false });
  const two = joined(await speech("rms", 9), await speech("slt", 9));
  expect((await found(wavBytes(two, 16_000))).codes).toContain("several_speakers");
  const drowned = mixed(
    await speech("rms", 12),
    (await speech("rms", 1)).map((_, i) => 0.4 * Math.sin(i * i)),
  );
  expect((await found(wavBytes(drowned, 16_000))).verdict).not.toBe("good");
});

test("two people in two files are noticed as well", async () => {
  const { data } = await check([
    ["man.wav", await spokenWav(11, "rms")],
    ["woman.wav", await spokenWav(11, "slt")],
  ]);
  expect(data).toMatchObject({ isTrainable: true, quality: { speakers: 2, verdict: "poor" } });
  expect(data.quality.problems.map(({ code }) => code)).toContain("several_speakers");
});

test("films are told from recordings", async () => {
  expect(await found(audioFile("video-only.mp4"))).toMatchObject({ verdict: "unusable", codes: ["file_unsupported"] });
  expect((await found(audioFile("video.mp4"))).codes).not.toContain("file_unsupported");
});

test("files that are cut off or damaged never fail the service", async () => {
  const random = seeded(5);
  const originals = ["joint-44100.mp3", "mono-22050.m4a", "alac-44100.m4a", "stereo-44100.flac"].map(audioFile);
  originals.push(wavBytes((await speech("rms", 1)).subarray(0, 8000), 16_000));
  const damaged = originals.flatMap((bytes) => {
    const flipped = bytes.slice();
    for (let i = 0; i < 40; i++) flipped[Math.floor(random() * flipped.length)]! ^= 1 << Math.floor(random() * 8);
    return [bytes.slice(0, bytes.length >> 1), flipped];
  });
  const files = damaged.map((bytes, i): NamedFile => [`${i}.wav`, bytes]);
  const { status, code, details, data } = await check(files);
  if (status === 200) expect(data.samples).toHaveLength(10);
  else expect({ status, code }).toEqual({ status: 400, code: "INVALID_FILE_FORMAT" });
  const rejected = (details?.["rejected_files"] ?? []) as string[];
  const readable = files.filter(([name]) => !rejected.includes(name));
  const again = await check(readable);
  expect(again.status).toBe(200);
  for (const { quality } of again.data.samples)
    for (const { message } of quality.problems) expect(message).toMatch(/^[A-Z0-9].+\.$/s);
  const client = await service.user();
  const made = await createClone(client, readable);
  expect(await service.ended(client, made.data.jobId)).toMatchObject({
    status: "failed",
    message: expect.stringContaining("Send at least 10"),
  });
});

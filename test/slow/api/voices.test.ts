import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bytesSource, decodeAudio, probeAudio } from "../../../src/lib/audio/audio.ts";
import type { VoiceEngine } from "../../../src/features/voice/voice-engine.ts";
import type { Client } from "../../support/client.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually, startService, succeeded, testInProcess, type Service } from "../../support/service.ts";
import {
  beep,
  cloneForm,
  clonesPath,
  createClone,
  hiss,
  pretendEngine,
  spokenWav,
  type CheckView,
  type CloneDetailView,
  type CloneList,
} from "../../support/voices.ts";

// Measuring speech takes seconds, on a busy machine many.
setDefaultTimeout(120_000);

const path = (voiceId: string, rest = "") => `${clonesPath}/${voiceId}${rest}`;

/** As `Client`, for answers that are sound. */
async function preview(service: Service, client: Client, voiceId: string, body: object) {
  const response = await fetch(service.url + path(voiceId, "/preview"), {
    method: "POST",
    headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function secondsOf(bytes: Uint8Array): number {
  let seconds = 0;
  for (const block of decodeAudio(bytesSource(bytes))) seconds += block.channels[0]!.length / block.sampleRate;
  return seconds;
}

/** A clone that a pretended vendor trained from a few seconds of speech. */
async function trainedClone(service: Service, client: Client, fields: Record<string, string> = {}) {
  const made = succeeded(await createClone(client, [["ada.wav", await spokenWav(12)]], fields));
  const job = await service.ended(client, made.data.jobId);
  return { voiceId: made.data.voiceId, job };
}

const text = "Hello Grace, this is Ada. Do you have ten minutes on Thursday?";

test("a voice is trained from speech and speaks, all in the program itself", async () => {
  await using service = await startService();
  const client = await service.user();
  const files: [string, Uint8Array][] = [
    ["one.wav", await spokenWav(13, "slt")],
    ["noise.wav", hiss(2)],
  ];
  const check = await client.post<CheckView>(`${clonesPath}/check`, cloneForm(files));
  expect(check.data).toMatchObject({ isTrainable: true, quality: { usableSamples: 1, speakers: 1 } });
  const made = succeeded(await createClone(client, files));
  const { voiceId } = made.data;
  expect((await client.post(path(voiceId, "/preview"), { text })).code).toBe("CONFLICT");
  const job = await eventually(
    "the training",
    async () => {
      const { data } = await client.get<{ status: string; message: string; progress: number }>(
        `/api/v2/users/jobs/${made.data.jobId}`,
      );
      return data.status === "completed" || data.status === "failed" ? data : null;
    },
    { patienceMs: 200_000 },
  );
  expect(job).toMatchObject({ status: "completed", message: expect.stringContaining("1 of 2 samples") });
  expect((await client.get<CloneDetailView>(path(voiceId))).data).toMatchObject({
    status: "ready",
    progress: 100,
    errorMessage: null,
    engine: "local",
    quality: { usableSamples: 1 },
    samples: [{ quality: { verdict: expect.stringMatching(/good|usable/) } }, { quality: { verdict: "unusable" } }],
  });
  const wav = await preview(service, client, voiceId, { text });
  expect(wav.status).toBe(200);
  expect(wav.headers.get("content-type")).toBe("audio/wav");
  expect(wav.headers.get("x-ai-generated")).toBe("true");
  expect(wav.headers.get("x-voice-engine")).toBe("local");
  expect(Buffer.from(wav.bytes).includes("AI-generated speech")).toBe(true);
  expect(secondsOf(wav.bytes)).toBeWithin(2, 10);
  const again = await preview(service, client, voiceId, { text });
  expect(again.bytes.subarray(-1000)).toEqual(wav.bytes.subarray(-1000));
  const m4a = await preview(service, client, voiceId, { text, format: "m4a" });
  expect(m4a.headers.get("content-type")).toBe("audio/mp4");
  expect(probeAudio(bytesSource(m4a.bytes))).toMatchObject({ format: "m4a", channels: 1 });
  expect(secondsOf(m4a.bytes)).toBeCloseTo(secondsOf(wav.bytes), 1);
  expect(Buffer.from(m4a.bytes).includes("AI-generated speech")).toBe(true);
  const action = {
    actionType: "sendVoiceMessage",
    profileUrl: "https://network.example/in/grace",
    voiceId,
    message: text,
  };
  const { jobId } = succeeded(
    await client.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", action),
  ).data;
  const sound = await fetch(`${service.url}/api/v2/network/actions/${jobId}/audio`, {
    headers: { "x-api-key": client.key! },
  });
  expect(sound.headers.get("content-type")).toBe("audio/mp4");
  expect(secondsOf(new Uint8Array(await sound.arrayBuffer()))).toBeCloseTo(secondsOf(m4a.bytes), 0);
  const visit = { actionType: "visitProfile", profileUrl: action.profileUrl };
  const other = await client.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", visit);
  expect(await client.get(`/api/v2/network/actions/${other.data.jobId}/audio`)).toMatchObject({
    code: "CONFLICT",
    message: "Only voice messages have audio. This action is a visitProfile.",
  });
  const silent = await client.post(path(voiceId, "/preview"), { text: "。。。" });
  expect(silent).toMatchObject({ status: 400, code: "VALIDATION_ERROR", message: expect.stringContaining("English") });
  expect((await client.delete(path(voiceId))).status).toBe(200);
  for (const folder of ["voice", "speech"]) expect(readdirSync(join(service.dataDir, "blobs", folder))).toEqual([]);
}, 240_000);

test("a training that finds too little speech says so, and what to do", async () => {
  await using service = await startService();
  const client = await service.user();
  const made = await createClone(client, [
    ["beep.wav", beep()],
    ["hiss.wav", hiss(1)],
    ["silence.wav", beep(0, 0.001)],
  ]);
  const job = await service.ended(client, made.data.jobId);
  expect(job.status).toBe("failed");
  expect(job.message).toStartWith("Only 0 seconds of speech in 3 files. Send at least 10 seconds.");
  const { data } = await client.get<CloneList>(clonesPath, { query: { status: "failed" } });
  expect(data).toMatchObject({
    total: 1,
    voiceClones: [
      { voiceId: made.data.voiceId, status: "failed", errorMessage: job.message, isActive: true, sampleCount: 3 },
    ],
  });
  expect((await client.get<CloneList>(clonesPath, { query: { status: "ready" } })).data).toMatchObject({
    total: 1,
    matching: 0,
  });
  for (const query of [{ limit: 0 }, { limit: 101 }, { status: "done" }])
    expect((await client.get(clonesPath, { query })).code).toBe("VALIDATION_ERROR");
  const answer = await client.post(path(made.data.voiceId, "/preview"), { text });
  expect(answer).toMatchObject({ status: 409, code: "CONFLICT", message: expect.stringContaining("Send at least 10") });
});

test("a clone belongs to its user", async () => {
  await using service = await startService();
  const ada = await service.user();
  const bob = await service.user();
  const { voiceId, jobId } = (await createClone(ada, [["a.wav", beep()]])).data;
  const { samples } = (await ada.get<CloneDetailView>(path(voiceId))).data;
  const sample = path(voiceId, `/samples/${samples[0]!.sampleId}`);
  const answers = [
    await bob.get(path(voiceId)),
    await bob.put(path(voiceId), { name: "mine" }),
    await bob.delete(path(voiceId)),
    await bob.post(path(voiceId, "/train")),
    await bob.post(path(voiceId, "/preview"), { text }),
    await bob.get(path(voiceId, "/samples")),
    await bob.post(path(voiceId, "/samples"), cloneForm([["b.wav", beep(2)]], { name: null })),
    await bob.get(`${sample}/audio`),
    await bob.delete(sample),
    await bob.get(path(voiceId, "/consent/audio")),
  ];
  expect(answers.map(({ code }) => code)).toEqual(answers.map(() => "NOT_FOUND"));
  await service.ended(ada, jobId);
});

testInProcess("a vendor trains from measured samples, and is asked to delete what it made", async () => {
  const vendor = pretendEngine();
  await using service = await startService({
    voiceEngines: { cartesia: vendor.engine },
    settings: { VOICE_ENGINE: "cartesia" },
  });
  const client = await service.user();
  const { voiceId } = await trainedClone(service, client, { settings: '{"clarity":0.9}', labels: '{"a":"b"}' });
  expect(vendor.trained).toMatchObject([
    {
      cloneId: voiceId,
      name: "Ada",
      labels: { a: "b" },
      settings: { stability: 0.5, clarity: 0.9, useSpeakerBoost: true },
      samples: [{ fileName: "ada.wav" }],
    },
  ]);
  const [material] = vendor.trained;
  expect(material!.reference.seconds).toBeWithin(9, 13);
  const reference = probeAudio(bytesSource(await Bun.file(material!.reference.path).bytes()));
  expect(reference).toMatchObject({ format: "wav", sampleRate: 24_000, channels: 1 });
  expect(reference.claimedSeconds).toBeCloseTo(material!.reference.seconds, 3);

  const first = await preview(service, client, voiceId, { text, settings: { stability: 0 } });
  await preview(service, client, voiceId, { text, settings: { stability: 0 } });
  const m4a = await preview(service, client, voiceId, { text, settings: { stability: 0 }, format: "m4a" });
  expect(secondsOf(first.bytes)).toBeCloseTo(1, 2);
  expect(secondsOf(m4a.bytes)).toBeCloseTo(1, 1);
  expect(vendor.spoken).toEqual(
    Array.from({ length: 2 }, () => ({
      text,
      artefact: "voice-1",
      settings: { stability: 0, clarity: 0.9, useSpeakerBoost: true },
    })),
  );
  const refused = await client.post(path(voiceId, "/preview"), { text: "!" });
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("write it in words") });
  const busy = await client.post(path(voiceId, "/preview"), { text: "?" });
  expect(busy).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE", message: "The vendor is busy." });
  expect(busy.headers.get("retry-after")).toBe("7");
  for (const wrong of [
    { text: "" },
    { text: "x".repeat(1001) },
    { text, format: "ogg" },
    { text, settings: { clarity: 2 } },
  ])
    expect((await client.post(path(voiceId, "/preview"), wrong)).code).toBe("VALIDATION_ERROR");
});

testInProcess(
  "four previews of a user at a time, and who goes away frees a place before the first sound is read",
  async () => {
    const vendor = pretendEngine();
    const endless: VoiceEngine["speak"] = async () => ({
      kind: "spoken",
      sampleRate: 16_000,
      blocks: new ReadableStream<Float32Array>(),
    });
    await using service = await startService({
      voiceEngines: { xtts: { ...vendor.engine, speak: endless } },
      settings: { VOICE_ENGINE: "xtts" },
    });
    const [busy, other] = [await service.user(), await service.user()];
    const { voiceId } = await trainedClone(service, busy);
    const { voiceId: otherVoice } = await trainedClone(service, other);
    const start = (client: Client, id: string, signal: AbortSignal) =>
      fetch(service.url + path(id, "/preview"), {
        method: "POST",
        headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
        body: JSON.stringify({ text }),
        signal,
      });
    for (let round = 0; round < 2; round++) {
      const controller = new AbortController();
      const free = async () => {
        const response = await start(busy, voiceId, controller.signal);
        return response.status === 200 ? response : null;
      };
      // Kept: a response that is collected as garbage is canceled, which frees its place.
      const playing: Response[] = [];
      for (let n = 0; n < 4; n++) playing.push(await eventually("a free place", free));
      const refused = await busy.post(path(voiceId, "/preview"), { text });
      expect(refused).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: 4 } });
      expect(refused.headers.get("retry-after")).toBe("5");
      expect((await start(other, otherVoice, controller.signal)).status).toBe(200);
      expect(playing.map(({ bodyUsed }) => bodyUsed)).toEqual([false, false, false, false]);
      controller.abort();
    }
  },
);

testInProcess("a clone is changed without being trained again, and is silent while it is deactivated", async () => {
  const vendor = pretendEngine();
  await using service = await startService({
    voiceEngines: { xtts: vendor.engine },
    settings: { VOICE_ENGINE: "xtts" },
  });
  const client = await service.user();
  const { voiceId } = await trainedClone(service, client);
  const changed = await client.put(path(voiceId), {
    name: " Countess ",
    description: "of Lovelace",
    settings: { stability: 1 },
    labels: { x: "y" },
    isActive: false,
  });
  expect(changed).toMatchObject({
    status: 200,
    data: {
      id: voiceId,
      name: "Countess",
      description: "of Lovelace",
      status: "ready",
      settings: { stability: 1, clarity: 0.75, use_speaker_boost: true },
      isActive: false,
      labels: { x: "y" },
    },
  });
  expect(await client.post(path(voiceId, "/preview"), { text })).toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("deactivated"),
  });
  await client.put(path(voiceId), { isActive: true });
  expect((await preview(service, client, voiceId, { text })).status).toBe(200);
  expect(vendor.spoken[0]?.settings.stability).toBe(1);
  for (const wrong of [{ name: "" }, { name: " " }, { settings: { clarity: "1" } }, { isActive: 1 }, { labels: [] }])
    expect((await client.put(path(voiceId), wrong)).code).toBe("VALIDATION_ERROR");
  expect(vendor.trained).toHaveLength(1);
});

testInProcess("samples are heard, added and removed, and each change trains again", async () => {
  const vendor = pretendEngine();
  await using service = await startService({
    voiceEngines: { xtts: vendor.engine },
    settings: { VOICE_ENGINE: "xtts" },
  });
  const client = await service.user();
  const bytes = await spokenWav(12);
  const { voiceId } = await trainedClone(service, client);
  const list = async () =>
    (await client.get<{ samples: CloneDetailView["samples"] }>(path(voiceId, "/samples"))).data.samples;
  const [first] = await list();
  const audio = (headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path(voiceId, `/samples/${first!.sampleId}/audio`)}`, {
      headers: { "x-api-key": client.key!, ...headers },
    });
  expect(sameBytes(await (await audio()).bytes(), bytes)).toBe(true);
  const part = await audio({ range: "bytes=4-9" });
  expect(part.status).toBe(206);
  expect(part.headers.get("content-range")).toBe(`bytes 4-9/${bytes.length}`);
  expect(sameBytes(await part.bytes(), bytes.subarray(4, 10))).toBe(true);
  expect(sameBytes(await (await audio({ range: "bytes=-5" })).bytes(), bytes.subarray(-5))).toBe(true);
  const beyond = await audio({ range: `bytes=${bytes.length}-` });
  expect(beyond.status).toBe(416);
  expect(beyond.headers.get("content-range")).toBe(`bytes */${bytes.length}`);

  const twin = await client.post(path(voiceId, "/samples"), cloneForm([["same.wav", bytes]], { name: null }));
  expect(twin).toMatchObject({ status: 400, message: expect.stringContaining("already") });
  const added = await client.post<{ jobId: string }>(
    path(voiceId, "/samples"),
    cloneForm([["more.wav", await spokenWav(11, "rms", 2)]], { name: null }),
  );
  expect(added).toMatchObject({ status: 200, data: { status: "processing", sampleCount: 2 } });
  await service.ended(client, added.data.jobId);
  expect(vendor.trained[1]?.samples).toHaveLength(2);
  const removed = await client.delete<{ jobId: string }>(path(voiceId, `/samples/${first!.sampleId}`));
  await service.ended(client, removed.data.jobId);
  expect(vendor.trained[2]?.samples.map(({ fileName }) => fileName)).toEqual(["more.wav"]);
  const [last] = await list();
  expect((await client.delete(path(voiceId, `/samples/${last!.sampleId}`))).code).toBe("CONFLICT");
  const full = await client.post(
    path(voiceId, "/samples"),
    cloneForm(
      Array.from({ length: 10 }, (_, i) => [`${i}.wav`, beep(i)]),
      { name: null },
    ),
  );
  expect(full).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

testInProcess(
  "recordings are deleted after the training when the service is set up so, and the voice can still be trained",
  async () => {
    const vendor = pretendEngine();
    await using service = await startService({
      voiceEngines: { xtts: vendor.engine },
      settings: { VOICE_ENGINE: "xtts", VOICE_ORIGINALS: "delete" },
    });
    const client = await service.user();
    const { voiceId } = await trainedClone(service, client);
    await service.idle();
    const { samples } = (await client.get<CloneDetailView>(path(voiceId))).data;
    expect(samples).toMatchObject([{ hasOriginal: false, quality: { verdict: expect.any(String) } }]);
    const answer = await client.get(path(voiceId, `/samples/${samples[0]!.sampleId}/audio`));
    expect(answer).toMatchObject({ status: 404, message: expect.stringContaining("deleted after training") });
    expect(readdirSync(join(service.dataDir, "blobs/voice")).filter((name) => name.endsWith(".original"))).toEqual([]);
    const again = await client.post<{ jobId: string }>(path(voiceId, "/train"));
    expect((await service.ended(client, again.data.jobId)).status).toBe("completed");
    expect(vendor.trained[1]?.samples).toMatchObject([{ fileName: "ada.wav" }]);
  },
);

/** Trains only until it is told to stop. */
function endless(material: { name: string }, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error(`stopped ${material.name}`))),
  );
}

testInProcess("a training that takes longer than five minutes is ended", async () => {
  const clock = new FakeClock();
  const vendor = pretendEngine();
  let runs = 0;
  const engine = {
    ...vendor.engine,
    train: (material: { name: string }, _: unknown, signal: AbortSignal) => (runs++, endless(material, signal)),
  };
  await using service = await startService({
    clock,
    voiceEngines: { xtts: engine },
    settings: { VOICE_ENGINE: "xtts" },
  });
  const client = await service.user();
  const made = await createClone(client, [["ada.wav", await spokenWav(12)]]);
  await eventually("the training", async () => (runs > 0 ? true : null), { patienceMs: 60_000 });
  clock.advance(5 * 60_000);
  const job = await service.ended(client, made.data.jobId);
  expect(job).toMatchObject({ status: "failed", message: expect.stringContaining("timed out after 5 minutes") });
});

testInProcess("a training that the end of the service cuts off runs again after the next start", async () => {
  const vendor = pretendEngine();
  const { engine } = vendor;
  let runs = 0;
  const train: typeof engine.train = (material, onProgress, signal) =>
    ++runs === 1 ? endless(material, signal) : engine.train(material, onProgress, signal);
  await using service = await startService({
    voiceEngines: { xtts: { ...engine, train } },
    settings: { VOICE_ENGINE: "xtts" },
  });
  const client = await service.user();
  const made = await createClone(client, [["ada.wav", await spokenWav(12)]]);
  await eventually("the training", async () => (runs > 0 ? true : null), { patienceMs: 60_000 });
  await service.restart();
  const job = await service.ended(client, made.data.jobId);
  expect(job).toMatchObject({ status: "completed" });
  expect(runs).toBe(2);
});

testInProcess("a busy vendor is asked again, a refusal ends the training with its reason", async () => {
  const clock = new FakeClock();
  const outcomes = [
    { kind: "busy", reason: "Too many requests.", retryAfterSeconds: 60 },
    { kind: "failed", reason: "The account has no voices left: delete one there." },
  ] as const;
  const vendor = pretendEngine((_, run) => outcomes[run - 1]!);
  await using service = await startService({
    clock,
    voiceEngines: { xtts: vendor.engine },
    settings: { VOICE_ENGINE: "xtts" },
  });
  const client = await service.user();
  const made = await createClone(client, [["ada.wav", await spokenWav(12)]]);
  await service.idle();
  const waiting = await client.get<CloneDetailView>(path(made.data.voiceId));
  expect(waiting.data).toMatchObject({ status: "processing", message: "Too many requests." });
  clock.advance(60_000);
  expect(await service.ended(client, made.data.jobId)).toMatchObject({ status: "failed", message: outcomes[1].reason });
});

test("files that no clone has are swept when the service starts", async () => {
  await using service = await startService();
  const client = await service.user();
  const made = await createClone(client, [["a.wav", beep()]]);
  await service.ended(client, made.data.jobId);
  const folder = join(service.dataDir, "blobs/voice");
  const before = readdirSync(folder);
  const orphans = [
    "gone.x.original",
    "gone.reference",
    `${made.data.voiceId}.other.clip`,
    `${made.data.voiceId}.y.original.part`,
  ];
  for (const name of orphans) await Bun.write(join(folder, name), "x");
  await Bun.write(join(service.dataDir, "blobs/speech/gone.hash.wav"), "x");
  await service.restart();
  expect(readdirSync(folder)).toEqual(before);
  expect(existsSync(join(service.dataDir, "blobs/speech/gone.hash.wav"))).toBe(false);
});

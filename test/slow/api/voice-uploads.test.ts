import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { audioFile } from "../../support/audio-files.ts";
import type { Client } from "../../support/client.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually, startService, succeeded, testInProcess, type Service } from "../../support/service.ts";
import {
  beep,
  cloneForm,
  clonesPath,
  createClone,
  rawForm,
  spokenWav,
  type CloneList,
  type Created,
} from "../../support/voices.ts";

// Measuring speech takes seconds, on a busy machine many.
setDefaultTimeout(120_000);

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const supported = ["wav", "mp3", "m4a", "flac"];

function filesOf({ dataDir }: Service): string[] {
  try {
    return readdirSync(join(dataDir, "blobs/voice"));
  } catch {
    return [];
  }
}

/** A user whose requests must leave nothing on the disk. */
async function nothingStays(use: (client: Client, service: Service) => Promise<void>): Promise<void> {
  await using own = await startService();
  const client = await own.user();
  await use(client, own);
  await eventually("the files to be gone", async () => (filesOf(own).length === 0 ? true : null));
  expect((await client.get<CloneList>(clonesPath)).data).toEqual({
    voiceClones: [],
    total: 0,
    matching: 0,
    limit: expect.any(Number),
    nextCursor: null,
  });
}

test("a form of all four formats becomes a clone, whatever the files are called", async () => {
  const client = await service.user();
  const made = await client.post<Created>(
    clonesPath,
    cloneForm(
      [
        ["voice.txt", beep()],
        ["b.wav", audioFile("joint-44100.mp3")],
        ["c.mp3", audioFile("mono-22050.m4a")],
        ["d", audioFile("plain-8000.flac")],
      ],
      {
        description: "First\u0000 try",
        labels: '{"language":"en"}',
        settings: '{"stability":0.3,"use_speaker_boost":false}',
      },
    ),
  );
  expect(made).toMatchObject({
    status: 200,
    body: { success: true, message: expect.stringContaining("Training has started") },
    data: { name: "Ada", description: "First try", sampleCount: 4, status: "processing" },
  });
  const { data } = await client.get(`${clonesPath}/${made.data.voiceId}`);
  expect(data).toMatchObject({
    labels: { language: "en" },
    settings: { stability: 0.3, clarity: 0.75, use_speaker_boost: false },
    samples: [
      { fileName: "voice.txt", format: "wav" },
      { fileName: "b.wav", format: "mp3" },
      { fileName: "c.mp3", format: "m4a" },
      { fileName: "d", format: "flac" },
    ],
  });
  await service.ended(client, made.data.jobId);
});

test("a key in the Authorization header is a Bearer token and nothing else", async () => {
  const client = await service.user();
  const anonymous = service.client(null);
  const headers = { authorization: `Bearer ${client.key}` };
  expect((await anonymous.get<CloneList>(clonesPath, { headers })).status).toBe(200);
  expect((await anonymous.get(clonesPath, { headers: { authorization: `Basic ${client.key}` } })).status).toBe(401);
});

test("one refusal names every file that is no audio", async () => {
  await nothingStays(async (client) => {
    const answer = await createClone(client, [
      ["good.wav", beep()],
      ["notes.wav", "This is a text and no sound at all."],
      ["empty.wav", ""],
      ["page.mp3", "<html></html>"],
      ["ogg.wav", audioFile("flac.ogg")],
      ["raw.m4a", audioFile("raw.aac")],
    ]);
    expect(answer).toMatchObject({ status: 400, code: "INVALID_FILE_FORMAT" });
    expect(answer.details).toMatchObject({
      supported_formats: supported,
      rejected_files: ["notes.wav", "empty.wav", "page.mp3", "ogg.wav", "raw.m4a"],
    });
    expect(JSON.stringify(answer.details?.["reasons"])).toContain("Ogg");
  });
});

test("one refusal names every file that is too large, with its size, and those that are no audio as well", async () => {
  await nothingStays(async (client) => {
    const large = new Uint8Array(50 * 2 ** 20);
    large.set(beep());
    const answer = await createClone(client, [
      ["a.wav", large],
      ["good.wav", beep(2)],
      ["b.wav", large],
      ["c.wav", "text"],
    ]);
    expect(answer).toMatchObject({ status: 413, code: "FILE_TOO_LARGE" });
    expect(answer.details).toMatchObject({
      max_size_mb: 50,
      rejected_files: [
        { filename: "a.wav", size_mb: 50 },
        { filename: "b.wav", size_mb: 50 },
      ],
      unsupported_files: [{ filename: "c.wav", reason: expect.any(String) }],
    });
  });
});

test("a body that can't be right is refused at the first wrong file, not read to its end", async () => {
  await nothingStays(async (client) => {
    const head = `--b\r\ncontent-disposition: form-data; name="files"; filename="x.wav"\r\n\r\n`;
    const chunk = new Uint8Array(2 ** 20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 0) controller.enqueue(Buffer.concat([Buffer.from(head), beep()]));
        controller.enqueue(chunk);
        if (++sent === 2000) controller.close();
      },
    });
    const answer = await client.post(clonesPath, body, {
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    expect(answer).toMatchObject({ status: 413, code: "FILE_TOO_LARGE" });
    expect(sent).toBeLessThan(1500);
  });
});

test("fields are checked: the name, the number of files, settings, labels, and twins", async () => {
  await nothingStays(async (client) => {
    const file: [string, Uint8Array] = ["a.wav", beep()];
    const refused = async (fields: Record<string, string | null>, path: string, files = [file]) => {
      const answer = await createClone(client, files, fields);
      expect({ fields, status: answer.status, code: answer.code }).toEqual({
        fields,
        status: 400,
        code: "VALIDATION_ERROR",
      });
      expect((answer.details?.["errors"] as { path: string }[]).map((error) => error.path)).toContain(path);
    };
    await refused({ name: null }, "name");
    await refused({ name: " \u0007 " }, "name");
    await refused({ name: "x".repeat(201) }, "name");
    await refused({ settings: "{" }, "settings");
    await refused({ settings: "[1]" }, "settings");
    await refused({ settings: '{"stability":1.1}' }, "settings.stability");
    await refused({ settings: '{"clarity":-0.1}' }, "settings.clarity");
    await refused({ settings: '{"use_speaker_boost":"yes"}' }, "settings.use_speaker_boost");
    await refused({ "settings[clarity]": "7" }, "settings.clarity");
    await refused({ labels: '{"a":1}' }, "labels.a");
    await refused({}, "files", []);
    await refused(
      {},
      "files",
      Array.from({ length: 11 }, (_, i) => [`${i}.wav`, beep(i)]),
    );
    await refused({}, "files.1", [file, ["b.wav", beep()]]);
    await refused({ description: "x".repeat(70_000) }, "description");
    await refused({ dryRun: "true" }, "dryRun");
    await refused({ dry_run: "1" }, "dry_run");
  });
});

test("settings may come one by one, as forms without JSON send them", async () => {
  const client = await service.user();
  const made = await createClone(client, [["a.wav", beep()]], { "settings[clarity]": "1", "settings.stability": "0" });
  expect((await client.get(`${clonesPath}/${made.data.voiceId}`)).data).toMatchObject({
    settings: { stability: 0, clarity: 1, use_speaker_boost: true },
  });
  await service.ended(client, made.data.jobId);
});

test.each([
  ['form-data; name="files"; filename="../../etc/passwd"', "passwd"],
  ['form-data; name="files"; filename="C:\\\\voices\\\\a.wav"', "a.wav"],
  ['form-data; name="files"; filename=".."', "sample-1"],
  ['form-data; name="files"; filename=""', "sample-1"],
  ['form-data; name="files[]"; filename="a\u0007\u001b[31m.wav"', "a[31m.wav"],
  ["form-data; name=\"files\"; filename*=UTF-8''gr%C3%BC%C3%9Fe.wav", "grüße.wav"],
  [`form-data; name="files"; filename="${"x".repeat(500)}.wav"`, "x".repeat(200)],
])("a file name is a name and nothing more: %s", async (disposition, fileName) => {
  const client = await service.user();
  const { body, headers } = rawForm([
    { head: 'content-disposition: form-data; name="name"', body: "Ada" },
    { head: `content-disposition: ${disposition}`, body: beep() },
  ]);
  const made = succeeded(await client.post<Created>(clonesPath, body, { headers }));
  const { samples } = (
    await client.get<{ samples: { fileName: string; sampleId: string }[] }>(
      `${clonesPath}/${made.data.voiceId}/samples`,
    )
  ).data;
  expect(samples.map((sample) => sample.fileName)).toEqual([fileName]);
  const audio = await client.get(`${clonesPath}/${made.data.voiceId}/samples/${samples[0]!.sampleId}/audio`);
  expect(audio.headers.get("content-disposition")).toMatch(
    /^attachment; filename="[\w. ()-]+"; filename\*=UTF-8''\S+$/,
  );
  await service.ended(client, made.data.jobId);
});

test("what is no form, or breaks off, is refused and leaves nothing", async () => {
  await nothingStays(async (client) => {
    const type = { "content-type": "multipart/form-data; boundary=b" };
    const cut = `--b\r\ncontent-disposition: form-data; name="files"; filename="a.wav"\r\n\r\nRIFF....WAVE`;
    expect(await client.post(clonesPath, { name: "x" })).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    for (const [body, headers] of [
      ["", type],
      ["garbage", type],
      [cut, type],
      ["--b--\r\n", type],
      ["x", { "content-type": "multipart/form-data" }],
      [`--b\r\n${"x".repeat(100_000)}`, type],
    ] as const)
      expect(await client.post(clonesPath, body, { headers })).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  });
});

test("a client that goes away in the middle leaves nothing behind", async () => {
  await nothingStays(async (client, own) => {
    const url = new URL(own.url);
    const socket = connect(Number(url.port), url.hostname);
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write(
      `POST ${clonesPath} HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.key}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 9000000\r\n\r\n` +
        `--b\r\ncontent-disposition: form-data; name="files"; filename="a.wav"\r\n\r\n`,
    );
    socket.write(Buffer.concat([beep(), new Uint8Array(2_000_000)]));
    await eventually("the first bytes on disk", async () => (filesOf(own).length > 0 ? true : null));
    socket.destroy();
  });
});

test("the sixth clone is refused, also when six come at once", async () => {
  const client = await service.user();
  // Of speech, so that none of them fails and gives up its place.
  const spoken = await spokenWav(12);
  const answers = await Promise.all(
    Array.from({ length: 7 }, (_, i) => createClone(client, [["a.wav", spoken]], { name: `Voice ${i}` })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  for (const { code, details, headers, body } of refused) {
    // Waiting does not help.
    expect([headers.get("retry-after"), (body as { retryAfter?: number }).retryAfter]).toEqual([null, undefined]);
    expect({ code, details }).toEqual({
      code: "VOICE_CLONE_LIMIT_EXCEEDED",
      details: { current_count: 5, max_allowed: 5, upgrade_url: `${service.url}/docs` },
    });
  }
  const { data } = await client.get<CloneList>(clonesPath);
  expect(data.total).toBe(5);
  expect((await client.delete(`${clonesPath}/${data.voiceClones[0]!.voiceId}`)).status).toBe(200);
  expect((await createClone(client, [["a.wav", beep()]])).status).toBe(200);
});

testInProcess("clones that failed take no place, and go after a week with their files", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock, settings: { VOICE_MAX_CLONES: 1 } });
  const client = await own.user();
  for (const seed of [1, 2]) {
    const made = succeeded(await createClone(client, [["a.wav", beep(seed)]]));
    expect(await own.ended(client, made.data.jobId)).toMatchObject({ status: "failed" });
  }
  expect((await client.get<CloneList>(clonesPath)).data.total).toBe(2);
  clock.advance(7 * 86_400_000 + 1);
  await own.restart();
  expect((await client.get<CloneList>(clonesPath)).data.total).toBe(0);
  expect(filesOf(own)).toEqual([]);
});

test("the storage of a user is bounded", async () => {
  await using small = await startService({ settings: { VOICE_MAX_BYTES: "100kB", VOICE_MAX_CLONES: 50 } });
  const client = await small.user();
  const forty = beep(1, 2.5);
  expect((await createClone(client, [["a.wav", forty]])).status).toBe(200);
  const [second, third] = await Promise.all([2, 3].map((seed) => createClone(client, [["a.wav", beep(seed, 2.5)]])));
  expect(new Set([second!.status, third!.status])).toEqual(new Set([200, 413]));
  expect(await createClone(client, [["a.wav", beep(4, 3)]])).toMatchObject({
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    details: { maxBytes: 100_000 },
  });
  expect(filesOf(small).filter((name) => name.endsWith(".original"))).toHaveLength(2);
});

test("consent is asked for when the service is set up so, and kept with the clone", async () => {
  await using strict = await startService({ settings: { VOICE_CONSENT: "recording" } });
  const client = await strict.user();
  const fields = { consent: '{"attested":true,"speakerName":"Ada Byron"}' };
  const pathsOf = (answer: { details: Record<string, unknown> | undefined }) =>
    (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
  expect(pathsOf(await createClone(client, [["a.wav", beep()]]))).toEqual(["consent", "consentRecording"]);
  expect(pathsOf(await createClone(client, [["a.wav", beep()]], fields))).toEqual(["consentRecording"]);
  expect(
    pathsOf(await createClone(client, [["a.wav", beep()]], { consent: '{"attested":false,"speakerName":"A"}' })),
  ).toEqual(["consent.attested"]);
  const form = cloneForm([["a.wav", beep()]], fields);
  form.append("consentRecording", new File([beep(2) as Uint8Array<ArrayBuffer>], "yes.wav"));
  const made = succeeded(await client.post<Created>(clonesPath, form));
  const { data } = await client.get<{ consent: object }>(`${clonesPath}/${made.data.voiceId}`);
  expect(data.consent).toMatchObject({
    speakerName: "Ada Byron",
    statement: expect.stringContaining("Ada Byron consented"),
    attestedBy: { userId: client.userId, keyName: "test" },
    recording: { format: "wav" },
  });
  expect((await client.get(`${clonesPath}/${made.data.voiceId}/consent/audio`)).status).toBe(200);
  expect((await strict.ended(client, made.data.jobId)).message).toContain("consent recording cannot be used");
});

test("a dry run measures files and keeps none", async () => {
  await nothingStays(async (client) => {
    const form = cloneForm([
      ["beep.wav", beep()],
      ["film.mp4", audioFile("video-only.mp4")],
    ]);
    const { status, data } = await client.post(`${clonesPath}/check`, form);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      isTrainable: false,
      quality: { verdict: "unusable", usableSamples: 0, speakers: 0 },
      samples: [
        { fileName: "beep.wav", quality: { verdict: "unusable", measures: { sampleRate: 8000, channels: 1 } } },
        { fileName: "film.mp4", quality: { verdict: "unusable", measures: null } },
      ],
    });
  });
});

/** An upload whose end never comes, until `signal` aborts it. */
function endlessCheck(client: Client, signal: AbortSignal): Promise<unknown> {
  const head = `--b\r\ncontent-disposition: form-data; name="files"; filename="x.wav"\r\n\r\n`;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from(head)) });
  const headers = { "x-api-key": client.key!, "content-type": "multipart/form-data; boundary=b" };
  return fetch(`${service.url}${clonesPath}/check`, { method: "POST", headers, body, signal }).catch(() => null);
}

test("six checks at a time are served, and a user with more delays nobody else's", async () => {
  const [busy, other] = [await service.user(), await service.user()];
  const check = (client: Client, seed = 1) => client.post(`${clonesPath}/check`, cloneForm([["a.wav", beep(seed)]]));
  const together = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => check(busy, seed)));
  expect(together.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const controller = new AbortController();
  const endless = [1, 2, 3, 4, 5, 6].map(() => endlessCheck(busy, controller.signal));
  const refused = await eventually("the user's places to be taken", async () => {
    const answer = await check(busy);
    return answer.status === 200 ? null : answer;
  });
  expect(refused).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: 6 } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await check(other)).status).toBe(200);
  controller.abort();
  await Promise.all(endless);
  await eventually("a place to be free", async () => ((await check(busy)).status === 200 ? true : null));
});

test("a form with an incomplete part is answered, and its Idempotency-Key is free again", async () => {
  const client = await service.user();
  const headers = { "content-type": "multipart/form-data; boundary=XbX", "idempotency-key": crypto.randomUUID() };
  const broken = `--XbX\r\nContent-Disposition: form-data; name="q"\r\n--XbX--\r\n`;
  for (const path of [clonesPath, `${clonesPath}/check`])
    expect(await client.post(path, broken, { headers })).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  const whole = rawForm([
    { head: `Content-Disposition: form-data; name="name"`, body: "Ada" },
    { head: `Content-Disposition: form-data; name="files"; filename="a.wav"`, body: beep() },
  ]);
  const sent = { headers: { ...whole.headers, "idempotency-key": headers["idempotency-key"] } };
  expect((await client.post(clonesPath, whole.body, sent)).status).toBe(200);
});

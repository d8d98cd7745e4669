import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createVoiceEngines } from "../../src/adapters/providers/voice/voice-engines.ts";
import type { TrainedVoice, TrainingMaterial, VoiceEngine } from "../../src/features/voice/voice-engine.ts";
import { loadConfig } from "../../src/app/config/config.ts";
import { FakeClock } from "../support/clock.ts";
import { startCartesia } from "../support/vendors/cartesia.ts";
import { startChatterboxDevnen } from "../support/vendors/chatterbox-devnen.ts";
import { startChatterbox } from "../support/vendors/chatterbox.ts";
import { startElevenlabs } from "../support/vendors/elevenlabs.ts";
import { startOpenaiSpeech } from "../support/vendors/openai-speech.ts";
import { startPocketTts } from "../support/vendors/pocket-tts.ts";
import { soundFlaws, openWavHead } from "../support/vendors/speech.ts";
import { startXtts } from "../support/vendors/xtts.ts";
import { materialOnDisk, type MaterialOnDisk } from "../support/voice-material.ts";

/** What each vendor makes of a voice and a text, where it differs from the others. */

const never = new AbortController().signal;
const usual = { stability: 0.5, clarity: 0.75, useSpeakerBoost: true };

let material: MaterialOnDisk;
beforeAll(async () => {
  material = await materialOnDisk();
});
afterAll(() => material[Symbol.dispose]());

function enginesFor(env: Record<string, string>) {
  return createVoiceEngines(loadConfig({ flags: {}, env }).voiceVendors, new FakeClock());
}

async function trained(engine: VoiceEngine, changes: Partial<TrainingMaterial> = {}) {
  const outcome = await engine.train({ ...material, ...changes }, () => {}, never);
  if (outcome.kind !== "trained") throw new Error(`Expected a voice, got ${JSON.stringify(outcome)}`);
  const voice: TrainedVoice = { cloneId: material.cloneId, artefact: outcome.artefact, reference: material.reference };
  return { voice, notes: outcome.notes };
}

async function say(engine: VoiceEngine, voice: TrainedVoice, text = "Hello.", settings = usual): Promise<void> {
  const outcome = await engine.speak(voice, { text, settings }, never);
  if (outcome.kind !== "spoken") throw new Error(`Expected speech, got ${JSON.stringify(outcome)}`);
  for await (const block of outcome.blocks) void block;
}

async function elevenlabsWorld() {
  const vendor = await startElevenlabs();
  const env = { OUTREACHD_ELEVENLABS_URL: vendor.url, OUTREACHD_ELEVENLABS_API_KEY: vendor.apiKey };
  return { vendor, engine: enginesFor(env).elevenlabs, [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose]() };
}

test("ElevenLabs gets the settings under its own names", async () => {
  await using world = await elevenlabsWorld();
  const { voice } = await trained(world.engine);
  await say(world.engine, voice, "Hello.", { stability: 0.2, clarity: 0.9, useSpeakerBoost: false });
  expect(world.vendor.spoken).toEqual([
    {
      text: "Hello.",
      request: {
        model_id: "eleven_multilingual_v2",
        voice_settings: { stability: 0.2, similarity_boost: 0.9, use_speaker_boost: false },
      },
    },
  ]);
});

test("ElevenLabs gets the best samples, up to three minutes, without the names of their files", async () => {
  await using world = await elevenlabsWorld();
  const [best, other] = material.samples;
  const samples = [best!, { ...other!, clip: { ...other!.clip, seconds: 170 } }, other!];
  await trained(world.engine, { samples, labels: { language: "en", accent: "scottish", team: "blue" } });
  expect(world.vendor.added).toEqual([
    {
      id: "voice1",
      name: "Ada",
      description: "Speaks slowly (outreachd vc-7f3a)",
      labels: '{"language":"en","accent":"scottish"}',
      files: ["sample-1.wav", "sample-2.wav"],
    },
  ]);
});

test("a voice that ElevenLabs wants verified has failed, and is not left there", async () => {
  await using world = await elevenlabsWorld();
  world.vendor.verifyNext();
  expect(await world.engine.train(material, () => {}, never)).toEqual({
    kind: "failed",
    reason: expect.stringContaining("requires a verification") as string,
  });
  expect(world.vendor.voices.size).toBe(0);
});

test("a name and a description of any length and any letters reach ElevenLabs in its limits", async () => {
  await using world = await elevenlabsWorld();
  await trained(world.engine, { name: `a${"😀".repeat(120)}`, description: "é\n".repeat(600) });
  const [added] = world.vendor.added;
  expect(added?.name.length).toBeLessThanOrEqual(100);
  expect(added?.description.length).toBeLessThanOrEqual(500);
  expect(added?.description).toEndWith("(outreachd vc-7f3a)");
});

test("Cartesia is told the language, and finds earlier voices of a clone on any page", async () => {
  await using vendor = await startCartesia();
  const { cartesia } = enginesFor({ OUTREACHD_CARTESIA_URL: vendor.url, OUTREACHD_CARTESIA_API_KEY: vendor.apiKey });
  for (const cloneId of ["vc-a", "vc-b", "vc-c", "vc-7f3a", "vc-d"]) await trained(cartesia, { cloneId });
  const { voice } = await trained(cartesia, { labels: { language: "DE" } });
  expect(vendor.cloned.filter(({ id }) => vendor.voices.has(id)).map(({ description }) => description.slice(-6))).toEqual(
    ["vc-a)", "vc-b)", "vc-c)", "vc-d)", "-7f3a)"].map((end) => expect.stringContaining(end) as string),
  ); // prettier-ignore
  await say(cartesia, voice);
  expect(vendor.cloned.at(-1)?.language).toBe("de");
  expect(vendor.spoken.at(-1)?.request).toMatchObject({ language: "de", model_id: "sonic-3" });
});

test.each([
  ["chatterbox", startChatterbox, "OUTREACHD_CHATTERBOX_URL"],
  ["chatterbox-devnen", startChatterboxDevnen, "OUTREACHD_CHATTERBOX_DEVNEN_URL"],
] as const)(
  "%s speaks as lively as the stability says; the usual settings are its own",
  async (name, start, option) => {
    await using vendor = await start();
    const engine = enginesFor({ [option]: vendor.url })[name];
    const { voice } = await trained(engine);
    for (const stability of [0, 0.5, 1]) await say(engine, voice, "Hello.", { ...usual, stability });
    expect(vendor.spoken.map(({ request }) => [request["exaggeration"], request["temperature"]])).toEqual([
      [0.75, 1.05],
      [0.5, 0.8],
      [0.25, 0.55],
    ]);
    for (const { request } of vendor.spoken) expect(request).not.toHaveProperty("cfg_weight");
  },
);

test("Chatterbox never speaks in its default voice for a clone that it lost", async () => {
  await using vendor = await startChatterbox();
  const { chatterbox } = enginesFor({ OUTREACHD_CHATTERBOX_URL: vendor.url });
  const { voice } = await trained(chatterbox);
  vendor.voices.clear();
  expect(await chatterbox.speak(voice, { text: "Hello.", settings: usual }, never)).toMatchObject({ kind: "refused" });
  expect(vendor.spoken).toEqual([]);
});

test("what Chatterbox says of a language, or of a text that is too long, comes back", async () => {
  await using vendor = await startChatterbox();
  const { chatterbox } = enginesFor({ OUTREACHD_CHATTERBOX_URL: vendor.url });
  expect(await chatterbox.train({ ...material, labels: { language: "fr" } }, () => {}, never)).toEqual({
    kind: "failed",
    reason:
      "The Chatterbox server rejected it (400): Only English (en) is supported when not using multilingual model.",
  });
  const { voice } = await trained(chatterbox);
  expect(await chatterbox.speak(voice, { text: "a".repeat(3001), settings: usual }, never)).toEqual({
    kind: "refused",
    reason: "The Chatterbox server rejected it (422): input: String should have at most 3000 characters.",
  });
});

test("a server that can't delete is asked again until somebody has removed the file by hand", async () => {
  await using vendor = await startChatterboxDevnen();
  const engine = enginesFor({ OUTREACHD_CHATTERBOX_DEVNEN_URL: vendor.url })["chatterbox-devnen"];
  const { voice, notes } = await trained(engine);
  const [file = ""] = vendor.voices.keys();
  expect(notes).toEqual([expect.stringContaining(file)]);
  expect(engine.remove(voice.artefact, never)).rejects.toThrow(`Remove ${file} from its reference audio folder`);
  await engine.remove(voice.artefact, never).catch(() => {});
  vendor.voices.delete(file);
  await engine.remove(voice.artefact, never);
});

test("Pocket TTS is sent a file and a text, never an address to fetch", async () => {
  await using vendor = await startPocketTts();
  const engine = enginesFor({ OUTREACHD_POCKET_TTS_URL: vendor.url })["pocket-tts"];
  const { voice } = await trained(engine, { name: "http://169.254.169.254/", labels: { voice_url: "hf://x" } });
  await say(engine, voice, "http://169.254.169.254/latest");
  expect(vendor.spoken.at(-1)).toEqual({
    text: "http://169.254.169.254/latest",
    request: { text: true, voice_wav: true },
  });
});

async function xttsWorld(speakersDir = mkdtempSync(`${material.folder}/speakers-`)) {
  const seenThere = mkdtempSync(`${material.folder}/seen-`);
  const vendor = await startXtts(speakersDir === "elsewhere" ? seenThere : speakersDir);
  const folder = speakersDir === "elsewhere" ? mkdtempSync(`${material.folder}/other-`) : speakersDir;
  const env = { OUTREACHD_XTTS_URL: vendor.url, OUTREACHD_XTTS_SPEAKERS_DIR: folder };
  const { xtts } = enginesFor(env);
  return { vendor, xtts, folder, [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose]() };
}

test("a text that is the path of a file is spoken, not read by the XTTS server", async () => {
  await using world = await xttsWorld();
  const { voice } = await trained(world.xtts);
  await say(world.xtts, voice, "/etc/secrets.TXT");
  expect(world.vendor.spoken.at(-1)?.text).toBe("/etc/secrets.TXT.");
});

test("a folder that is not the one of the XTTS server is told at the training", async () => {
  await using world = await xttsWorld("elsewhere");
  expect(await world.xtts.train(material, () => {}, never)).toEqual({
    kind: "failed",
    reason: expect.stringContaining("OUTREACHD_XTTS_SPEAKERS_DIR must be the folder") as string,
  });
});

test("a folder of speakers that is gone is no reason to believe that a voice was deleted", async () => {
  await using world = await xttsWorld();
  const { voice } = await trained(world.xtts);
  rmSync(world.folder, { recursive: true });
  expect(world.xtts.remove(voice.artefact, never)).rejects.toThrow(
    "OUTREACHD_XTTS_SPEAKERS_DIR cannot be used (ENOENT)",
  );
  expect(await world.xtts.problem(never)).toContain("(ENOENT)");
  expect(await world.xtts.speak(voice, { text: "Hello.", settings: usual }, never)).toMatchObject({ kind: "busy" });
});

test.skipIf(process.getuid?.() === 0)("a folder of speakers that can't be written is told", async () => {
  await using world = await xttsWorld();
  chmodSync(world.folder, 0o500);
  expect(await world.xtts.problem(never)).toContain("(EACCES)");
  chmodSync(world.folder, 0o700);
});

test("what the XTTS server means by its errors", async () => {
  await using world = await xttsWorld();
  expect(await world.xtts.train({ ...material, labels: { language: "eo" } }, () => {}, never)).toEqual({
    kind: "failed",
    reason: expect.stringContaining("does not support this language") as string,
  });
  const { voice } = await trained(world.xtts);
  world.vendor.breakWith(soundFlaws(openWavHead()).silent, ({ path }) => path === "/tts_to_audio/");
  expect(await world.xtts.speak(voice, { text: "Hello.", settings: usual }, never)).toMatchObject({
    kind: "busy",
    reason: expect.stringContaining("streaming mode") as string,
  });
  expect(readdirSync(world.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

function openaiEngine(url: string, apiKey: string, env: Record<string, string> = {}) {
  return enginesFor({ OUTREACHD_OPENAI_SPEECH_URL: `${url}/v1`, OUTREACHD_OPENAI_SPEECH_API_KEY: apiKey, ...env })[
    "openai-speech"
  ];
}

test("a speech server that names voices is spoken with by name, and its voices are deleted", async () => {
  await using vendor = await startOpenaiSpeech("names");
  const engine = openaiEngine(vendor.url, vendor.apiKey, { OUTREACHD_OPENAI_SPEECH_MODEL: "qwen3-tts" });
  await trained(engine);
  const { voice } = await trained(engine, { reference: material.samples[0]!.clip });
  expect([...vendor.voices.keys()]).toEqual([expect.stringMatching(/^outreachd-vc-7f3a-[0-9a-f]{12}$/)]);
  await say(engine, voice);
  expect(vendor.spoken).toEqual([{ text: "Hello.", request: { model: "qwen3-tts", response_format: "wav" } }]);
  await engine.remove(voice.artefact, never);
  expect(vendor.voices.size).toBe(0);
});

test("a speech server that learns no voices says so, or speaks in a ready-made one and says that", async () => {
  await using vendor = await startOpenaiSpeech("none");
  vendor.voices.set("alloy", await Bun.file(material.reference.path).bytes());
  expect(await openaiEngine(vendor.url, vendor.apiKey).train(material, () => {}, never)).toEqual({
    kind: "failed",
    reason: expect.stringContaining("cannot clone voices") as string,
  });
  const engine = openaiEngine(vendor.url, vendor.apiKey, { OUTREACHD_OPENAI_SPEECH_VOICE: "alloy" });
  const { voice, notes } = await trained(engine);
  expect(notes).toEqual([expect.stringMatching(/^This is not a clone/)]);
  await say(engine, voice);
  const before = vendor.requests.length;
  await engine.remove(voice.artefact, never);
  expect(vendor.requests).toHaveLength(before);
});

test("speech of any length is passed on in constant memory", async () => {
  await using vendor = await startPocketTts();
  const engine = enginesFor({ OUTREACHD_POCKET_TTS_URL: vendor.url })["pocket-tts"];
  const { voice } = await trained(engine);
  vendor.breakWith(soundFlaws(openWavHead()).endless, ({ path }) => path === "/tts");
  const outcome = await engine.speak(voice, { text: "Hello.", settings: usual }, never);
  if (outcome.kind !== "spoken") throw new Error(`Expected speech, got ${JSON.stringify(outcome)}`);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  let seconds = 0;
  for await (const block of outcome.blocks) {
    seconds += block.length / outcome.sampleRate;
    if (seconds > 600) break; // 29 MB as it comes, 58 MB as numbers
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  expect(seconds).toBeGreaterThan(600);
  expect(peak - before).toBeLessThan(50 * 2 ** 20);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { createVoiceEngines, type VoiceVendorConfig } from "../../../src/adapters/providers/voice/voice-engines.ts";
import type {
  SpeechOutcome,
  TrainedVoice,
  TrainingOutcome,
  VoiceEngine,
} from "../../../src/features/voice/voice-engine.ts";
import { FakeClock } from "../../support/clock.ts";
import { startCartesia } from "../../support/vendors/cartesia.ts";
import { startChatterboxDevnen } from "../../support/vendors/chatterbox-devnen.ts";
import { startChatterbox } from "../../support/vendors/chatterbox.ts";
import { startElevenlabs } from "../../support/vendors/elevenlabs.ts";
import { disorders, type Recorded } from "../../support/vendors/loopback.ts";
import { startOpenaiSpeech } from "../../support/vendors/openai-speech.ts";
import { startPocketTts } from "../../support/vendors/pocket-tts.ts";
import {
  halting,
  openWavHead,
  samplesIn,
  soundFlawNames,
  soundFlaws,
  type SpeechVendor,
} from "../../support/vendors/speech.ts";
import { startXtts } from "../../support/vendors/xtts.ts";
import { materialOnDisk, type MaterialOnDisk } from "../../support/voice-material.ts";

type EngineName = keyof ReturnType<typeof createVoiceEngines>;

/** An engine with the vendor that it speaks with, in good order. */
type World = {
  engine: VoiceEngine;
  vendor: SpeechVendor;
  clock: FakeClock;
  /** What must stand in no reason. */
  secrets: string[];
  /** The recording that the voice is made of, and how many seconds of it. */
  voiceOf: (material: MaterialOnDisk) => { path: string; seconds: number };
  /** Voices that are kept outside, by name. */
  kept: () => string[];
  isSpeech: (request: Recorded) => boolean;
  /** What stands before the samples of an answer. */
  head: Uint8Array;
  [Symbol.asyncDispose](): Promise<void>;
};

const never = new AbortController().signal;
const settings = { stability: 0.25, clarity: 0.9, useSpeakerBoost: false };
const nothing: VoiceVendorConfig = {
  elevenlabsUrl: "https://api.elevenlabs.io",
  elevenlabsApiKey: null,
  elevenlabsModel: "eleven_multilingual_v2",
  cartesiaUrl: "https://api.cartesia.ai",
  cartesiaApiKey: null,
  cartesiaModel: "sonic-3",
  chatterboxUrl: null,
  chatterboxDevnenUrl: null,
  pocketTtsUrl: null,
  xttsUrl: null,
  xttsSpeakersDir: null,
  openaiSpeechUrl: null,
  openaiSpeechApiKey: null,
  openaiSpeechModel: "tts-1",
  openaiSpeechVoice: null,
  language: "en",
};

let material: MaterialOnDisk;
beforeAll(async () => {
  material = await materialOnDisk();
});
afterAll(() => material[Symbol.dispose]());

function worldOf(
  name: EngineName,
  vendor: SpeechVendor,
  config: Partial<VoiceVendorConfig>,
  more: Partial<World> = {},
): World {
  const clock = new FakeClock();
  return {
    engine: createVoiceEngines({ ...nothing, ...config }, clock)[name],
    vendor,
    clock,
    secrets: [],
    voiceOf: ({ reference }) => reference,
    kept: () => [...vendor.voices.keys()],
    isSpeech: ({ method, path }) => method === "POST" && /speech|tts/.test(path),
    head: openWavHead(),
    [Symbol.asyncDispose]: async () => await vendor[Symbol.asyncDispose](),
    ...more,
  };
}

const worlds: Record<EngineName, () => Promise<World>> = {
  elevenlabs: async () => {
    const vendor = await startElevenlabs();
    return worldOf(
      "elevenlabs",
      vendor,
      { elevenlabsUrl: vendor.url, elevenlabsApiKey: vendor.apiKey },
      { secrets: [vendor.apiKey], voiceOf: ({ samples }) => samples[0]!.clip, head: new Uint8Array(0) },
    );
  },
  cartesia: async () => {
    const vendor = await startCartesia();
    return worldOf(
      "cartesia",
      vendor,
      { cartesiaUrl: vendor.url, cartesiaApiKey: vendor.apiKey },
      { secrets: [vendor.apiKey], voiceOf: ({ samples }) => ({ ...samples[0]!.clip, seconds: 10 }) },
    );
  },
  chatterbox: async () => {
    const vendor = await startChatterbox();
    return worldOf("chatterbox", vendor, { chatterboxUrl: vendor.url });
  },
  "chatterbox-devnen": async () => {
    const vendor = await startChatterboxDevnen();
    return worldOf("chatterbox-devnen", vendor, { chatterboxDevnenUrl: vendor.url });
  },
  "pocket-tts": async () => {
    const vendor = await startPocketTts();
    return worldOf("pocket-tts", vendor, { pocketTtsUrl: vendor.url });
  },
  xtts: async () => {
    const speakersDir = join(material.folder, `speakers-${Bun.randomUUIDv7()}`);
    mkdirSync(speakersDir);
    const vendor = await startXtts(speakersDir);
    return worldOf(
      "xtts",
      vendor,
      { xttsUrl: vendor.url, xttsSpeakersDir: speakersDir },
      { kept: () => readdirSync(speakersDir) },
    );
  },
  "openai-speech": async () => {
    const vendor = await startOpenaiSpeech("ids");
    return worldOf(
      "openai-speech",
      vendor,
      { openaiSpeechUrl: `${vendor.url}/v1`, openaiSpeechApiKey: vendor.apiKey },
      { secrets: [vendor.apiKey] },
    );
  },
};
const names = Object.keys(worlds) as EngineName[];
/** Of these a voice lies outside after it was trained. */
const keepers: EngineName[] = names.filter((name) => name !== "pocket-tts");
/** Of these it can be deleted by the program that we speak with, or by ourselves. */
const deleters = keepers.filter((name) => name !== "chatterbox-devnen");

const train = ({ engine }: World, signal = never) => engine.train(material, () => {}, signal);

async function trained(world: World, from = material): Promise<TrainedVoice> {
  const outcome = await world.engine.train(from, () => {}, never);
  if (outcome.kind !== "trained") throw new Error(`Expected a voice, got ${JSON.stringify(outcome)}`);
  return { cloneId: from.cloneId, artefact: outcome.artefact, reference: from.reference };
}

const speak = ({ engine }: World, voice: TrainedVoice, text = "Good morning.", signal = never) =>
  engine.speak(voice, { text, settings }, signal);

/** All samples of a speech; throws as its blocks do. */
async function heard(outcome: SpeechOutcome): Promise<{ sampleRate: number; samples: Float32Array }> {
  if (outcome.kind !== "spoken") throw new Error(`Expected speech, got ${JSON.stringify(outcome)}`);
  const blocks: Float32Array[] = [];
  for await (const block of outcome.blocks) blocks.push(block);
  const bytes = Buffer.concat(blocks.map((block) => new Uint8Array(block.buffer, block.byteOffset, block.byteLength)));
  return { sampleRate: outcome.sampleRate, samples: new Float32Array(new Uint8Array(bytes).buffer) };
}

/** Takes a speech to its end without keeping it. */
async function listened(outcome: SpeechOutcome): Promise<void> {
  if (outcome.kind === "spoken") for await (const block of outcome.blocks) void block;
}

async function recordingOf({ path, seconds }: { path: string; seconds: number }): Promise<Float32Array> {
  const bytes = new Uint8Array(samplesIn(await Bun.file(path).bytes()));
  return Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_768).subarray(0, seconds * 24_000);
}

/** Fails for a reason that a person could not make sense of, or that gives a secret away. */
function expectReadable(reason: string | null | undefined, { secrets }: World): void {
  expect(reason).toMatch(/^[A-Z][^\n\r]{5,500}[.!?…]$/u);
  expect(reason).not.toMatch(/<|\[object|undefined|null|NaN/);
  for (const secret of secrets) expect(reason).not.toContain(secret);
}

/** Fails for an outcome that is no readable failure. `kinds`: those that it may be of. */
function expectFailure(outcome: TrainingOutcome | SpeechOutcome, world: World, ...kinds: string[]): string {
  expect(kinds).toContain(outcome.kind);
  if (!("reason" in outcome)) throw new Error("unreachable");
  expectReadable(outcome.reason, world);
  if (outcome.kind === "busy") expect(outcome.retryAfterSeconds).toBeGreaterThan(0);
  return outcome.reason;
}

describe.each(names)("the %s engine", (name) => {
  test("finds no problem with a vendor that is set up", async () => {
    await using world = await worlds[name]();
    expect(await world.engine.problem(never)).toBeNull();
    expect(world.vendor.spoken).toEqual([]);
  });

  test("speaks any text in the voice of the samples", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const text = 'Grüße, 世界! "Quoted" & <b>bold</b> ?=#%20';
    const { sampleRate, samples } = await heard(await speak(world, voice, text));
    expect(sampleRate).toBe(24_000);
    expect(samples).toEqual(await recordingOf(world.voiceOf(material)));
    expect(world.vendor.spoken.at(-1)?.text).toBe(text);
    expect(voice.artefact.length).toBeLessThan(2 ** 20);
  });

  test("tells how the training goes on, never backwards, up to the end", async () => {
    await using world = await worlds[name]();
    const told: [number, string][] = [];
    await world.engine.train(material, (percent, stage) => told.push([percent, stage]), never);
    expect(told[0]?.[0]).toBe(0);
    expect(told.at(-1)?.[0]).toBe(100);
    expect(told.map(([percent]) => percent)).toEqual(told.map(([percent]) => percent).toSorted((a, b) => a - b));
    for (const [, stage] of told) expect(stage).toMatch(/^[A-Z][\w ]+$/);
  });

  test("keeps one voice of a clone, however often its training was cut off", async () => {
    await using world = await worlds[name]();
    await trained(world);
    const voice = await trained(world);
    expect(world.kept()).toHaveLength(keepers.includes(name) ? 1 : 0);
    await heard(await speak(world, voice));
  });

  test("trains a clone again, and leaves other clones alone", async () => {
    await using world = await worlds[name]();
    using others = await materialOnDisk({ cloneId: "vc-7f3b" });
    const other = await trained(world, others);
    await trained(world);
    using better = await materialOnDisk({
      samples: material.samples.toReversed(),
      reference: material.samples[1]!.clip,
    });
    const voice = await trained(world, better);
    const { samples } = await heard(await speak(world, voice));
    expect(samples).toEqual((await recordingOf(material.samples[1]!.clip)).subarray(0, samples.length));
    // Who can't delete keeps the first one of the clone as well.
    expect(world.kept()).toHaveLength(name === "chatterbox-devnen" ? 3 : keepers.includes(name) ? 2 : 0);
    await heard(await speak(world, other));
  });

  test("still speaks when a second training fails", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.refuseNext(new Response(null, { status: 402 }), ({ method }) => method === "POST");
    expectFailure(await train(world), world, "failed");
    const { samples } = await heard(await speak(world, voice));
    expect(samples).toEqual(await recordingOf(world.voiceOf(material)));
  });

  test("without what it needs says which option is missing", async () => {
    await using world = await worlds[name]();
    const bare = { ...world, engine: createVoiceEngines(nothing, world.clock)[name] };
    const reason = await bare.engine.problem(never);
    expectReadable(reason, world);
    expect(reason).toMatch(/OUTREACHD_[A-Z_]+/);
    expect(await train(bare)).toEqual({ kind: "failed", reason: reason ?? "" });
    const voice = await trained(world);
    expect(await speak(bare, voice)).toEqual({ kind: "busy", reason: reason ?? "", retryAfterSeconds: 3600 });
    if (keepers.includes(name)) expect(bare.engine.remove(voice.artefact, never)).rejects.toThrow(reason ?? "");
  });

  test("is busy while nobody takes the connection", async () => {
    const world = await worlds[name]();
    const voice = await trained(world);
    await world[Symbol.asyncDispose]();
    expectReadable(await world.engine.problem(never), world);
    expectFailure(await train(world), world, "busy");
    expectFailure(await speak(world, voice), world, "busy");
  });

  test("does nothing for a caller who has given up already", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const before = world.vendor.requests.length;
    expect(train(world, AbortSignal.abort())).rejects.toThrow("aborted");
    expect(speak(world, voice, "Hello.", AbortSignal.abort())).rejects.toThrow("aborted");
    await Promise.resolve();
    expect(world.vendor.requests).toHaveLength(before);
  });

  test.each(disorders.filter((disorder) => disorder !== "hanging"))(
    "has neither voice nor sound when the vendor's answers are %s",
    async (disorder) => {
      await using world = await worlds[name]();
      const voice = await trained(world);
      world.vendor.breakWith(disorder);
      expectReadable(await world.engine.problem(never), world);
      expectFailure(await train(world), world, "busy", "failed");
      expectFailure(await speak(world, voice), world, "busy", "refused");
      world.vendor.breakWith(null);
      await heard(await speak(world, voice));
      expect(world.clock.pending).toEqual([]);
    },
  );

  test.each(soundFlawNames)("tells when the sound is %s", async (flaw) => {
    // Takes a second or two, and is no different where the sound comes in the same way.
    if (flaw === "endless" && name !== "elevenlabs" && name !== "xtts") return;
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.breakWith(soundFlaws(world.head)[flaw], world.isSpeech);
    const outcome = await speak(world, voice);
    if (outcome.kind === "spoken") {
      const error: unknown = await listened(outcome).catch((thrown: unknown) => thrown);
      expect(["endless", "cutOff"]).toContain(flaw);
      expectReadable(error instanceof Error ? error.message : null, world);
    } else expectFailure(outcome, world, "busy");
    expect(world.clock.pending).toEqual([]);
  });

  test("hands the first sound on before the last has come, and hangs up when nobody listens", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const { flaw, hasStopped } = halting(world.head);
    world.vendor.breakWith(flaw, world.isSpeech);
    const outcome = await speak(world, voice);
    if (outcome.kind !== "spoken") throw new Error(`Expected speech, got ${JSON.stringify(outcome)}`);
    for await (const block of outcome.blocks) {
      expect(block.length).toBeGreaterThan(0);
      break;
    }
    await hasStopped;
    expect(world.clock.pending).toEqual([]);
  });

  test("ends with the caller's patience, before the sound and in the midst of it", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.breakWith("hanging", world.isSpeech);
    const impatient = new AbortController();
    const speaking = speak(world, voice, "Hello.", impatient.signal);
    await world.vendor.hasHung();
    impatient.abort();
    expect(speaking).rejects.toThrow("aborted");
    await speaking.catch(() => {});

    world.vendor.breakWith(halting(world.head).flaw, world.isSpeech);
    const patience = new AbortController();
    const listening = heard(await speak(world, voice, "Hello.", patience.signal));
    patience.abort();
    expect(listening).rejects.toThrow("aborted");
    await listening.catch(() => {});
    expect(world.clock.pending).toEqual([]);
  });

  test("gives a silent vendor up by itself", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.breakWith("hanging", world.isSpeech);
    const speaking = speak(world, voice);
    await world.vendor.hasHung();
    world.clock.advance(4 * 60_000);
    expect(expectFailure(await speaking, world, "busy")).toContain("in time");

    world.vendor.breakWith(halting(world.head).flaw, world.isSpeech);
    const listening = heard(await speak(world, voice));
    world.clock.advance(4 * 60_000);
    expect(listening).rejects.toThrow("in time");
    await listening.catch(() => {});
  });

  test("waits as long as a busy vendor asks for", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const detail = { status: "too_many_concurrent_requests", message: "Too many requests at once" };
    const busy = () => Response.json({ detail }, { status: 429, headers: { "retry-after": "17" } });
    world.vendor.refuseNext(busy(), world.isSpeech);
    const reason = "is busy: Too many requests at once.";
    const expected = {
      kind: "busy" as const,
      reason: expect.stringContaining(reason) as string,
      retryAfterSeconds: 17,
    };
    expect(await speak(world, voice)).toEqual(expected);
    world.vendor.refuseNext(busy());
    expect(await train(world)).toEqual(expected);
    world.vendor.refuseNext(new Response("later", { status: 503, headers: { "retry-after": "5" } }), world.isSpeech);
    expect(await speak(world, voice)).toMatchObject({ kind: "busy", retryAfterSeconds: 5 });
  });

  test.each<[string, () => Response, RegExp]>([
    [
      "a wrong key",
      () => Response.json({ detail: { status: "invalid_api_key", message: "Bad key" } }, { status: 401 }),
      /access \(401\): Bad key\./,
    ],
    ["a key without the right", () => new Response("Forbidden", { status: 403 }), /access \(403\)/],
    [
      "a used up quota",
      () => Response.json({ detail: { status: "quota_exceeded", message: "3 credits remain" } }, { status: 401 }),
      /quota .* is used up: 3 credits remain\./,
    ],
    [
      "a used up quota as OpenAI tells it",
      () => Response.json({ error: { code: "insufficient_quota", message: "Check your plan" } }, { status: 429 }),
      /quota .* is used up: Check your plan\./,
    ],
    [
      "another address",
      () => new Response(null, { status: 301, headers: { location: "https://elsewhere.example" } }),
      /another URL \(301\)\. Check OUTREACHD_/,
    ],
  ])("fails in words for what an operator must see to: %s", async (_what, answer, reason) => {
    // prettier-ignore
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.refuseNext(answer(), world.isSpeech);
    // The text is all right: it waits.
    expect(expectFailure(await speak(world, voice), world, "busy")).toMatch(reason);
    world.vendor.refuseNext(answer());
    expect(expectFailure(await train(world), world, "failed")).toMatch(reason);
    world.vendor.refuseNext(answer());
    expect(await world.engine.problem(never)).toMatch(reason);
  });

  test.each<[string, () => Response, RegExp]>([
    [
      "wrong fields",
      () =>
        Response.json(
          {
            detail: [
              { loc: ["body", "text"], msg: "String too long" },
              { loc: ["body", "language"], msg: "Unknown" },
            ],
          },
          { status: 422 },
        ),
      /rejected it \(422\): text: String too long; language: Unknown\./,
    ],
    [
      "an error as an object",
      () => Response.json({ detail: { message: "The text has no words" } }, { status: 422 }),
      /rejected it \(422\): The text has no words\./,
    ],
    [
      "an error as a text",
      () => Response.json({ detail: "Text cannot be empty" }, { status: 400 }),
      /rejected it \(400\): Text cannot be empty\./,
    ],
    [
      "an error as Cartesia tells it",
      () => Response.json({ error_code: "bad", title: "Bad", message: "No such language" }, { status: 400 }),
      /rejected it \(400\): No such language\./,
    ],
    [
      "a page",
      () => new Response("<html><h1>Bad Request</h1>", { status: 400, headers: { "content-type": "text/html" } }),
      /rejected it \(400\)\.$/,
    ],
  ])("refuses for good, in words, for %s", async (_what, answer, reason) => {
    // prettier-ignore
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.refuseNext(answer(), world.isSpeech);
    expect(expectFailure(await speak(world, voice), world, "refused")).toMatch(reason);
    // An upload to that server tells what is wrong with a file, and by 400 only that.
    if (name === "chatterbox-devnen" && answer().status === 400) return;
    world.vendor.refuseNext(answer());
    expect(expectFailure(await train(world), world, "failed")).toMatch(reason);
  });

  test("repeats no key that a vendor repeats", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const keys = world.secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
    for (const status of [400, 401, 429, 500]) {
      const answer = Response.json({ detail: `Wrong key: Bearer ${keys.join(" and ")}!` }, { status });
      world.vendor.refuseNext(answer, world.isSpeech);
      expect(expectFailure(await speak(world, voice), world, "refused", "busy")).toContain("Wrong key: Bearer");
    }
  });

  test("speaks several texts at once without mixing them up", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    const texts = ["One.", "Two.", "Three."];
    const all = await Promise.all(texts.map(async (text) => await heard(await speak(world, voice, text))));
    const expected = await recordingOf(world.voiceOf(material));
    for (const { samples } of all) expect(samples).toEqual(expected);
    expect(world.vendor.spoken.slice(-3).map(({ text }) => text).toSorted()).toEqual(texts.toSorted()); // prettier-ignore
  });
});

describe.each(keepers)("the %s engine, which keeps voices outside", (name) => {
  test("tells what to do when the voice is no longer there", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    world.vendor.voices.clear();
    if (name === "xtts") return await heard(await speak(world, voice)).then(() => {}); // brings it back
    const reason = expectFailure(await speak(world, voice), world, "refused");
    expect(reason).toMatch(name === "openai-speech" ? /Unknown voice/ : /no longer has this voice: train/);
  });

  test("has a voice that was made, even if earlier ones could not be looked for", async () => {
    await using world = await worlds[name]();
    if (name === "xtts" || name === "chatterbox-devnen") return; // need not look, or can't delete
    world.vendor.breakWith("failing", ({ method }) => method === "GET");
    const outcome = await train(world);
    expect(outcome).toMatchObject({ kind: "trained" });
    if (outcome.kind === "trained")
      expect(outcome.notes.at(-1)).toMatch(/^An earlier voice .* may still exist .*failed \(502\)/);
  });

  test("does not take a vendor that is down for one that has deleted", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    if (name === "xtts") return; // deletes in its folder, without asking anybody
    const page = (outgoing: ServerResponse) => outgoing.writeHead(404, { "content-type": "text/html" }).end("<h1>404");
    const route = (outgoing: ServerResponse) =>
      outgoing.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}');
    for (const disorder of ["failing", "broken", page, route] as const) {
      world.vendor.breakWith(disorder);
      const error: unknown = await world.engine.remove(voice.artefact, never).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: "VendorFailure", retryAfterSeconds: expect.any(Number) });
      expectReadable((error as Error).message, world);
    }
    world.vendor.breakWith(null);
    expect(world.kept()).toHaveLength(1);
  });
});

describe.each(deleters)("the %s engine, which deletes voices outside", (name) => {
  test("leaves nothing of a voice there, also when asked twice", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    expect(world.kept()).toHaveLength(1);
    await world.engine.remove(voice.artefact, never);
    expect(world.kept()).toEqual([]);
    await world.engine.remove(voice.artefact, never);
  });

  test("deletes for nobody who has given up", async () => {
    await using world = await worlds[name]();
    const voice = await trained(world);
    if (name === "xtts") return; // is done before anybody could
    expect(world.engine.remove(voice.artefact, AbortSignal.abort())).rejects.toThrow("aborted");
    expect(world.kept()).toHaveLength(1);
  });
});

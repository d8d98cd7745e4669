import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock } from "../../platform/base/clock.ts";
import type { Ids } from "../../platform/base/ids.ts";
import type { Log } from "../../platform/base/log.ts";
import { createBuiltInVoices } from "./built-in.ts";
import { SampleChecker } from "./check.ts";
import type { ConsentMode, OriginalsPolicy, VoiceEngineName } from "./model.ts";
import { VoiceRemovals } from "./removals.ts";
import { SampleMeter } from "./sample-meter.ts";
import { VoiceService } from "./service.ts";
import { SpeakingLine } from "./speaking.ts";
import { SpeechCache } from "./speech-cache.ts";
import { SpeechService } from "./speech-service.ts";
import type { VoiceStore } from "./store.ts";
import { createTrainingHandler, type VoiceEngines } from "./training-job.ts";
import { VoiceMessages } from "./voice-messages.ts";

export type VoiceConfig = Readonly<{
  voiceEngine: VoiceEngineName;
  voiceMaxClones: number;
  voiceMaxBytes: number;
  voiceConsent: ConsentMode;
  voiceOriginals: OriginalsPolicy;
  voiceCacheBytes: number;
}>;

export type VoiceSetup = {
  store: VoiceStore;
  blobs: BlobStore;
  /** Beside the built-in one, or in its place. */
  engines: VoiceEngines;
  config: VoiceConfig;
  /** Where to read how to get more clones. */
  upgradeUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
  poke: () => void;
};

/** The voice feature, put together. Nothing heavy is loaded before a voice is used: that happens in threads. */
export function createVoices({ store, blobs, engines: others, config, upgradeUrl, clock, ids, log, poke }: VoiceSetup) {
  const line = new SpeakingLine(clock);
  const engines: VoiceEngines = { local: createBuiltInVoices(line), ...others };
  const cache = new SpeechCache(blobs, config.voiceCacheBytes, clock);
  const speech = new SpeechService({ store, blobs, engines, line, cache, log });
  const meter = new SampleMeter();
  const removals = new VoiceRemovals(store, engines, clock, log);
  const arriving = new Set<string>();
  const service = new VoiceService({
    store,
    blobs,
    rules: {
      engine: config.voiceEngine,
      maxClones: config.voiceMaxClones,
      maxBytes: config.voiceMaxBytes,
      consent: config.voiceConsent,
      upgradeUrl,
    },
    arriving,
    clock,
    ids,
    log,
    poke,
    onRemoved: (cloneId) => cache.forget(cloneId),
  });

  async function sweep(): Promise<void> {
    const failed = await service.forgetFailed();
    if (failed > 0) log.info({ failed }, "deleted voice clones whose training failed a week ago");
    const removed = await service.sweep();
    await cache.sweep(async (cloneId) => (await store.known([cloneId])).has(cloneId));
    if (removed > 0) log.info({ removed }, "removed voice files that no clone has");
  }

  /** What was spoken in voices of the user, or of anybody: it is made anew when it's wanted. */
  async function forgetSpeech(userId: string | null): Promise<void> {
    await cache.sweep(async (cloneId) => userId !== null && (await store.get(userId, cloneId)) === null);
  }

  /** An operator learns from the log what every training would fail with. */
  async function tellProblem(): Promise<void> {
    const { voiceEngine } = config;
    const engine = engines[voiceEngine];
    const problem = engine === undefined ? "It is not set up." : await engine.problem(AbortSignal.timeout(10_000));
    if (problem !== null) log.warn({ engine: voiceEngine, problem }, "no voice can be trained");
  }

  return {
    service,
    speech,
    checker: new SampleChecker(blobs, meter, arriving, clock, ids),
    messages: new VoiceMessages(store, speech),
    forgetSpeech,
    handler: createTrainingHandler({
      store,
      blobs,
      engines,
      meter,
      originals: config.voiceOriginals,
      clock,
      log,
      removeFiles: (cloneId) => service.removeFiles(cloneId),
    }),
    chores: [
      { name: "delete voices at their vendors", pattern: "30 * * * * *", run: () => removals.run() },
      { name: "sweep voice files", pattern: "0 20 3 * * *", run: sweep },
    ],
    /** Removes files that no clone has: of uploads and deletions that a crash cut off. */
    async start(): Promise<void> {
      await sweep();
      void tellProblem().catch((error: unknown) => log.warn({ err: error }, "could not ask the voice engine"));
    },
    async stop(): Promise<void> {
      await speech.settled();
      line.stop();
    },
  };
}

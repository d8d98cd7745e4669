import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import { createBuiltInVoices } from "./built-in.ts";
import { SampleChecker } from "./check.ts";
import type { ConsentMode, OriginalsPolicy, VoiceEngineName } from "./model.ts";
import { VoiceRemovals } from "./removals.ts";
import { SampleMeter } from "./sample-meter.ts";
import { VoiceService } from "./service.ts";
import { SpeakingClient } from "./speaking-client.ts";
import { SpeechCache } from "./speech-cache.ts";
import { SpeechService } from "./speech-service.ts";
import type { VoiceStore } from "./store.ts";
import { createTrainingHandler, type VoiceEngines } from "./training-job.ts";
import { VoiceMessages } from "./voice-messages.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

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
  /** Engines in addition to the built-in one, or replacing it. */
  engines: VoiceEngines;
  config: VoiceConfig;
  /** URL that explains how to get more clones. */
  upgradeUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
  onJobSubmitted: () => void;
};

/** Assembles the voice feature. Heavy code is loaded in threads, and only when a voice is used. */
export function createVoices({
  store,
  blobs,
  engines: others,
  config,
  upgradeUrl,
  clock,
  ids,
  log,
  onJobSubmitted,
}: VoiceSetup) {
  const line = new SpeakingClient(clock);
  const engines: VoiceEngines = { local: createBuiltInVoices(line), ...others };
  const cache = new SpeechCache(blobs, config.voiceCacheBytes, clock);
  const speech = new SpeechService({ store, blobs, engines, line, cache, log });
  const meter = new SampleMeter();
  const removals = new VoiceRemovals(store, engines, clock, log);
  const uploading = new Set<string>();
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
    uploading,
    clock,
    ids,
    log,
    onJobSubmitted,
    onRemoved: (cloneId) => cache.removeVoice(cloneId),
  });

  async function sweep(): Promise<void> {
    const failed = await service.deleteFailed();
    if (failed > 0) log.info({ failed }, "deleted voice clones that failed training a week ago");
    const removed = await service.sweep();
    await cache.sweep(async (cloneId) => (await store.findClones([cloneId])).has(cloneId));
    if (removed > 0) log.info({ removed }, "removed orphaned voice files");
  }

  /** Deletes cached speech in the voices of a user, or of all users if null. It is generated again on demand. */
  async function forgetSpeech(workspaceId: WorkspaceId | null): Promise<void> {
    await cache.sweep(async (cloneId) => workspaceId !== null && (await store.get(workspaceId, cloneId)) === null);
  }

  /** Logs a problem that would make every training fail, so that the operator learns about it. */
  async function logEngineProblem(): Promise<void> {
    const { voiceEngine } = config;
    const engine = engines[voiceEngine];
    const problem = engine === undefined ? "It is not configured." : await engine.problem(AbortSignal.timeout(10_000));
    if (problem !== null) log.warn({ engine: voiceEngine, problem }, "voice engine cannot train voices");
  }

  return {
    service,
    speech,
    checker: new SampleChecker(blobs, meter, uploading, clock, ids),
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
    /** Removes orphaned files left by uploads and deletions that a crash interrupted. */
    async start(): Promise<void> {
      await sweep();
      void logEngineProblem().catch((error: unknown) => log.warn({ err: error }, "could not check the voice engine"));
    },
    async stop(): Promise<void> {
      await speech.flush();
      line.stop();
    },
  };
}

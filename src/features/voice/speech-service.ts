import { multiLine } from "../../platform/base/text.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import { FairQueue } from "../../lib/concurrency/fair-queue.ts";
import type { Log } from "../../platform/base/log.ts";
import { version } from "../../platform/base/version.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";
import type { AudioTags } from "../../lib/audio/tags.ts";
import { voiceFiles } from "./files.ts";
import type { PreviewFormat, VoiceCloneState, VoiceEngineName, VoiceSettings } from "./model.ts";
import type { SpeakingClient } from "./speaking-client.ts";
import type { SpeechCache } from "./speech-cache.ts";
import type { TrainedArtefact } from "./change-model.ts";
import type { VoiceStore } from "./store.ts";
import type { VoiceEngines } from "./training-job.ts";
import type { SpeechOutcome } from "./voice-engine.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type SpeechParts = {
  store: VoiceStore;
  blobs: BlobStore;
  engines: VoiceEngines;
  line: SpeakingClient;
  cache: SpeechCache;
  log: Log;
};

export type SpeechOptions = { text: string; settings: VoiceSettings; format: PreviewFormat };

/** An audio file, either stored or streamed. */
export type SpokenFile = {
  mediaType: string;
  engine: VoiceEngineName;
  content: { kind: "file"; file: BlobContent } | { kind: "stream"; bytes: AsyncIterable<Uint8Array> };
};

export const speechMediaTypes: Record<PreviewFormat, string> = { wav: "audio/wav", m4a: "audio/mp4" };

/** The built-in engine accepts 16 texts at a time; no user gets more than a quarter of them. */
const maxPreviewsPerUser = 4;
const busySeconds = 5;

/** Longer than any message, so an engine that exceeds it is out of control and must be stopped. */
const maxSeconds = 120;

/** Increment when the same input produces a different file. */
const renderingVersion = 2;

/** Generates speech with voice clones of any engine, and marks every file as synthetic. */
export class SpeechService {
  readonly #parts: SpeechParts;
  /** Pending writes to the cache. */
  readonly #cacheWrites = new Set<Promise<void>>();
  readonly #previews = new FairQueue({ perOwner: maxPreviewsPerUser, total: Number.POSITIVE_INFINITY });

  constructor(parts: SpeechParts) {
    this.#parts = parts;
  }

  /** Why the clone cannot speak, as a sentence, or null if it can. */
  problemOf(clone: VoiceCloneState): string | null {
    if (!clone.isActive) return `The voice ${clone.name} is deactivated. Set isActive to true first.`;
    if (clone.status === "failed")
      return `The voice ${clone.name} cannot be used because its training failed: ${clone.message}`;
    if (clone.trainedAt === null)
      return `The voice ${clone.name} is still being trained (${Math.round(clone.progress)} %). Try again when it is ready.`;
    return null;
  }

  /** Preloads what a preview needs, because a user who views a voice is likely to request one next. */
  async expect(clone: VoiceCloneState): Promise<void> {
    const { store, line } = this.#parts;
    if (clone.engine !== "local" || this.problemOf(clone) !== null) return;
    const artefact = await store.artefact(clone.id);
    if (artefact?.engine === "local") line.warm(artefact.artefact);
  }

  /**
   * Generates a file, streamed as soon as its beginning is available. Throws NOT_FOUND; CONFLICT if the clone cannot
   * speak; VALIDATION_ERROR for text that cannot be spoken; RATE_LIMIT_EXCEEDED if too many previews of the user are in
   * progress; and SERVICE_UNAVAILABLE with a retry time if the engine is busy.
   */
  async speak(clone: VoiceCloneState, order: SpeechOptions, signal: AbortSignal): Promise<SpokenFile> {
    const { cache } = this.#parts;
    const artefact = await this.#voiceOf(clone);
    const mediaType = speechMediaTypes[order.format];
    const text = multiLine(order.text);
    if (text === "") throw invalid([{ path: "text", message: "Must not be empty." }]);
    const key = cacheKey(clone, artefact, { ...order, text });
    const known = await cache.find(clone.id, key);
    const { engine } = artefact;
    if (known !== null && "body" in known) return { mediaType, engine, content: { kind: "file", file: known } };
    if (known !== null) return { mediaType, engine, content: { kind: "stream", bytes: iterate(known) } };
    const leave = this.#joinPreviews(clone.workspaceId, signal);
    try {
      const { sampleRate, blocks } = await this.#synthesize(clone, artefact, text, order.settings, signal);
      const tags = tagsOf(clone, engine);
      if (order.format === "wav") {
        const bytes = this.#wav(sampleRate, withOnEnd(blocks, leave), tags, (parts) =>
          this.#cacheSpeech(clone.id, key, parts),
        );
        return { mediaType, engine, content: { kind: "stream", bytes } };
      }
      const file = await this.#parts.line.encode(sampleRate, blocks, tags, signal);
      leave();
      this.#cacheSpeech(clone.id, key, [file]);
      return { mediaType, engine, content: { kind: "stream", bytes: iterate([file]) } };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Returns a function that frees the slot. A client disconnect frees it too, even before anything was read. */
  #joinPreviews(workspaceId: WorkspaceId, signal: AbortSignal): () => void {
    signal.throwIfAborted();
    if (this.#previews.fullFor(workspaceId) !== null)
      throw new ApiError("RATE_LIMIT_EXCEEDED", {
        message: `Rate limit exceeded: ${maxPreviewsPerUser} of your previews are in progress. Try again when one of them is done.`,
        details: { limit: maxPreviewsPerUser },
        retryAfterSeconds: busySeconds,
      });
    const place = this.#previews.join(workspaceId);
    signal.addEventListener("abort", place.leave, { once: true });
    return () => {
      signal.removeEventListener("abort", place.leave);
      place.leave();
    };
  }

  /** Generates an M4A file in memory and its duration. Throws the same errors as `speak`. */
  async render(
    clone: VoiceCloneState,
    text: string,
    signal: AbortSignal,
  ): Promise<{ bytes: Uint8Array; seconds: number }> {
    const artefact = await this.#voiceOf(clone);
    const { sampleRate, blocks } = await this.#synthesize(clone, artefact, text, clone.settings, signal);
    let samples = 0;
    async function* counted(): AsyncGenerator<Float32Array, void, void> {
      for await (const block of blocks) {
        samples += block.length;
        yield block;
      }
    }
    const bytes = await this.#parts.line.encode(sampleRate, counted(), tagsOf(clone, artefact.engine), signal);
    return { bytes, seconds: samples / sampleRate };
  }

  /** Resolves when all speech generated so far is cached. */
  async flush(): Promise<void> {
    await Promise.all(this.#cacheWrites);
  }

  async #voiceOf(clone: VoiceCloneState): Promise<TrainedArtefact> {
    const problem = this.problemOf(clone);
    if (problem !== null) throw new ApiError("CONFLICT", { message: problem, details: { status: clone.status } });
    const artefact = await this.#parts.store.artefact(clone.id);
    if (artefact === null) throw notFound("voice clone", clone.id);
    return artefact;
  }

  async #synthesize(
    clone: VoiceCloneState,
    { engine: name, artefact }: TrainedArtefact,
    text: string,
    settings: VoiceSettings,
    signal: AbortSignal,
  ): Promise<Extract<SpeechOutcome, { kind: "spoken" }>> {
    const engine = this.#parts.engines[name];
    if (engine === undefined)
      throw new ApiError("CONFLICT", {
        message: `This voice was trained with ${name}, which is no longer configured on this server. Retrain the voice.`,
      });
    // Engines that need it have sent it once they answer.
    using reference = await this.#parts.blobs.localFile(voiceFiles.reference(clone.id));
    const voice = { cloneId: clone.id, artefact, reference: { path: reference.path, seconds: 0 } };
    const outcome = await engine.speak(voice, { text, settings }, signal);
    if (outcome.kind === "refused") throw invalid([{ path: "text", message: outcome.reason }]);
    if (outcome.kind === "busy")
      throw new ApiError("SERVICE_UNAVAILABLE", {
        message: outcome.reason,
        retryAfterSeconds: Math.max(1, Math.ceil(outcome.retryAfterSeconds)),
      });
    return { ...outcome, blocks: limitSamples(outcome.blocks, maxSeconds * outcome.sampleRate) };
  }

  /** Streams a WAV with a header without length, since that is unknown; the cached file includes it. */
  async *#wav(
    sampleRate: number,
    blocks: AsyncIterable<Float32Array>,
    tags: AudioTags,
    keep: (parts: Uint8Array[]) => void,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { wavHeader, wavSamples } = await import("../../lib/audio/wav/encode-wav.ts");
    const parts: Uint8Array[] = [];
    let samples = 0;
    yield wavHeader(sampleRate, { tags });
    for await (const block of blocks) {
      const bytes = wavSamples(block);
      samples += block.length;
      parts.push(bytes);
      yield bytes;
    }
    keep([wavHeader(sampleRate, { samples, tags }), ...parts]);
  }

  /** A failed cache write must not fail the request. */
  #cacheSpeech(cloneId: string, key: string, parts: Uint8Array[]): void {
    const { cache, log } = this.#parts;
    const kept = cache
      .store(cloneId, key, parts)
      .catch((error: unknown) => log.warn({ err: error }, "could not cache speech"))
      .finally(() => this.#cacheWrites.delete(kept));
    this.#cacheWrites.add(kept);
  }
}

/** Hash of everything that affects the file. */
function cacheKey(
  clone: VoiceCloneState,
  { engine }: TrainedArtefact,
  { text, settings, format }: SpeechOptions,
): string {
  const { stability, clarity, useSpeakerBoost } = settings;
  const parts = [
    renderingVersion,
    version,
    engine,
    clone.trainedAt,
    clone.name,
    stability,
    clarity,
    useSpeakerBoost,
    text,
  ];
  return `${new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex")}.${format}`;
}

/** Metadata shown by players, including the machine-readable marking as synthetic (EU AI Act, article 50). */
function tagsOf({ name }: VoiceCloneState, engine: VoiceEngineName): AudioTags {
  return {
    title: `Synthetic voice: ${name}`,
    comment: "AI-generated speech in a cloned voice, not spoken by a person.",
    software: `outreachd ${version} (voice engine: ${engine})`,
  };
}

async function* limitSamples(
  blocks: AsyncIterable<Float32Array>,
  maxSamples: number,
): AsyncGenerator<Float32Array, void, void> {
  let room = maxSamples;
  for await (const block of blocks) {
    yield block.subarray(0, room);
    room -= block.length;
    if (room <= 0) return;
  }
}

async function* withOnEnd<T>(blocks: AsyncIterable<T>, onEnd: () => void): AsyncGenerator<T, void, void> {
  try {
    yield* blocks;
  } finally {
    onEnd();
  }
}

async function* iterate(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

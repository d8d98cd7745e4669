import { multiLine } from "../../platform/base/clean-text.ts";
import { ApiError, invalid, notFound } from "../../platform/base/errors.ts";
import { FairQueue } from "../../lib/concurrency/fair-queue.ts";
import type { Log } from "../../platform/base/log.ts";
import { version } from "../../platform/base/version.ts";
import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import type { AudioTags } from "../../lib/audio/tags.ts";
import { voiceFiles } from "./files.ts";
import type { PreviewFormat, VoiceCloneState, VoiceEngineName, VoiceSettings } from "./model.ts";
import type { SpeakingLine } from "./speaking.ts";
import type { SpeechCache } from "./speech-cache.ts";
import type { TrainedArtefact, VoiceStore } from "./store.ts";
import type { VoiceEngines } from "./training-job.ts";
import type { SpeechOutcome } from "./voice-engine.ts";

export type SpeechParts = {
  store: VoiceStore;
  blobs: BlobStore;
  engines: VoiceEngines;
  line: SpeakingLine;
  cache: SpeechCache;
  log: Log;
};

export type SpeechOrder = { text: string; settings: VoiceSettings; format: PreviewFormat };

/** A sound file: one on disk, or one that still comes. */
export type SpokenFile = {
  mediaType: string;
  engine: VoiceEngineName;
  content: { kind: "file"; path: string } | { kind: "stream"; bytes: AsyncIterable<Uint8Array> };
};

export const speechMediaTypes: Record<PreviewFormat, string> = { wav: "audio/wav", m4a: "audio/mp4" };

/** Of the 16 texts that the built-in engine takes at a time, no user gets more than a quarter. */
const maxPreviewsPerUser = 4;
const busySeconds = 5;

/** Nobody listens longer, and an engine that doesn't stop must be stopped. */
const longestSeconds = 120;

/** Raised when the same words come out as another file. */
const renderingVersion = 2;

/** Speaks with voice clones, whichever engine made them; every file says that nobody said this. */
export class SpeechService {
  readonly #parts: SpeechParts;
  /** What is still being written to the cache. */
  readonly #keeping = new Set<Promise<void>>();
  readonly #previews = new FairQueue({ perOwner: maxPreviewsPerUser, total: Number.POSITIVE_INFINITY });

  constructor(parts: SpeechParts) {
    this.#parts = parts;
  }

  /** A sentence on why the clone does not speak, or null. */
  problemOf(clone: VoiceCloneState): string | null {
    if (!clone.isActive) return `The voice ${clone.name} is switched off: set isActive to true first.`;
    if (clone.status === "failed")
      return `The voice ${clone.name} is not usable, because its training failed: ${clone.message}`;
    if (clone.trainedAt === null)
      return `The voice ${clone.name} is still being trained (${Math.round(clone.progress)} %): try again when it is ready.`;
    return null;
  }

  /** Somebody looks at a voice, and may want to hear it next: what speaking needs is loaded meanwhile. */
  async expect(clone: VoiceCloneState): Promise<void> {
    const { store, line } = this.#parts;
    if (clone.engine !== "local" || this.problemOf(clone) !== null) return;
    const artefact = await store.artefact(clone.id);
    if (artefact?.engine === "local") line.warm(artefact.artefact);
  }

  /**
   * As a file, from its beginning as soon as that is there. NOT_FOUND; CONFLICT while the clone does not speak;
   * VALIDATION_ERROR for a text that can't be spoken; RATE_LIMIT_EXCEEDED when too many of the user's texts are being
   * spoken, and SERVICE_UNAVAILABLE when the engine is busy, with the time to wait.
   */
  async speak(clone: VoiceCloneState, order: SpeechOrder, signal: AbortSignal): Promise<SpokenFile> {
    const { cache } = this.#parts;
    const artefact = await this.#voiceOf(clone);
    const mediaType = speechMediaTypes[order.format];
    const text = multiLine(order.text);
    if (text === "") throw invalid([{ path: "text", message: "Expected a text that is not empty." }]);
    const key = cacheKey(clone, artefact, { ...order, text });
    const known = await cache.find(clone.id, key);
    const { engine } = artefact;
    if (typeof known === "string") return { mediaType, engine, content: { kind: "file", path: known } };
    if (known !== null) return { mediaType, engine, content: { kind: "stream", bytes: each(known) } };
    const leave = this.#joinPreviews(clone.userId, signal);
    try {
      const { sampleRate, blocks } = await this.#spoken(clone, artefact, text, order.settings, signal);
      const tags = tagsOf(clone, engine);
      if (order.format === "wav") {
        const bytes = this.#wav(sampleRate, endedBy(blocks, leave), tags, (parts) => this.#keep(clone.id, key, parts));
        return { mediaType, engine, content: { kind: "stream", bytes } };
      }
      const file = await this.#parts.line.encode(sampleRate, blocks, tags, signal);
      leave();
      this.#keep(clone.id, key, [file]);
      return { mediaType, engine, content: { kind: "stream", bytes: each([file]) } };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Returns what frees the place; a client that goes away frees it too, even before it has read anything. */
  #joinPreviews(userId: string, signal: AbortSignal): () => void {
    signal.throwIfAborted();
    if (this.#previews.fullFor(userId) !== null)
      throw new ApiError("RATE_LIMIT_EXCEEDED", {
        message: `${maxPreviewsPerUser} of your previews are already being spoken. Try again when one of them has ended.`,
        details: { limit: maxPreviewsPerUser },
        retryAfterSeconds: busySeconds,
      });
    const place = this.#previews.join(userId);
    signal.addEventListener("abort", place.leave, { once: true });
    return () => {
      signal.removeEventListener("abort", place.leave);
      place.leave();
    };
  }

  /** As an M4A file in memory, with its length. Refusals as `speak`. */
  async render(
    clone: VoiceCloneState,
    text: string,
    signal: AbortSignal,
  ): Promise<{ bytes: Uint8Array; seconds: number }> {
    const artefact = await this.#voiceOf(clone);
    const { sampleRate, blocks } = await this.#spoken(clone, artefact, text, clone.settings, signal);
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

  /** Resolves when everything spoken so far is in the cache. */
  async settled(): Promise<void> {
    await Promise.all(this.#keeping);
  }

  async #voiceOf(clone: VoiceCloneState): Promise<TrainedArtefact> {
    const problem = this.problemOf(clone);
    if (problem !== null) throw new ApiError("CONFLICT", { message: problem, details: { status: clone.status } });
    const artefact = await this.#parts.store.artefact(clone.id);
    if (artefact === null) throw notFound("voice clone", clone.id);
    return artefact;
  }

  async #spoken(
    clone: VoiceCloneState,
    { engine: name, artefact }: TrainedArtefact,
    text: string,
    settings: VoiceSettings,
    signal: AbortSignal,
  ): Promise<Extract<SpeechOutcome, { kind: "spoken" }>> {
    const engine = this.#parts.engines[name];
    if (engine === undefined)
      throw new ApiError("CONFLICT", {
        message: `This voice was trained with ${name}, which is not set up on this server any more: train it again.`,
      });
    const referencePath = await this.#parts.blobs.localPath(voiceFiles.reference(clone.id));
    const voice = { cloneId: clone.id, artefact, reference: { path: referencePath, seconds: 0 } };
    const outcome = await engine.speak(voice, { text, settings }, signal);
    if (outcome.kind === "refused") throw invalid([{ path: "text", message: outcome.reason }]);
    if (outcome.kind === "busy")
      throw new ApiError("SERVICE_UNAVAILABLE", {
        message: outcome.reason,
        retryAfterSeconds: Math.max(1, Math.ceil(outcome.retryAfterSeconds)),
      });
    return { ...outcome, blocks: bounded(outcome.blocks, longestSeconds * outcome.sampleRate) };
  }

  /** The length is not known yet, so the header leaves it open; the file in the cache has it. */
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

  /** A cache that can't be written to is no reason to fail. */
  #keep(cloneId: string, key: string, parts: Uint8Array[]): void {
    const { cache, log } = this.#parts;
    const kept = cache
      .keep(cloneId, key, parts)
      .catch((error: unknown) => log.warn({ err: error }, "could not keep speech for the next time"))
      .finally(() => this.#keeping.delete(kept));
    this.#keeping.add(kept);
  }
}

/** Everything that makes a difference to the file. */
function cacheKey(
  clone: VoiceCloneState,
  { engine }: TrainedArtefact,
  { text, settings, format }: SpeechOrder,
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

/** What a player shows, and what says that it is synthetic (EU AI Act, article 50: machine-readable marking). */
function tagsOf({ name }: VoiceCloneState, engine: VoiceEngineName): AudioTags {
  return {
    title: `Synthetic voice: ${name}`,
    comment: "AI-generated speech in a cloned voice. Nobody said this.",
    software: `outreachd ${version} (voice engine: ${engine})`,
  };
}

async function* bounded(
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

async function* endedBy<T>(blocks: AsyncIterable<T>, onEnd: () => void): AsyncGenerator<T, void, void> {
  try {
    yield* blocks;
  } finally {
    onEnd();
  }
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

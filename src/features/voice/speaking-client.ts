import type { Clock } from "../../platform/base/clock.ts";
import { startThread, type Thread } from "../../threads.ts";
import type { AudioTags } from "../../lib/audio/tags.ts";
import { defaultVoiceSettings, type VoiceSettings } from "./model.ts";
import type { SpeakingAnswer, SpeakingRequest } from "./threads/speaking-thread.ts";
import type { SpeechOutcome } from "./voice-engine.ts";

/** Loading takes a quarter of a second and 100 MB, so the idle thread is kept for a while. */
const idleMs = 60_000;
/** With more, the wait would exceed the patience of users. */
const maxWaiting = 16;
const busySeconds = 5;

type Listener = (response: SpeakingAnswer | { kind: "gone"; error: Error }) => void;

/**
 * Client of the thread that speaks and encodes. Starts the thread on demand and stops it after a period of idleness.
 */
export class SpeakingClient {
  readonly #clock: Clock;
  readonly #listeners = new Map<number, Listener>();
  #thread: Thread<SpeakingRequest, SpeakingAnswer> | null = null;
  #nextId = 1;
  #cancelIdle = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Speaks with a voice of the built-in engine. `model` comes from the fitting thread. */
  async speak(model: string, text: string, settings: VoiceSettings, signal: AbortSignal): Promise<SpeechOutcome> {
    signal.throwIfAborted();
    if (this.#listeners.size >= maxWaiting)
      return {
        kind: "busy",
        reason: "Too many texts are waiting to be spoken. Try again in a few seconds.",
        retryAfterSeconds: busySeconds,
      };
    const answers = this.#open(signal);
    this.#post({ kind: "speak", id: answers.id, model, text, settings });
    try {
      const first = await answers.next();
      if (first.kind === "refused") {
        answers.close();
        return { kind: "refused", reason: first.reason };
      }
      if (first.kind === "block")
        return { kind: "spoken", sampleRate: first.sampleRate, blocks: blocksOf(first.samples, answers) };
      throw new Error(`Unexpected response of the speaking thread to a text: ${first.kind}`);
    } catch (error) {
      answers.close();
      throw error;
    }
  }

  /**
   * Warms up the thread for a voice that is likely to be used next. Speaking a short text that is discarded loads and
   * compiles what would otherwise delay the first request by half a second. Does nothing if the thread is running.
   */
  warm(model: string): void {
    if (this.#thread !== null) return;
    this.#post({ kind: "speak", id: this.#nextId++, model, text: "Hello there.", settings: defaultVoiceSettings });
    this.#endWhenIdle();
  }

  /** Encodes samples of at most a few minutes as an M4A file (AAC-LC). */
  async encode(
    sampleRate: number,
    blocks: AsyncIterable<Float32Array>,
    tags: AudioTags,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const answers = this.#open(signal);
    try {
      for await (const samples of blocks) this.#post({ kind: "encode", id: answers.id, sampleRate, samples });
      this.#post({ kind: "finish", id: answers.id, tags });
      const answer = await answers.next();
      if (answer.kind !== "file")
        throw new Error(`Unexpected response of the speaking thread to an encoding: ${answer.kind}`);
      return answer.bytes;
    } finally {
      answers.close();
    }
  }

  /** Stops the thread, interrupting speech in progress. */
  stop(): void {
    this.#cancelIdle();
    this.#thread?.stop();
    this.#thread = null;
  }

  #open(signal: AbortSignal): ResponseStream {
    const id = this.#nextId++;
    this.#cancelIdle();
    const answers = new ResponseStream(id, signal, (hasEnded) => this.#close(id, hasEnded));
    this.#listeners.set(id, answers.push);
    return answers;
  }

  #close(id: number, hasEnded: boolean): void {
    if (!this.#listeners.delete(id)) return;
    if (!hasEnded) this.#thread?.post({ kind: "stop", id });
    if (this.#listeners.size === 0) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    this.#cancelIdle = this.#clock.after(idleMs, () => this.stop());
  }

  #post(request: SpeakingRequest): void {
    this.#thread ??= this.#start();
    this.#thread.post(request);
  }

  #start(): Thread<SpeakingRequest, SpeakingAnswer> {
    const thread = startThread<SpeakingRequest, SpeakingAnswer>("voice-speaking", null);
    thread.onMessage((answer) => this.#listeners.get(answer.id)?.(answer));
    void thread.closed.then((error) => {
      if (this.#thread === thread) this.#thread = null;
      const gone = error ?? new Error("The service is stopping");
      for (const listener of this.#listeners.values()) listener({ kind: "gone", error: gone });
    });
    return thread;
  }
}

/** Pull-based stream of the thread's responses to one request. */
class ResponseStream {
  readonly id: number;
  readonly #signal: AbortSignal;
  readonly #onClose: (hasEnded: boolean) => void;
  readonly #waiting: Parameters<Listener>[0][] = [];
  #hasEnded = false;
  #wake = (): void => {};

  constructor(id: number, signal: AbortSignal, onClose: (hasEnded: boolean) => void) {
    this.id = id;
    this.#signal = signal;
    this.#onClose = onClose;
    signal.addEventListener("abort", this.#abort);
  }

  push: Listener = (answer) => {
    this.#hasEnded = answer.kind !== "block";
    this.#waiting.push(answer);
    this.#wake();
  };

  /** Throws the error of the thread, or the abort reason of the signal. */
  async next(): Promise<SpeakingAnswer> {
    for (;;) {
      this.#signal.throwIfAborted();
      const answer = this.#waiting.shift();
      if (answer?.kind === "gone") throw answer.error;
      if (answer?.kind === "failed") throw new Error(answer.message);
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Safe to call twice. */
  close(): void {
    this.#signal.removeEventListener("abort", this.#abort);
    this.#onClose(this.#hasEnded);
  }

  /** Closes as well: if a client leaves before reading the first block, no generator is running that would. */
  #abort = (): void => {
    this.close();
    this.#wake();
  };
}

async function* blocksOf(first: Float32Array, answers: ResponseStream): AsyncGenerator<Float32Array, void, void> {
  try {
    yield first;
    for (;;) {
      const answer = await answers.next();
      if (answer.kind !== "block") return;
      yield answer.samples;
    }
  } finally {
    answers.close();
  }
}

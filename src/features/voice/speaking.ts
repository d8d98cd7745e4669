import type { Clock } from "../../platform/base/clock.ts";
import { startThread, type Thread } from "../../threads.ts";
import type { AudioTags } from "../../lib/audio/tags.ts";
import { defaultVoiceSettings, type VoiceSettings } from "./model.ts";
import type { SpeakingAnswer, SpeakingRequest } from "./threads/speaking-thread.ts";
import type { SpeechOutcome } from "./voice-engine.ts";

/** Loading takes a quarter of a second and 100 MB, so the thread stays for a while when there is nothing to say. */
const idleMs = 60_000;
/** More would wait longer than anybody listens. */
const maxWaiting = 16;
const busySeconds = 5;

type Listener = (answer: SpeakingAnswer | { kind: "gone"; error: Error }) => void;

/** The thread that speaks and encodes; started when it's needed, ended when it has been idle for a while. */
export class SpeakingLine {
  readonly #clock: Clock;
  readonly #listeners = new Map<number, Listener>();
  #thread: Thread<SpeakingRequest, SpeakingAnswer> | null = null;
  #nextId = 1;
  #cancelIdle = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Speaks with a voice of the built-in engine; `model` as the fitting thread made it. */
  async speak(model: string, text: string, settings: VoiceSettings, signal: AbortSignal): Promise<SpeechOutcome> {
    signal.throwIfAborted();
    if (this.#listeners.size >= maxWaiting)
      return { kind: "busy", reason: "Too many texts wait to be spoken.", retryAfterSeconds: busySeconds };
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
      throw new Error(`The speaking thread answered ${first.kind} to a text`);
    } catch (error) {
      answers.close();
      throw error;
    }
  }

  /**
   * Somebody may want to hear this voice next: a word that nobody listens to has the thread load, and its code compiled,
   * what would take half of the first second. Nothing happens when the thread is there.
   */
  warm(model: string): void {
    if (this.#thread !== null) return;
    this.#post({ kind: "speak", id: this.#nextId++, model, text: "Hello there.", settings: defaultVoiceSettings });
    this.#endWhenIdle();
  }

  /** An M4A file (AAC-LC) of these samples, at most a few minutes. */
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
      if (answer.kind !== "file") throw new Error(`The speaking thread answered ${answer.kind} to an encoding`);
      return answer.bytes;
    } finally {
      answers.close();
    }
  }

  /** Ends the thread; what is being spoken breaks off. */
  stop(): void {
    this.#cancelIdle();
    this.#thread?.stop();
    this.#thread = null;
  }

  #open(signal: AbortSignal): Answers {
    const id = this.#nextId++;
    this.#cancelIdle();
    const answers = new Answers(id, signal, (hasEnded) => this.#close(id, hasEnded));
    this.#listeners.set(id, answers.take);
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

/** The answers to one request, pulled. */
class Answers {
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

  take: Listener = (answer) => {
    this.#hasEnded = answer.kind !== "block";
    this.#waiting.push(answer);
    this.#wake();
  };

  /** Throws what made the thread fail, and the reason of the signal. */
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

  /** Closes too: a client that leaves before the first block is read has no generator running whose end would. */
  #abort = (): void => {
    this.close();
    this.#wake();
  };
}

async function* blocksOf(first: Float32Array, answers: Answers): AsyncGenerator<Float32Array, void, void> {
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

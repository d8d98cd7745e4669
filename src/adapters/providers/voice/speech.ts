import type { SpeechOutcome } from "../../../features/voice/voice-engine.ts";
import type { HttpOutcome } from "../../../lib/guarded-http/http-client.ts";
import { Channel } from "./channel.ts";
import { later } from "./failure.ts";
import type { SoundDecoder } from "./sound-decoder.ts";
import { failureOfAnswer, failureWithoutAnswer } from "./vendor-failures.ts";
import { addressed, garbageSeconds, isSuccess, type Vendor, type VendorRequest } from "./vendor.ts";
import { NoSound } from "./wav-head.ts";

/** A voice message is at most a minute long, which takes some minutes on a computer without a GPU. */
const speakingMs = 4 * 60_000;
/** Six minutes, which 5,000 characters take at most, at 44.1 kHz and 32 bits. */
const maxSoundBytes = 64 * 2 ** 20;
/** More than the length of any error message. */
const maxErrorBytes = 64 * 1024;

/**
 * Sends a request whose response is audio. Resolves with the first audio; the rest is streamed on demand, and a vendor
 * that is faster than the consumer waits. Throws `VendorFailure` if there is no audio, and so do the blocks if the
 * stream is interrupted.
 */
export async function speech(
  vendor: Vendor,
  request: VendorRequest,
  decoder: SoundDecoder,
  signal: AbortSignal,
): Promise<SpeechOutcome> {
  const stop = new AbortController();
  const blocks = new Channel<Float32Array>();
  const intake = new Intake(decoder);
  const sending = vendor.http.send({
    ...addressed(vendor, request),
    timeoutMs: request.timeoutMs ?? speakingMs,
    maxBytes: maxSoundBytes,
    signal: AbortSignal.any([signal, stop.signal]),
    onContent: async (chunk, { status, headers }) => {
      const samples = intake.take(chunk, { status, headers });
      if (intake.isOver) stop.abort();
      else if (samples !== null) await blocks.put(samples);
    },
  });
  void sending.then(
    (outcome) => blocks.close(endOf(vendor, intake, outcome, signal)),
    (error: unknown) => blocks.close(error instanceof Error ? error : new Error(String(error))),
  );
  const first = await blocks.take();
  if (first === null) throw silence(vendor);
  return { kind: "spoken", sampleRate: decoder.sampleRate, blocks: rest(first, blocks, stop) };
}

async function* rest(first: Float32Array, blocks: Channel<Float32Array>, stop: AbortController) {
  try {
    yield first;
    for (let block = await blocks.take(); block !== null; block = await blocks.take()) yield block;
  } finally {
    blocks.close();
    stop.abort();
  }
}

type Answer = { status: number; headers: Headers };

/** The response so far, separated into audio and the text of an error. */
class Intake {
  /** Why the response is not playable. */
  flaw: NoSound | null = null;
  /** A response without audio that is too long to be an error message. */
  ramble: Answer | null = null;
  readonly #decoder: SoundDecoder;
  readonly #words: Uint8Array[] = [];
  #wordBytes = 0;
  #isHeard = false;

  constructor(decoder: SoundDecoder) {
    this.#decoder = decoder;
  }

  /** Nothing that follows would change the result. */
  get isOver(): boolean {
    return this.flaw !== null || this.ramble !== null;
  }

  get words(): Uint8Array {
    return Buffer.concat(this.#words);
  }

  /**
   * Returns null if there is nothing to hear. Silence before the first sound is skipped, because there may be nothing
   * else.
   */
  take(chunk: Uint8Array, answer: Answer): Float32Array | null {
    if (!isSuccess(answer.status) || !isSound(answer.headers)) return this.#read(chunk, answer);
    try {
      const samples = this.#decoder.decode(chunk);
      this.#isHeard ||= samples.some((sample) => sample !== 0);
      return this.#isHeard && samples.length > 0 ? samples : null;
    } catch (error) {
      if (!(error instanceof NoSound)) throw error;
      this.flaw = error;
      return null;
    }
  }

  #read(chunk: Uint8Array, answer: Answer): null {
    this.#words.push(chunk);
    this.#wordBytes += chunk.byteLength;
    if (this.#wordBytes > maxErrorBytes) this.ramble = answer;
    return null;
  }
}

/**
 * Whether this may be uncompressed audio. Some servers send no content type; then the decoder of the format decides.
 */
function isSound(headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  return /^(audio\/|application\/octet-stream|$)/i.test(type) && !compressed.test(type);
}

const compressed = /mpeg|mp3|mp4|aac|ogg|opus|flac|webm/i;

function endOf(vendor: Vendor, intake: Intake, outcome: HttpOutcome, signal: AbortSignal): Error | null {
  const { flaw, ramble, words } = intake;
  if (flaw !== null) return later(`${vendor.name} sent ${flaw.message}.`, garbageSeconds);
  if (ramble === null && outcome.kind !== "answered") return failureWithoutAnswer(vendor, outcome, signal);
  const { status, headers } = ramble ?? answerOf(outcome);
  if (!isSuccess(status)) return failureOfAnswer(vendor, { status, headers, body: words });
  if (isSound(headers)) return null;
  const type = (headers.get("content-type") ?? "").replace(/[^a-z0-9/.+-].*$/i, "").slice(0, 60);
  return later(`${vendor.name} sent ${type} instead of uncompressed audio.`, garbageSeconds);
}

function answerOf(outcome: HttpOutcome): Answer {
  if (outcome.kind === "answered") return outcome;
  throw new Error(`Expected a response, got ${outcome.kind}`);
}

function silence({ name, silenceHint = "" }: Vendor) {
  return later(`${name} sent no audio.${silenceHint}`, garbageSeconds);
}

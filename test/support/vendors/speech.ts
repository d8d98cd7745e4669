import type { ServerResponse } from "node:http";
import { startLoopback, type Flaw, type Loopback, type Recorded } from "./loopback.ts";

/** What every vendor of speech lets a test see and do. */
export type SpeechVendor = Loopback & {
  /** The recordings that are kept there, by the name or the id of their voice. */
  voices: Map<string, Uint8Array>;
  /** What was asked to be spoken, beside the text as the vendor names it. */
  spoken: { text: string; request: Record<string, unknown> }[];
  /** The next request that `when` holds for is answered with this. */
  refuseNext(answer: Response, when?: (request: Recorded) => boolean): void;
};

/** A vendor that speaks in a voice by saying what its recording says. `answer` is the vendor's own part. */
export async function startSpeechVendor(
  answer: (request: Recorded, vendor: Pick<SpeechVendor, "voices" | "spoken">) => Response | Promise<Response>,
): Promise<SpeechVendor> {
  const own: Pick<SpeechVendor, "voices" | "spoken"> = { voices: new Map(), spoken: [] };
  let refusal: { answer: Response; when: (request: Recorded) => boolean } | null = null;
  const loopback = await startLoopback((request) => {
    if (refusal?.when(request)) {
      const { answer: refused } = refusal;
      refusal = null;
      return refused;
    }
    return answer(request, own);
  });
  return Object.assign(loopback, own, {
    refuseNext: (next: Response, when: (request: Recorded) => boolean = () => true) => {
      refusal = { answer: next, when };
    },
  });
}

/** The text of a field; empty when there is none, or a file. */
export function textIn(form: FormData, key: string): string {
  const value = form.get(key);
  return typeof value === "string" ? value : "";
}

/** The samples of a WAV file, without what stands before them. */
export function samplesIn(wav: Uint8Array): Uint8Array {
  const file = Buffer.from(wav);
  if (file.toString("latin1", 0, 4) !== "RIFF") throw new Error("Expected a WAV file");
  return file.subarray(file.indexOf("data") + 8);
}

/** WAV as a server streams it: the sizes in the header are as large as they can be. */
export function openWav(samples: Uint8Array, sampleRate = 24_000): Uint8Array {
  return Buffer.concat([openWavHead(sampleRate), samples]);
}

export function openWavHead(sampleRate = 24_000): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF\xff\xff\xff\xffWAVEfmt ", "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data\xff\xff\xff\xff", 36, "latin1");
  return head;
}

export function wavAnswer(wav: Uint8Array): Response {
  return new Response(new Uint8Array(wav), { headers: { "content-type": "audio/wav" } });
}

export const notFound = (detail: unknown) => Response.json({ detail }, { status: 404 });

export const soundFlawNames = ["endless", "empty", "silent", "compressed", "cutOff", "odd"] as const;

/** Answers with sound that goes wrong; `head` is what stands before the samples, nothing for plain PCM. */
export function soundFlaws(head: Uint8Array): Record<(typeof soundFlawNames)[number], Flaw> {
  return {
    /** 200 MB, which nobody's text takes. */
    endless: (outgoing) => {
      begin(outgoing, head);
      sendNoise(outgoing, 200 * 2 ** 20);
    },
    empty: (outgoing) => void outgoing.writeHead(200, { "content-type": "audio/wav" }).end(),
    silent: (outgoing) => {
      begin(outgoing, head);
      outgoing.end(Buffer.alloc(48_000));
    },
    compressed: (outgoing) =>
      void outgoing.writeHead(200, { "content-type": "audio/mpeg" }).end(Buffer.from("ID3\x04\0\0\0\0\0\0")),
    cutOff: (outgoing) => {
      begin(outgoing, head, { "content-length": "1000000" });
      outgoing.write(Buffer.alloc(20_000, 7), () => outgoing.destroy());
    },
    /** Calls itself sound and is a page. */
    odd: (outgoing) => void outgoing.writeHead(200, { "content-type": "text/html" }).end("<html>".repeat(100)),
  };
}

/** Speaks for a moment and then never goes on. `hasStopped` resolves when the other side has left. */
export function halting(head: Uint8Array): { flaw: Flaw; hasStopped: Promise<void> } {
  let tellStopped = (): void => {};
  const hasStopped = new Promise<void>((resolve) => {
    tellStopped = resolve;
  });
  return {
    hasStopped,
    flaw: (outgoing) => {
      outgoing.on("close", tellStopped);
      begin(outgoing, head);
      outgoing.write(Buffer.alloc(20_000, 7));
    },
  };
}

function begin(outgoing: ServerResponse, head: Uint8Array, headers: Record<string, string> = {}): void {
  outgoing.writeHead(200, { "content-type": "audio/wav", ...headers });
  outgoing.write(head);
}

function sendNoise(outgoing: ServerResponse, bytes: number): void {
  if (outgoing.destroyed) return;
  if (bytes <= 0) return void outgoing.end();
  const goOn = (): void => sendNoise(outgoing, bytes - 65_536);
  if (outgoing.write(Buffer.alloc(65_536, 7))) setImmediate(goOn);
  else outgoing.once("drain", goOn);
}

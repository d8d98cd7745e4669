import type { CheckView, CloneDetailView, CloneView, VoiceSettings } from "../../src/features/voice/model.ts";
import type { TrainingMaterial, TrainingOutcome, VoiceEngine } from "../../src/features/voice/voice-engine.ts";
import { wavBytes } from "../../src/lib/audio/audio.ts";
import type { Client } from "./client.ts";
import { noise, speech, tone } from "./voice-signals.ts";

export const clonesPath = "/api/v2/voice-clones";

export type Created = {
  voiceId: string;
  name: string;
  description: string;
  sampleCount: number;
  createdAt: string;
  jobId: string;
};
export type CloneList = {
  voiceClones: CloneView[];
  total: number;
  matching: number;
  limit: number;
  nextCursor: string | null;
};
export type { CheckView, CloneDetailView };

/** A short WAV file without speech: taken in like any other, and soon measured. `seed` makes it another file. */
export function beep(seed = 1, seconds = 0.2): Uint8Array {
  return wavBytes(tone(200 + seed, seconds, 8000), 8000);
}

export function hiss(seconds: number): Uint8Array {
  return wavBytes(noise(seconds, 16_000, 0.3), 16_000);
}

/** Speech of a synthetic voice as WAV: nobody's recording is part of the tests. */
export async function spokenWav(seconds: number, voice: "rms" | "slt" | "awb" = "rms", firstSentence = 0) {
  const key = `${voice} ${firstSentence} ${seconds}`;
  const wav = spoken.get(key) ?? wavBytes(await speech(voice, seconds, firstSentence), 16_000);
  spoken.set(key, wav);
  return wav;
}

/** Speaking takes longer than what is tested with it. */
const spoken = new Map<string, Uint8Array>();

export type NamedFile = readonly [name: string, bytes: Uint8Array | string];

/** A form as a browser sends it. `null` leaves a field out. */
export function cloneForm(files: readonly NamedFile[], fields: Record<string, string | null> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ name: "Ada", ...fields })) if (value !== null) form.set(name, value);
  for (const [name, bytes] of files) form.append("files", new File([bytes as Uint8Array<ArrayBuffer>], name));
  return form;
}

export function createClone(client: Client, files: readonly NamedFile[], fields: Record<string, string | null> = {}) {
  return client.post<Created>(clonesPath, cloneForm(files, fields));
}

/** The body of a form by hand, for file names that no browser sends. */
export function rawForm(parts: readonly { head: string; body: Uint8Array | string }[], boundary = "frontier") {
  const pieces = parts.flatMap(({ head, body }) => [`--${boundary}\r\n${head}\r\n\r\n`, body, "\r\n"]);
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
  return { body: new Uint8Array(body), headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

/** An engine that trains at once and speaks a tone, and remembers what it was asked for. */
export function pretendEngine(
  outcome?: (material: TrainingMaterial, run: number) => TrainingOutcome | Promise<TrainingOutcome>,
) {
  const trained: TrainingMaterial[] = [];
  const spoken: { text: string; settings: VoiceSettings; artefact: string }[] = [];
  const removed: string[] = [];
  let failures = 0;
  const engine: VoiceEngine = {
    problem: async () => null,
    async train(material, onProgress) {
      trained.push(material);
      onProgress(50, "Pretending");
      return (
        outcome?.(material, trained.length) ?? {
          kind: "trained",
          artefact: `voice-${trained.length}`,
          notes: ["Pretended."],
        }
      );
    },
    async speak({ artefact }, { text, settings }) {
      spoken.push({ text, settings, artefact });
      if (text.startsWith("!")) return { kind: "refused", reason: "That can't be said: write it in words." };
      if (text.startsWith("?")) return { kind: "busy", reason: "The vendor is busy.", retryAfterSeconds: 7 };
      return { kind: "spoken", sampleRate: 16_000, blocks: blocks() };
    },
    async remove(artefact) {
      if (failures-- > 0) throw new Error("The vendor can't be reached");
      removed.push(artefact);
    },
  };
  return { engine, trained, spoken, removed, failRemovals: (count: number) => (failures = count) };
}

async function* blocks(): AsyncGenerator<Float32Array, void, void> {
  yield tone(220, 0.5);
  yield tone(330, 0.5);
}

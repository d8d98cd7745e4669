import { Type } from "@sinclair/typebox";
import type { AudioClip, VoiceEngine } from "../../../features/voice/voice-engine.ts";
import { askJson } from "./ask.ts";
import { later, operatorFault, problemOf, speechOutcome, trainingOutcome } from "./failure.ts";
import { testText, wavFile } from "./material.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { trySpeaking } from "./try-speaking.ts";
import type { Vendor } from "./vendor.ts";

export type PocketTtsConfig = { url: string | null };

const Health = Type.Object({ status: Type.String() });

/**
 * Your own server with Pocket TTS (github.com/kyutai-labs/pocket-tts). It stores no voices: every text is sent with the
 * recording, always as a file, never as a URL. It has no settings, and uses the language it was started with.
 */
export function createPocketTtsEngine({ url }: PocketTtsConfig, world: Pick<Vendor, "http" | "clock">): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "The Pocket TTS server",
    url: url ?? "",
    headers: {},
    secrets: [],
    options: { key: null, url: "OUTREACHD_POCKET_TTS_URL" },
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireUrl();
        const { status } = await askJson(vendor, Health, { path: "/health" }, signal);
        if (status !== "healthy") throw later("The Pocket TTS server is not ready.", 30);
      }),
    train: ({ reference }, onProgress, signal) =>
      trainingOutcome(async () => {
        onProgress(0, "Testing the voice");
        await trySpeaking(await speak(reference, testText, signal));
        onProgress(100, "Trained");
        // The recording is the voice, and every request includes it.
        return { kind: "trained", artefact: "reference", notes: [] };
      }),
    speak: ({ reference }, { text }, signal) => speechOutcome(() => speak(reference, text, signal)),
    remove: async () => {},
  };

  function requireUrl(): void {
    if (url === null) throw operatorFault("The Pocket TTS server has no URL. Set OUTREACHD_POCKET_TTS_URL.");
  }

  async function speak(reference: AudioClip, text: string, signal: AbortSignal) {
    requireUrl();
    const form = new FormData();
    form.set("text", text);
    form.set("voice_wav", await wavFile(reference.path, "reference.wav"));
    return await speech(vendor, { path: "/tts", body: { multipart: form } }, new WavDecoder(), signal);
  }
}

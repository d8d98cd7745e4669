import { Type } from "@sinclair/typebox";
import type {
  SpeechRequest,
  TrainedVoice,
  TrainingMaterial,
  VoiceEngine,
} from "../../../features/voice/voice-engine.ts";
import { ask, askJson, askToDelete } from "./ask.ts";
import { chatterboxSettings } from "./chatterbox-settings.ts";
import {
  final,
  later,
  notesOnForerunners,
  operatorFault,
  problemOf,
  speechOutcome,
  trainingOutcome,
} from "./failure.ts";
import { languageOf, nameByContent, namesOf, wavFile } from "./material.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { unreadable } from "./vendor-failures.ts";
import { jsonOf, shaped, type Said, type Vendor } from "./vendor.ts";

export type ChatterboxConfig = { url: string | null; language: string };

const uploadMs = 60_000;
const startingSeconds = 30;
const Health = Type.Object({ status: Type.String(), model_loaded: Type.Optional(Type.Boolean()) });
/** The status for a name that is in use. */
const taken = 409;
const Uploaded = Type.Object({ voice: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }) });
const Voices = Type.Object({ voices: Type.Array(Type.Object({ name: Type.String() })) });

/**
 * Your own server with Chatterbox (github.com/travisvn/chatterbox-tts-api), which stores voices by name. The artifact
 * is that name.
 */
export function createChatterboxEngine(
  { url, language }: ChatterboxConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "The Chatterbox server",
    url: url ?? "",
    headers: {},
    secrets: [],
    options: { key: null, url: "OUTREACHD_CHATTERBOX_URL" },
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireUrl();
        const { status, model_loaded: isLoaded } = await askJson(vendor, Health, { path: "/health" }, signal);
        if (status !== "healthy" || isLoaded === false)
          throw later("The Chatterbox server has not loaded its model yet.", startingSeconds);
      }),
    train: (material, onProgress, signal) =>
      trainingOutcome(async () => {
        requireUrl();
        onProgress(0, "Sending the voice to the Chatterbox server");
        const artefact = await upload(material, signal);
        onProgress(80, "Removing earlier voices of this clone");
        const notes = await notesOnForerunners(() => removeOthers(material.cloneId, artefact, signal));
        onProgress(100, "Trained");
        return { kind: "trained", artefact, notes };
      }),
    speak: (voice, request, signal) => speechOutcome(() => speak(voice, request, signal)),
    async remove(name, signal) {
      requireUrl();
      await removeVoice(name, signal);
    },
  };

  function requireUrl(): void {
    if (url === null) throw operatorFault("The Chatterbox server has no URL. Set OUTREACHD_CHATTERBOX_URL.");
  }

  async function upload(material: TrainingMaterial, signal: AbortSignal): Promise<string> {
    const spoken = languageOf(material, language).slice(0, 2);
    const name = await nameByContent(material, spoken);
    const form = new FormData();
    form.set("voice_name", name);
    form.set("voice_file", await wavFile(material.reference.path, `${name}.wav`));
    form.set("language", spoken);
    const request = { path: "/v1/voices", body: { multipart: form }, timeoutMs: uploadMs, expects: [taken] };
    const answer = await ask(vendor, request, signal);
    // The name identifies the same recording, sent by an interrupted run.
    if (answer.status !== taken && shaped(Uploaded, jsonOf(answer))?.voice.name !== name) throw unreadable(vendor);
    return name;
  }

  async function removeOthers(cloneId: string, kept: string, signal: AbortSignal): Promise<void> {
    for (const name of await voiceNames(signal))
      if (name.startsWith(namesOf(cloneId)) && name !== kept) await removeVoice(name, signal);
  }

  /** Older versions list voices at the path that accepts new ones, newer versions elsewhere. */
  async function voiceNames(signal: AbortSignal): Promise<string[]> {
    const older = await ask(vendor, { path: "/v1/voices", expects: [404, 405] }, signal);
    const list = shaped(Voices, jsonOf(older)) ?? (await askJson(vendor, Voices, { path: "/audio/voices" }, signal));
    return list.voices.map(({ name }) => name);
  }

  async function removeVoice(name: string, signal: AbortSignal): Promise<void> {
    await askToDelete(vendor, pathOf(name), signal);
  }

  async function speak({ artefact }: TrainedVoice, { text, settings }: SpeechRequest, signal: AbortSignal) {
    requireUrl();
    // For an unknown voice, the server silently uses its default one.
    await ask({ ...vendor, explain: explainGone }, { path: pathOf(artefact) }, signal);
    const json = { input: text, voice: artefact, response_format: "wav", ...chatterboxSettings(settings) };
    return await speech(vendor, { path: "/v1/audio/speech", body: { json } }, new WavDecoder(), signal);
  }
}

function explainGone({ status, code }: Said) {
  return status === 404 && code !== null
    ? final("The Chatterbox server no longer has this voice: train the clone again.")
    : null;
}

function pathOf(name: string): string {
  return `/v1/voices/${encodeURIComponent(name)}`;
}

import { Type, type Static } from "@sinclair/typebox";
import type {
  SpeechRequest,
  TrainedVoice,
  TrainingMaterial,
  VoiceEngine,
} from "../../../features/voice/voice-engine.ts";
import { quote, sentence } from "../network/quote.ts";
import { artefactOf } from "./artefact.ts";
import { ask, askJson } from "./ask.ts";
import { chatterboxSettings } from "./chatterbox-settings.ts";
import { final, later, operatorFault, problemOf, speechOutcome, trainingOutcome } from "./failure.ts";
import { languageOf, nameByContent, wavFile } from "./material.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { unreadable } from "./vendor-failures.ts";
import { jsonOf, shaped, type Said, type Vendor } from "./vendor.ts";

export type ChatterboxDevnenConfig = { url: string | null; language: string };

const uploadMs = 60_000;
/** A person must fix it, so checking again is not urgent. */
const deletedByHandSeconds = 86_400;
const FileNames = Type.Array(Type.String());
const Uploaded = Type.Object({
  uploaded_files: FileNames,
  errors: Type.Optional(Type.Array(Type.Object({ error: Type.String() }))),
});
const Artefact = Type.Object({ file: Type.String(), language: Type.String() });

/**
 * Your own server with Chatterbox (github.com/devnen/Chatterbox-TTS-Server), which stores reference recordings by file
 * name. It does not replace existing files, so names depend on the content. It cannot delete recordings.
 */
export function createChatterboxDevnenEngine(
  { url, language }: ChatterboxDevnenConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "The Chatterbox server",
    url: url ?? "",
    headers: {},
    secrets: [],
    options: { key: null, url: "OUTREACHD_CHATTERBOX_DEVNEN_URL" },
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireUrl();
        await fileNames(signal);
      }),
    train: (material, onProgress, signal) =>
      trainingOutcome(async () => {
        requireUrl();
        onProgress(0, "Sending the voice to the Chatterbox server");
        const spoken = languageOf(material, language).slice(0, 2);
        const file = await upload(material, await nameByContent(material, spoken), signal);
        onProgress(100, "Trained");
        const artefact: Static<typeof Artefact> = { file, language: spoken };
        const notes = [
          `The Chatterbox server cannot delete recordings. When you delete this clone, remove ${file} there.`,
        ];
        return { kind: "trained", artefact: JSON.stringify(artefact), notes };
      }),
    speak: (voice, request, signal) => speechOutcome(() => speak(voice, request, signal)),
    async remove(artefact, signal) {
      requireUrl();
      const { file } = artefactOf(Artefact, artefact);
      if (!(await fileNames(signal)).includes(file)) return;
      throw later(
        `The Chatterbox server cannot delete recordings. Remove ${file} from its reference audio folder.`,
        deletedByHandSeconds,
      );
    },
  };

  function requireUrl(): void {
    if (url === null) throw operatorFault("The Chatterbox server has no URL. Set OUTREACHD_CHATTERBOX_DEVNEN_URL.");
  }

  async function fileNames(signal: AbortSignal): Promise<string[]> {
    return await askJson(vendor, FileNames, { path: "/get_reference_files" }, signal);
  }

  async function upload({ reference }: TrainingMaterial, name: string, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.append("files", await wavFile(reference.path, `${name}.wav`));
    const request = { path: "/upload_reference", body: { multipart: form }, timeoutMs: uploadMs, expects: [400] };
    const answer = await ask(vendor, request, signal);
    const uploaded = shaped(Uploaded, jsonOf(answer));
    const file = uploaded?.uploaded_files[0];
    if (answer.status < 300 && file !== undefined) return file;
    if (uploaded === null) throw unreadable(vendor);
    throw final(sentence("The Chatterbox server rejected the voice", quote(uploaded.errors?.[0]?.error)));
  }

  async function speak({ artefact }: TrainedVoice, { text, settings }: SpeechRequest, signal: AbortSignal) {
    requireUrl();
    const { file, language: spoken } = artefactOf(Artefact, artefact);
    const json = {
      text,
      voice_mode: "clone",
      reference_audio_filename: file,
      output_format: "wav",
      split_text: true,
      language: spoken,
      ...chatterboxSettings(settings),
    };
    const request = { path: "/tts", body: { json } };
    return await speech({ ...vendor, explain: explainGone }, request, new WavDecoder(), signal);
  }
}

function explainGone({ status, words }: Said) {
  return status === 404 && /not found/i.test(words ?? "")
    ? final("The Chatterbox server no longer has this voice: train the clone again.")
    : null;
}

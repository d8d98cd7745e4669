import { Type, type Static } from "@sinclair/typebox";
import type { AudioClip, VoiceEngine } from "../../../features/voice/voice-engine.ts";
import { artefactOf } from "./artefact.ts";
import { askJson } from "./ask.ts";
import { final, notesOnForerunners, operatorFault, problemOf, speechOutcome, trainingOutcome } from "./failure.ts";
import { languageOf, nameByContent, namesOf, testText } from "./material.ts";
import { SharedFolder } from "./shared-folder.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { trySpeaking } from "./try-speaking.ts";
import type { Said, Vendor } from "./vendor.ts";

export type XttsConfig = { url: string | null; speakersDir: string | null; language: string };

const Speakers = Type.Array(Type.String());
const Artefact = Type.Object({ speaker: Type.String({ pattern: "^[A-Za-z0-9_-]+$" }), language: Type.String() });

/**
 * Your own server with XTTS (github.com/daswer123/xtts-api-server). It only reads recordings from a folder, which must
 * be shared with this server. The recording of a voice is stored there before each text, unless it already exists.
 */
export function createXttsEngine(
  { url, speakersDir, language }: XttsConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "The XTTS server",
    url: url ?? "",
    headers: {},
    secrets: [],
    options: { key: null, url: "OUTREACHD_XTTS_URL" },
    silenceHint: " In streaming mode, it plays on its own speakers. Start it without streaming mode.",
    explain,
  };
  const folder = new SharedFolder(speakersDir ?? "", "OUTREACHD_XTTS_SPEAKERS_DIR");

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireSettings();
        await folder.check();
        await speakers(signal);
      }),
    train: (material, onProgress, signal) =>
      trainingOutcome(async () => {
        requireSettings();
        onProgress(0, "Sending the voice to the XTTS server");
        const spoken = languageOf(material, language);
        const speaker = await nameByContent(material, spoken);
        const artefact: Static<typeof Artefact> = { speaker, language: spoken };
        await folder.put(`${speaker}.wav`, material.reference);
        if (!(await speakers(signal)).includes(speaker)) throw elsewhere();
        onProgress(20, "Testing the voice");
        await trySpeaking(await speak(artefact, material.reference, testText, signal));
        const others = () => folder.removeOthers(namesOf(material.cloneId), `${speaker}.wav`);
        const notes = await notesOnForerunners(others);
        onProgress(100, "Trained");
        return { kind: "trained", artefact: JSON.stringify(artefact), notes };
      }),
    speak: ({ artefact, reference }, { text }, signal) =>
      speechOutcome(() => speak(artefactOf(Artefact, artefact), reference, text, signal)),
    async remove(artefact) {
      requireSettings();
      await folder.remove(`${artefactOf(Artefact, artefact).speaker}.wav`);
    },
  };

  function requireSettings(): void {
    if (url === null) throw operatorFault("The XTTS server has no URL. Set OUTREACHD_XTTS_URL.");
    if (speakersDir === null)
      throw operatorFault(
        "The XTTS server reads voices from a folder. Set OUTREACHD_XTTS_SPEAKERS_DIR to its speaker folder.",
      );
  }

  async function speakers(signal: AbortSignal): Promise<string[]> {
    return await askJson(vendor, Speakers, { path: "/speakers_list" }, signal);
  }

  async function speak(
    { speaker, language: spoken }: Static<typeof Artefact>,
    reference: AudioClip,
    text: string,
    signal: AbortSignal,
  ) {
    requireSettings();
    await folder.put(`${speaker}.wav`, reference);
    const json = { text: notAPath(text), speaker_wav: speaker, language: spoken };
    return await speech(vendor, { path: "/tts_to_audio/", body: { json } }, new WavDecoder(), signal);
  }
}

/** If the text is the path of a .txt file, the server reads that file from its own disk. */
function notAPath(text: string): string {
  return /\.txt$/i.test(text) ? `${text}.` : text;
}

const elsewhere = () =>
  operatorFault(
    "The XTTS server does not find the voice. OUTREACHD_XTTS_SPEAKERS_DIR must be the folder that it was started with.",
  );

/** It responds to every error with 500 and "Error: ...", including invalid requests. */
function explain({ status, words }: Said) {
  if (status !== 500) return null;
  if (/speaker .* not found|no wav files/i.test(words ?? "")) return elsewhere();
  if (/language code/i.test(words ?? ""))
    return final(
      "The XTTS server does not support this language. Set the label `language` or OUTREACHD_VOICE_LANGUAGE.",
    );
  return null;
}

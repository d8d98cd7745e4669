import { Type, type Static, type TSchema } from "@sinclair/typebox";
import type {
  SpeechRequest,
  TrainedVoice,
  TrainingMaterial,
  VoiceEngine,
} from "../../../features/voice/voice-engine.ts";
import { artefactOf } from "./artefact.ts";
import { ask, askToDelete } from "./ask.ts";
import {
  final,
  later,
  notesOnForerunners,
  operatorFault,
  problemOf,
  speechOutcome,
  trainingOutcome,
} from "./failure.ts";
import { nameByContent, namesOf, wavFile } from "./material.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { unreadable } from "./vendor-failures.ts";
import { isSuccess, jsonOf, shaped, type Vendor, type VendorAnswer } from "./vendor.ts";

export type OpenaiSpeechConfig = { url: string | null; apiKey: string | null; model: string; voice: string | null };

const uploadMs = 2 * 60_000;
const Named = Type.String({ minLength: 1, maxLength: 200 });
/** OpenAI returns its own ID; vLLM-Omni uses the name. */
const Created = Type.Union([Type.Object({ id: Named }), Type.Object({ voice: Type.Object({ name: Named }) })]);
const Models = Type.Object({ data: Type.Array(Type.Unknown()) });
/** OpenAI lists IDs with names, others only names. */
const Voices = Type.Object({
  data: Type.Optional(Type.Array(Type.Object({ id: Named, name: Type.Optional(Type.String()) }))),
  voices: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Object({ name: Type.String() })]))),
});
/** How a request refers to the voice, and whether it is ours to delete. */
const Artefact = Type.Object({ voice: Type.Union([Named, Type.Object({ id: Named })]), isOurs: Type.Boolean() });

/**
 * Any server compatible with OpenAI's speech API (platform.openai.com/docs/api-reference/audio). If it accepts
 * recordings at /audio/voices, each clone has its own voice; otherwise, all clones use the configured built-in voice.
 */
export function createOpenaiSpeechEngine(
  { url, apiKey, model, voice }: OpenaiSpeechConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "The speech server",
    url: url ?? "",
    headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
    secrets: apiKey === null ? [] : [apiKey],
    options: { key: "OUTREACHD_OPENAI_SPEECH_API_KEY", url: "OUTREACHD_OPENAI_SPEECH_URL" },
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireUrl();
        // Many servers have no list of models, but all that require a key reject a wrong one here.
        await listOf(Models, "/models", signal);
      }),
    train: (material, onProgress, signal) =>
      trainingOutcome(async () => {
        requireUrl();
        if (voice !== null) return readyMade(voice);
        onProgress(0, "Sending the voice to the speech server");
        const artefact = await create(material, signal);
        onProgress(80, "Removing earlier voices of this clone");
        const notes = await notesOnForerunners(() => removeOthers(material.cloneId, nameOf(artefact), signal));
        onProgress(100, "Trained");
        return { kind: "trained", artefact: JSON.stringify(artefact), notes };
      }),
    speak: (trained, request, signal) => speechOutcome(() => speak(trained, request, signal)),
    async remove(text, signal) {
      requireUrl();
      const artefact = artefactOf(Artefact, text);
      if (artefact.isOurs) await removeVoice(nameOf(artefact), signal);
    },
  };

  function requireUrl(): void {
    if (url === null) throw operatorFault("The speech server has no URL. Set OUTREACHD_OPENAI_SPEECH_URL.");
  }

  function readyMade(name: string) {
    const artefact: Static<typeof Artefact> = { voice: name, isOurs: false };
    const notes = [`This is not a clone: it uses the built-in voice ${name}, whatever the recordings sound like.`];
    return { kind: "trained" as const, artefact: JSON.stringify(artefact), notes };
  }

  /** Returns null if the server has no such list. */
  async function listOf<T extends TSchema>(schema: T, path: string, signal: AbortSignal): Promise<Static<T> | null> {
    const answer = await ask(vendor, { path, expects: [404, 405] }, signal);
    return isSuccess(answer.status) ? readable(schema, answer) : null;
  }

  function readable<T extends TSchema>(schema: T, answer: VendorAnswer): Static<T> {
    const found = shaped(schema, jsonOf(answer));
    if (found === null) throw unreadable(vendor);
    return found;
  }

  /** Includes voices of interrupted runs, which are not recorded anywhere. */
  async function removeOthers(cloneId: string, kept: string, signal: AbortSignal): Promise<void> {
    const { data = [], voices = [] } = (await listOf(Voices, "/audio/voices", signal)) ?? {};
    const named = voices.map((voice) => (typeof voice === "string" ? voice : voice.name));
    const all = [...data, ...named.map((name) => ({ id: name, name }))];
    for (const { id, name } of all)
      if (name?.startsWith(namesOf(cloneId)) === true && id !== kept) await removeVoice(id, signal);
  }

  async function create(material: TrainingMaterial, signal: AbortSignal): Promise<Static<typeof Artefact>> {
    const { labels, reference } = material;
    const name = await nameByContent(material);
    const form = new FormData();
    form.set("name", name);
    // OpenAI requires the ID of a recorded consent (cons_...); other servers accept any value.
    form.set("consent", labels["consent"] ?? name);
    form.set("audio_sample", await wavFile(reference.path, `${name}.wav`));
    const request = { path: "/audio/voices", body: { multipart: form }, timeoutMs: uploadMs, expects: [404, 405] };
    const answer = await ask(vendor, request, signal);
    if (answer.status >= 400)
      throw final(
        "The speech server cannot clone voices (it has no /audio/voices). Set OUTREACHD_OPENAI_SPEECH_VOICE to use a built-in voice, or choose another engine.",
      );
    const created = readable(Created, answer);
    return { voice: "id" in created ? { id: created.id } : created.voice.name, isOurs: true };
  }

  async function removeVoice(name: string, signal: AbortSignal): Promise<void> {
    const path = `/audio/voices/${encodeURIComponent(name)}`;
    const byHand = () => later(`The speech server cannot delete voices. Remove the voice ${name} there.`, 86_400);
    await askToDelete({ ...vendor, explain: ({ status }) => (status === 405 ? byHand() : null) }, path, signal);
  }

  async function speak({ artefact }: TrainedVoice, { text }: SpeechRequest, signal: AbortSignal) {
    requireUrl();
    const json = { model, input: text, voice: artefactOf(Artefact, artefact).voice, response_format: "wav" };
    return await speech(vendor, { path: "/audio/speech", body: { json } }, new WavDecoder(), signal);
  }
}

function nameOf({ voice }: Static<typeof Artefact>): string {
  return typeof voice === "string" ? voice : voice.id;
}

import { Type, type Static } from "@sinclair/typebox";
import type {
  SpeechRequest,
  TrainedVoice,
  TrainingMaterial,
  VoiceEngine,
} from "../../../features/voice/voice-engine.ts";
import { artefactOf } from "./artefact.ts";
import { askJson, askToDelete } from "./ask.ts";
import { final, notesOnForerunners, operatorFault, problemOf, speechOutcome, trainingOutcome } from "./failure.ts";
import { describedFor, isOf, languageOf, shortened } from "./material.ts";
import { WavDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import type { Said, Vendor } from "./vendor.ts";
import { cutWav } from "./wav-head.ts";

export type CartesiaConfig = { url: string; apiKey: string | null; model: string; language: string };

/** The API version of these schemas (cartesia-js, src/resources). */
const apiVersion = "2025-04-16";
/** About 5 seconds are recommended; longer recordings are matched less closely (docs.cartesia.ai, Clone Voice). */
const clipSeconds = 10;
const uploadMs = 2 * 60_000;
/** Far more voices than any account has. */
const maxPages = 50;

const Cloned = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) });
const Voices = Type.Object({
  data: Type.Array(
    Type.Object({ id: Type.String(), description: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
  ),
  has_more: Type.Optional(Type.Boolean()),
});
const Artefact = Type.Object({ voice: Type.String(), language: Type.String() });

/** Voice clones at Cartesia (docs.cartesia.ai), which has no settings like stability or clarity. */
export function createCartesiaEngine(
  { url, apiKey, model, language }: CartesiaConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "Cartesia",
    url,
    headers: { authorization: `Bearer ${apiKey ?? ""}`, "cartesia-version": apiVersion },
    secrets: apiKey === null ? [] : [apiKey],
    options: { key: "OUTREACHD_CARTESIA_API_KEY", url: "OUTREACHD_CARTESIA_URL" },
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireKey();
        await askJson(vendor, Voices, { path: "/voices/", query: { limit: "1" } }, signal);
      }),
    train: (material, onProgress, signal) =>
      trainingOutcome(async () => {
        requireKey();
        onProgress(0, "Sending a sample to Cartesia");
        const spoken = languageOf(material, language).slice(0, 2);
        const body = { multipart: await formOf(material, spoken) };
        const { id } = await askJson(vendor, Cloned, { path: "/voices/clone", body, timeoutMs: uploadMs }, signal);
        onProgress(80, "Removing earlier voices of this clone");
        const notes = await notesOnForerunners(() => removeOthers(material.cloneId, id, signal));
        onProgress(100, "Trained");
        const artefact: Static<typeof Artefact> = { voice: id, language: spoken };
        notes.unshift("A sample was sent to Cartesia, which keeps its copy until you delete this clone.");
        return { kind: "trained", artefact: JSON.stringify(artefact), notes };
      }),
    speak: (voice, request, signal) => speechOutcome(() => speak(voice, request, signal)),
    remove: (artefact, signal) => removeVoice(artefactOf(Artefact, artefact).voice, signal),
  };

  function requireKey(): void {
    if (apiKey === null) throw operatorFault("Cartesia requires an API key. Set OUTREACHD_CARTESIA_API_KEY.");
  }

  async function formOf(material: TrainingMaterial, spoken: string): Promise<FormData> {
    const form = new FormData();
    const clip = cutWav(await Bun.file(material.samples[0]!.clip.path).bytes(), clipSeconds);
    form.set("clip", new File([new Uint8Array(clip)], "sample.wav", { type: "audio/wav" }));
    form.set("name", shortened(material.name, 100));
    form.set("description", describedFor(material, 500));
    form.set("language", spoken);
    return form;
  }

  /** They may include one from an interrupted run. The list cannot be searched, so it is read page by page. */
  async function removeOthers(cloneId: string, keptId: string, signal: AbortSignal): Promise<void> {
    let after: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const query = { is_owner: "true", limit: "100", ...(after !== undefined && { starting_after: after }) };
      const { data, has_more: hasMore } = await askJson(vendor, Voices, { path: "/voices/", query }, signal);
      for (const { id, description } of data)
        if (id !== keptId && isOf(cloneId, description)) await removeVoice(id, signal);
      after = data.at(-1)?.id;
      if (hasMore !== true || after === undefined) return;
    }
  }

  async function removeVoice(id: string, signal: AbortSignal): Promise<void> {
    requireKey();
    await askToDelete(vendor, `/voices/${encodeURIComponent(id)}`, signal);
  }

  async function speak({ artefact }: TrainedVoice, { text }: SpeechRequest, signal: AbortSignal) {
    requireKey();
    const { voice, language: spoken } = artefactOf(Artefact, artefact);
    const json = {
      model_id: model,
      transcript: text,
      voice: { mode: "id", id: voice },
      output_format: { container: "wav", encoding: "pcm_s16le", sample_rate: 24_000 },
      language: spoken,
    };
    const request = { path: "/tts/bytes", body: { json } };
    return await speech({ ...vendor, explain: explainGone }, request, new WavDecoder(), signal);
  }
}

function explainGone({ status }: Said) {
  return status === 404 ? final("Cartesia no longer has this voice: train the clone again.") : null;
}

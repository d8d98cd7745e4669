import { Type } from "@sinclair/typebox";
import type {
  SpeechOutcome,
  SpeechRequest,
  TrainedVoice,
  TrainingMaterial,
  TrainingOutcome,
  VoiceEngine,
} from "../../../features/voice/voice-engine.ts";
import { ask, askJson } from "./ask.ts";
import { final, notesOnForerunners, operatorFault, problemOf, speechOutcome, trainingOutcome } from "./failure.ts";
import { describedFor, isOf, samplesFor, shortened, wavFile } from "./material.ts";
import { PcmDecoder } from "./sound-decoder.ts";
import { speech } from "./speech.ts";
import { failureOfAnswer, saidIn } from "./vendor-failures.ts";
import type { Said, Vendor } from "./vendor.ts";

export type ElevenlabsConfig = { url: string; apiKey: string | null; model: string };

/** More than three minutes of speech do not improve a clone (elevenlabs.io/docs, instant voice cloning). */
const usefulSeconds = 180;
const uploadMs = 3 * 60_000;

const Added = Type.Object({
  voice_id: Type.String({ minLength: 1, maxLength: 200 }),
  requires_verification: Type.Optional(Type.Boolean()),
});
const Voices = Type.Object({
  voices: Type.Array(
    Type.Object({
      voice_id: Type.String(),
      description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
});

/** Instant voice clones at ElevenLabs (elevenlabs.io/docs/api-reference). The artifact is the ID of the voice there. */
export function createElevenlabsEngine(
  { url, apiKey, model }: ElevenlabsConfig,
  world: Pick<Vendor, "http" | "clock">,
): VoiceEngine {
  const vendor: Vendor = {
    ...world,
    name: "ElevenLabs",
    url,
    headers: { "xi-api-key": apiKey ?? "" },
    secrets: apiKey === null ? [] : [apiKey],
    options: { key: "OUTREACHD_ELEVENLABS_API_KEY", url: "OUTREACHD_ELEVENLABS_URL" },
    explain: explainGone,
  };

  return {
    problem: (signal) =>
      problemOf(async () => {
        requireKey();
        await askJson(vendor, Voices, { path: "/v2/voices", query: { page_size: "1" } }, signal);
      }),
    train: (material, onProgress, signal) => trainingOutcome(() => train(material, onProgress, signal)),
    speak: (voice, request, signal) => speechOutcome(() => speak(voice, request, signal)),
    remove: (voiceId, signal) => removeVoice(voiceId, signal),
  };

  function requireKey(): void {
    if (apiKey === null) throw operatorFault("ElevenLabs requires an API key. Set OUTREACHD_ELEVENLABS_API_KEY.");
  }

  async function train(
    material: TrainingMaterial,
    onProgress: (percent: number, stage: string) => void,
    signal: AbortSignal,
  ): Promise<TrainingOutcome> {
    requireKey();
    const samples = samplesFor(material, usefulSeconds);
    onProgress(0, `Sending ${samples.length} of ${material.samples.length} samples to ElevenLabs`);
    const body = { multipart: await formOf(material, samples) };
    const request = { path: "/v1/voices/add", body, timeoutMs: uploadMs };
    const { voice_id: voiceId, requires_verification: isUnverified } = await askJson(vendor, Added, request, signal);
    if (isUnverified === true) {
      await removeVoice(voiceId, signal);
      throw final(
        "ElevenLabs requires a verification for this voice (requires_verification), which its API does not support. The voice was deleted there. Ask ElevenLabs to lift the requirement, or choose another engine.",
      );
    }
    onProgress(80, "Removing earlier voices of this clone");
    const notes = await notesOnForerunners(() => removeOthers(material.cloneId, voiceId, signal));
    onProgress(100, "Trained");
    notes.unshift("The samples were sent to ElevenLabs, which keeps its copy until you delete this clone.");
    return { kind: "trained", artefact: voiceId, notes };
  }

  async function formOf(material: TrainingMaterial, samples: readonly { path: string }[]) {
    const form = new FormData();
    form.set("name", shortened(material.name, 100));
    form.set("description", describedFor(material, 500));
    // Background noise is already removed: only clear speech is sent.
    form.set("remove_background_noise", "false");
    const known = Object.entries(material.labels).filter(([key]) =>
      ["language", "accent", "gender", "age"].includes(key),
    );
    if (known.length > 0) form.set("labels", JSON.stringify(Object.fromEntries(known)));
    for (const [index, { path }] of samples.entries())
      form.append("files", await wavFile(path, `sample-${index + 1}.wav`));
    return form;
  }

  /**
   * Includes voices of interrupted runs, which are not recorded anywhere. The previous voice is used until there is a
   * new one.
   */
  async function removeOthers(cloneId: string, keptId: string, signal: AbortSignal): Promise<void> {
    const query = { search: cloneId, page_size: "100" };
    const { voices } = await askJson(vendor, Voices, { path: "/v2/voices", query }, signal);
    for (const { voice_id: voiceId, description } of voices)
      if (voiceId !== keptId && isOf(cloneId, description)) await removeVoice(voiceId, signal);
  }

  async function removeVoice(voiceId: string, signal: AbortSignal): Promise<void> {
    requireKey();
    const path = `/v1/voices/${encodeURIComponent(voiceId)}`;
    const answer = await ask(vendor, { method: "DELETE", path, expects: [400, 404] }, signal);
    if (answer.status >= 400 && saidIn(vendor, answer).code !== gone) throw failureOfAnswer(vendor, answer);
  }

  async function speak(
    voice: TrainedVoice,
    { text, settings }: SpeechRequest,
    signal: AbortSignal,
  ): Promise<SpeechOutcome> {
    requireKey();
    const { stability, clarity, useSpeakerBoost } = settings;
    const json = {
      text,
      model_id: model,
      voice_settings: { stability, similarity_boost: clarity, use_speaker_boost: useSpeakerBoost },
    };
    const path = `/v1/text-to-speech/${encodeURIComponent(voice.artefact)}/stream`;
    // All plans support this format; 44.1 kHz requires a larger one.
    const request = { path, query: { output_format: "pcm_24000" }, body: { json } };
    return await speech(vendor, request, new PcmDecoder(24_000), signal);
  }
}

/** Comes with 400 or 404. */
const gone = "voice_not_found";

function explainGone({ code }: Said) {
  return code === gone ? final("ElevenLabs no longer has this voice: train the clone again.") : null;
}

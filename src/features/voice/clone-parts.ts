import { multiLine, singleLine } from "../../platform/base/clean-text.ts";
import { invalid, type FieldError } from "../../platform/base/errors.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import { ownerOf } from "./files.ts";
import type {
  Consent,
  ConsentInput,
  ConsentMode,
  SettingsInput,
  VoiceClone,
  VoiceSample,
  VoiceSettings,
} from "./model.ts";
import type { ReceivedForm } from "./receive.ts";

// What a clone is put together from, out of a form.

/** Five interruptions speak for a fault that is not chance. */
const maxAttempts = 5;

export function refuseIncomplete(
  name: string,
  form: ReceivedForm,
  consent: ConsentInput | undefined,
  mode: ConsentMode,
): void {
  const errors: FieldError[] = [];
  if (name === "") errors.push({ path: "name", message: "Expected a text that is not empty." });
  if (form.files.length === 0)
    errors.push({ path: "files", message: "Send at least one recording as files: WAV, MP3, M4A or FLAC." });
  if (mode !== "off" && consent === undefined)
    errors.push({
      path: "consent",
      message: 'Say who agreed to this clone: {"attested": true, "speakerName": "…"}.',
    });
  if (mode === "recording" && form.consentRecording === null)
    errors.push({ path: "consentRecording", message: "Send a recording in which the speaker agrees to the clone." });
  if (form.consentRecording !== null && consent === undefined && mode === "off")
    errors.push({ path: "consent", message: "Say who agrees in the recording." });
  if (errors.length > 0) throw invalid(errors);
}

export function consentOf(
  consent: ConsentInput | undefined,
  { consentRecording }: ReceivedForm,
  { keyId, keyName, userId: callerId }: Caller,
  userId: string,
  now: number,
): Consent | null {
  if (consent === undefined) return null;
  const speakerName = singleLine(consent.speakerName);
  const plain = `${speakerName} agreed that this voice is cloned from these recordings, and that the clone is used.`;
  const recording = consentRecording && {
    format: consentRecording.format,
    bytes: consentRecording.bytes,
    sha256: consentRecording.sha256,
  };
  return {
    speakerName,
    statement: multiLine(consent.statement ?? "") || plain,
    attestedBy: { userId: callerId ?? userId, keyId, keyName },
    attestedAt: now,
    recording,
  };
}

export function samplesOf(cloneId: string, { files }: ReceivedForm, now: number): VoiceSample[] {
  return files.map(({ blob, fileName, format, bytes, sha256 }) => ({
    id: ownerOf(blob).sampleId ?? "",
    cloneId,
    fileName,
    format,
    bytes,
    sha256,
    hasOriginal: true,
    derivedBytes: 0,
    quality: null,
    createdAt: now,
  }));
}

export function trainingJob({ id: cloneId, userId, name }: VoiceClone, id: string, now: number): Job {
  return {
    id,
    userId,
    type: "voice_training",
    status: "pending",
    runAt: now,
    attempt: 0,
    failures: 0,
    maxAttempts,
    leaseUntil: null,
    message: "Waiting to be trained",
    progress: 0,
    metadata: { voiceId: cloneId, name },
    payload: {},
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  };
}

/** Wire names become ours; what is left out keeps its value. */
export function settingsWith(before: VoiceSettings, sent: SettingsInput | undefined): VoiceSettings {
  return {
    stability: sent?.stability ?? before.stability,
    clarity: sent?.clarity ?? before.clarity,
    useSpeakerBoost: sent?.use_speaker_boost ?? before.useSpeakerBoost,
  };
}

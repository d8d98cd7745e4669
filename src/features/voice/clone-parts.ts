import { multiLine, singleLine } from "../../platform/base/text.ts";
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
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

// Builds the parts of a clone from a form.

/** Five interruptions indicate a persistent fault. */
const maxAttempts = 5;

export function rejectIncomplete(
  name: string,
  form: ReceivedForm,
  consent: ConsentInput | undefined,
  mode: ConsentMode,
): void {
  const errors: FieldError[] = [];
  if (name === "") errors.push({ path: "name", message: "Must not be empty." });
  if (form.files.length === 0)
    errors.push({ path: "files", message: "Send at least one recording in WAV, MP3, M4A, or FLAC format." });
  if (mode !== "off" && consent === undefined)
    errors.push({
      path: "consent",
      message: 'Consent is required. Send {"attested": true, "speakerName": "…"}.',
    });
  if (mode === "recording" && form.consentRecording === null)
    errors.push({ path: "consentRecording", message: "Send a recording of the speaker consenting to the clone." });
  if (form.consentRecording !== null && consent === undefined && mode === "off")
    errors.push({ path: "consent", message: "Send consent with the name of the speaker in the recording." });
  if (errors.length > 0) throw invalid(errors);
}

export function consentOf(
  consent: ConsentInput | undefined,
  { consentRecording }: ReceivedForm,
  { keyId, keyName, workspaceId: callerId }: Caller,
  workspaceId: WorkspaceId,
  now: number,
): Consent | null {
  if (consent === undefined) return null;
  const speakerName = singleLine(consent.speakerName);
  const defaultStatement = `${speakerName} consented to the creation of a voice clone from these recordings and to its use.`;
  const recording = consentRecording && {
    format: consentRecording.format,
    bytes: consentRecording.bytes,
    sha256: consentRecording.sha256,
  };
  return {
    speakerName,
    statement: multiLine(consent.statement ?? "") || defaultStatement,
    attestedBy: { userId: callerId ?? workspaceId, keyId, keyName },
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

export function trainingJob(
  { id: cloneId, workspaceId, name }: VoiceClone,
  id: string,
  userId: UserId | null,
  now: number,
): Job {
  return {
    id,
    workspaceId,
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

/** Applies settings from a request; omitted ones keep their value. */
export function settingsWith(before: VoiceSettings, sent: SettingsInput | undefined): VoiceSettings {
  return {
    stability: sent?.stability ?? before.stability,
    clarity: sent?.clarity ?? before.clarity,
    useSpeakerBoost: sent?.use_speaker_boost ?? before.useSpeakerBoost,
  };
}

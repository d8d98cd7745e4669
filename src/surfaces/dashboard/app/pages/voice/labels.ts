import type { CloneStatus } from "../../../../../features/voice/model.ts";
import type { Tone } from "../../ui/badge.tsx";

export const voiceStatusLabels: Record<CloneStatus, { tone: Tone; label: string }> = {
  processing: { tone: "info", label: "Training" },
  ready: { tone: "good", label: "Ready" },
  failed: { tone: "bad", label: "Failed" },
};

/** Specification, "Limits". */
export const maxSamples = 10;
export const maxSampleBytes = 50 * 1024 * 1024;
export const audioTypes = ".wav,.mp3,.m4a,.flac,audio/wav,audio/mpeg,audio/mp4,audio/flac";

export function formOf(files: readonly File[], fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  // Before the files, so that the server can reject invalid fields before megabytes are uploaded.
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append("files", file, file.name);
  return form;
}

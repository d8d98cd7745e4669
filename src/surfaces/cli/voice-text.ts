import type { CheckView, CloneDetailView, CloneView } from "../../features/voice/model.ts";
import { renderTable, shortTime } from "./table.ts";

export function voicesText(voices: readonly CloneView[]): string {
  if (voices.length === 0) return "No voices. Train one with `outreachd voices create NAME FILES`.";
  const rows = voices.map(({ name, status, progress, isActive, sampleCount, createdAt, voiceId }) => [
    ...[name, status === "processing" ? `${status} ${Math.floor(progress)}%` : status, isActive ? "yes" : "no"],
    ...[`${sampleCount}`, shortTime(createdAt), voiceId],
  ]);
  return renderTable(["NAME", "STATUS", "USABLE", "RECORDINGS", "CREATED (UTC)", "ID"], rows);
}

export function voiceText({ samples, quality, consent, settings, labels, ...voice }: CloneDetailView): string {
  const fields = {
    ...voice,
    ...settings,
    ...(Object.keys(labels).length > 0 && { labels: JSON.stringify(labels) }),
    ...(consent !== null && { consent: `${consent.speakerName}, ${shortTime(consent.attestedAt)}` }),
  };
  const rows = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, `${value}`]],
  );
  const parts = [renderTable(["FIELD", "VALUE"], rows), recordingsText(samples)];
  return [...parts, ...(quality === null ? [] : advice(quality))].join("\n\n");
}

export function checkText({ isTrainable, quality, samples }: CheckView): string {
  const seconds = `${Math.round(quality.speechSeconds)} seconds of speech in ${quality.usableSamples} of ${samples.length} recordings`;
  const verdict = isTrainable ? "These recordings can be used" : "These recordings cannot be used";
  return [`${verdict}: ${seconds}.`, recordingsText(samples), ...advice(quality)].join("\n\n");
}

function recordingsText(samples: CheckView["samples"] | CloneDetailView["samples"]): string {
  const rows = samples.map(({ fileName, format, quality }) => [
    ...[fileName, format, quality?.verdict ?? "not measured"],
    (quality?.problems ?? []).map(({ message }) => message).join(" "),
  ]);
  return renderTable(["RECORDING", "FORMAT", "QUALITY", "WHAT TO DO"], rows);
}

function advice({ problems, notes }: CheckView["quality"]): string[] {
  const lines = [...problems.map(({ message }) => message), ...notes].map((line) => `- ${line}`);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

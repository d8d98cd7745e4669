import { singleLine } from "../../../platform/base/text.ts";
import type { AudioClip, TrainingMaterial } from "../../../features/voice/voice-engine.ts";

/** Selects the clips to send to a vendor: the best ones first, up to `usefulSeconds`, at least one. */
export function samplesFor({ samples }: TrainingMaterial, usefulSeconds: number): readonly AudioClip[] {
  const chosen: AudioClip[] = [];
  let seconds = 0;
  for (const { clip } of samples) {
    if (chosen.length > 0 && seconds + clip.seconds > usefulSeconds) continue;
    chosen.push(clip);
    seconds += clip.seconds;
  }
  return chosen;
}

/** Returns a clip as a form part. Its name tells the vendor the format, without revealing the local path. */
export async function wavFile(path: string, name: string): Promise<File> {
  return new File([await Bun.file(path).bytes()], name, { type: "audio/wav" });
}

/** Returns a text for the vendor's pages as one line, because forms turn a line break into two characters. */
export function shortened(text: string, maxLength: number): string {
  return singleLine(text).slice(0, maxLength).toWellFormed().trim();
}

/** Returns a description for the vendor's pages, by which voices of earlier runs can be found. */
export function describedFor({ cloneId, description }: TrainingMaterial, maxLength: number): string {
  const mark = markOf(cloneId);
  return `${shortened(description, maxLength - mark.length - 1)} ${mark}`.trim();
}

/** Whether a voice with this description was created for the clone. */
export function isOf(cloneId: string, description: string | null | undefined): boolean {
  return description?.endsWith(markOf(cloneId)) ?? false;
}

function markOf(cloneId: string): string {
  return `(outreachd ${cloneId})`;
}

/** Returns the language of a clone from its label, as two letters with an optional region; otherwise the default. */
export function languageOf({ labels }: Pick<TrainingMaterial, "labels">, usual: string): string {
  const label = labels["language"]?.trim().toLowerCase() ?? "";
  return /^[a-z]{2}(-[a-z]{2,4})?$/.test(label) ? label : usual;
}

/** Short text to test whether a server can speak in a voice at all. */
export const testText = "This is a short test of the new voice.";

/** Prefix of the names of all voices of a clone, for servers that store voices by name. */
export function namesOf(cloneId: string): string {
  return `outreachd-${cloneId}-`;
}

/**
 * Returns a name for this recording of a clone in this language. The same recording always has the same name, so that
 * it is not sent twice; different ones never share a name, so that each can be deleted separately.
 */
export async function nameByContent({ cloneId, reference }: TrainingMaterial, language = ""): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(reference.path).bytes()).update(language);
  return `${namesOf(cloneId)}${hash.digest("hex").slice(0, 12)}`;
}

import { singleLine } from "../../../platform/base/clean-text.ts";
import type { AudioClip, TrainingMaterial } from "../../../features/voice/voice-engine.ts";

/** The clips to send to a vendor: the best first, as many as `usefulSeconds` hold, at least one. */
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

/** A clip as a part of a form. Its name tells the vendor what it is; where it lies here is nobody's business. */
export async function wavFile(path: string, name: string): Promise<File> {
  return new File([await Bun.file(path).bytes()], name, { type: "audio/wav" });
}

/** A text for the vendor's own pages: one line, as forms make two characters of a line break. */
export function shortened(text: string, maxLength: number): string {
  return singleLine(text).slice(0, maxLength).toWellFormed().trim();
}

/** A description for the vendor's own pages, by which a voice of an earlier run is found again. */
export function describedFor({ cloneId, description }: TrainingMaterial, maxLength: number): string {
  const mark = markOf(cloneId);
  return `${shortened(description, maxLength - mark.length - 1)} ${mark}`.trim();
}

/** Whether a voice with this description was made for the clone. */
export function isOf(cloneId: string, description: string | null | undefined): boolean {
  return description?.endsWith(markOf(cloneId)) ?? false;
}

function markOf(cloneId: string): string {
  return `(outreachd ${cloneId})`;
}

/** The language of a clone by its label, as two letters and perhaps a region; else the usual one. */
export function languageOf({ labels }: Pick<TrainingMaterial, "labels">, usual: string): string {
  const label = labels["language"]?.trim().toLowerCase() ?? "";
  return /^[a-z]{2}(-[a-z]{2,4})?$/.test(label) ? label : usual;
}

/** Something short to find out whether a server speaks in a voice at all. */
export const testText = "This is a short test of the new voice.";

/** Names of all voices of a clone begin so, where the server keeps them by name. */
export function namesOf(cloneId: string): string {
  return `outreachd-${cloneId}-`;
}

/**
 * A name for this recording of a clone in this language. The same has always the same name, so that a server which has
 * it already needs it no second time; what differs in any way never shares a name, so that one can go without the other.
 */
export async function nameByContent({ cloneId, reference }: TrainingMaterial, language = ""): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(reference.path).bytes()).update(language);
  return `${namesOf(cloneId)}${hash.digest("hex").slice(0, 12)}`;
}

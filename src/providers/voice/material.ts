import type { AudioClip, TrainingMaterial } from "../../voice/voice-engine.ts";

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

/** A description for the vendor's own pages, by which a voice of an earlier run is found again. */
export function describedFor(cloneId: string, description: string, maxLength: number): string {
  const mark = markOf(cloneId);
  return `${description.slice(0, maxLength - mark.length - 1)} ${mark}`.toWellFormed().trim();
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

/** A name for the recording of a clone, another one for another recording: for servers that never replace a file. */
export async function nameByContent(cloneId: string, { path }: AudioClip): Promise<string> {
  const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex");
  return `outreachd-${cloneId}-${digest.slice(0, 12)}`;
}

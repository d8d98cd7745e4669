const folder = "voice";

/** Names of the files of a clone in the blob store; all begin with the clone's id. */
export const voiceFiles = {
  /** As it was sent. */
  original: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.original`,
  /** Its clearest speech, as WAV. */
  clip: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.clip`,
  /** What the built-in engine measured of it; the name counts up with the way of measuring, so that older ones are made anew. */
  frames: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.frames1`,
  /** The best speech of all samples, as WAV. */
  reference: (cloneId: string) => `${folder}/${cloneId}.reference`,
  /** The speaker agrees. */
  consent: (cloneId: string) => `${folder}/${cloneId}.consent`,
  folder,
} as const;

/** Whose file it is; `sampleId` is null for files of the whole clone. */
export function ownerOf(name: string): { cloneId: string; sampleId: string | null } {
  const [cloneId = "", second = "", third] = name.slice(folder.length + 1).split(".");
  return { cloneId, sampleId: third === undefined || third === "part" ? null : second };
}

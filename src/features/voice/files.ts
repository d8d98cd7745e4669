const folder = "voice";

/** Blob names of a clone's files. All start with the ID of the clone. */
export const voiceFiles = {
  /** The uploaded file. */
  original: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.original`,
  /** The clearest speech of the sample, as WAV. */
  clip: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.clip`,
  /**
   * Measurements for the built-in engine. The number in the name is the version of the format: older files are measured
   * again.
   */
  frames: (cloneId: string, sampleId: string) => `${folder}/${cloneId}.${sampleId}.frames1`,
  /** The best speech of all samples, as WAV. */
  reference: (cloneId: string) => `${folder}/${cloneId}.reference`,
  /** The consent recording. */
  consent: (cloneId: string) => `${folder}/${cloneId}.consent`,
  /** The beginning of the names of all files, and of those of a clone. */
  all: `${folder}/`,
  allOf: (cloneId: string) => `${folder}/${cloneId}.`,
} as const;

/** The clone and sample of a file; `sampleId` is null for files of the whole clone. */
export function ownerOf(name: string): { cloneId: string; sampleId: string | null } {
  const [cloneId = "", second = "", third] = name.slice(folder.length + 1).split(".");
  return { cloneId, sampleId: third === undefined || third === "part" ? null : second };
}

/** Why an archive is not restored, as half a sentence: "… is not restored: it is cut off". */
export class ArchiveError extends Error {}

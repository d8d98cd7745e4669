/** Why an archive cannot be restored, as a clause: "… is not restored: it is truncated". */
export class ArchiveError extends Error {}

/** Texts in an audio file, for players and for finding out where it comes from. */
export type AudioTags = { title?: string; artist?: string; comment?: string; software?: string };

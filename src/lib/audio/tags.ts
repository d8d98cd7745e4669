/** Texts that an audio file carries beside its sound, for players and for whoever asks where it comes from. */
export type AudioTags = { title?: string; artist?: string; comment?: string; software?: string };

/** Voices inside Flite that speak at 16 kHz: a man and a woman from the USA, a man from Scotland. */
export const baseVoiceNames = ["rms", "slt", "awb"] as const;
export type BaseVoiceName = (typeof baseVoiceNames)[number];

/** Approximate natural pitch of each voice. */
export const baseVoiceHz: Record<BaseVoiceName, number> = { rms: 103, slt: 169, awb: 127 };

export const voiceErrorCodes = ["no_samples", "too_little_speech", "nothing_to_speak", "voice_unfit"] as const;
export type VoiceErrorCode = (typeof voiceErrorCodes)[number];

/** The audio or the text is unusable; `message` tells the user what to do. */
export class VoiceError extends Error {
  override readonly name = "VoiceError";

  constructor(
    readonly code: VoiceErrorCode,
    message: string,
  ) {
    super(message);
  }
}

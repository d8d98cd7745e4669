import type { VoiceSettings } from "../../../features/voice/model.ts";

/**
 * Maps the settings that Chatterbox supports. Stability 0.5 corresponds to its defaults of both: exaggeration 0.5 (more
 * is livelier) and temperature 0.8 (less is more even). `cfg_weight` ties it to the text, not to the speaker, so it
 * does not correspond to clarity.
 */
export function chatterboxSettings({ stability }: VoiceSettings) {
  return { exaggeration: rounded(0.75 - 0.5 * stability), temperature: rounded(1.05 - 0.5 * stability) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

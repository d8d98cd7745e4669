import type { VoiceSettings } from "../../../features/voice/model.ts";

/**
 * What of the settings Chatterbox has a knob for. Stability 0.5 is its own default of both: exaggeration 0.5 (lively is
 * more) and temperature 0.8 (even is less). `cfg_weight` binds it to the text, not to the speaker, so clarity is not it.
 */
export function chatterboxSettings({ stability }: VoiceSettings) {
  return { exaggeration: rounded(0.75 - 0.5 * stability), temperature: rounded(1.05 - 0.5 * stability) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

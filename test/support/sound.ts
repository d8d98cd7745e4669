import type { PcmBlock } from "../../src/lib/audio/audio.ts";

/**
 * A made-up sound whose samples can be worked out again: a gliding tone, a high tone that comes and goes, and a click,
 * which makes encoders switch to short blocks. Channels differ. Within -0.9 to 0.9.
 */
export function sound(sampleRate: number, seconds: number, channel = 0): Float32Array {
  return Float32Array.from({ length: Math.round(sampleRate * seconds) }, (_, i) => {
    const t = i / sampleRate;
    const glide = 0.4 * Math.sin(2 * Math.PI * (220 + 60 * channel + 200 * t) * t);
    const high = 0.2 * Math.sin(2 * Math.PI * 1700 * t) * (t % 0.1 < 0.05 ? 1 : 0);
    const click = t % 0.13 < 0.002 ? 0.3 * Math.sin(2 * Math.PI * 2900 * t + channel) : 0;
    return glide + high + click;
  });
}

/** The samples of blocks put together, by channel. */
export function joined(blocks: Iterable<PcmBlock>): { channels: Float32Array[]; sampleRate: number } {
  const all = [...blocks];
  const channels = (all[0]?.channels ?? []).map((_, channel) => {
    return Float32Array.from(all.flatMap((block) => [...block.channels[channel]!]));
  });
  return { channels, sampleRate: all[0]?.sampleRate ?? 0 };
}

/** How far the sound is above its difference from the expected, in decibels. Lengths may differ; the shorter counts. */
export function signalToNoise(expected: Float32Array, actual: Float32Array): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < Math.min(expected.length, actual.length); i++) {
    signal += expected[i]! ** 2;
    noise += (expected[i]! - actual[i]!) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

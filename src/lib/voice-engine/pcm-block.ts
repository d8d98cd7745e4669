/** A block of decoded audio: one array per channel, all of the same length; full scale is ±1. Rate in Hz. */
export type PcmBlock = { channels: Float32Array[]; sampleRate: number };

import { AudioError, checkShape } from "../pcm.ts";

/** What an Apple Lossless stream says of itself before its first frame ("magic cookie", 24 bytes). */
export type AlacConfig = {
  sampleRate: number;
  channels: number;
  bitDepth: number;
  /** Samples a channel in a frame; the last one may have fewer. */
  frameSamples: number;
  /** Settings of the adaptive Rice code: how fast it learns, where it starts, the longest code. */
  historyMultiplier: number;
  initialHistory: number;
  riceLimit: number;
};

/** Four times what Apple's encoder writes; more would only cost memory. */
const maxFrameSamples = 16_384;

/** Throws `AudioError` for what can't be used. */
export function readAlacConfig(bytes: Uint8Array): AlacConfig {
  if (bytes.length < 24) throw new AudioError("corrupt", "M4A file doesn't describe its Apple Lossless audio.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const config: AlacConfig = {
    frameSamples: view.getUint32(0),
    bitDepth: view.getUint8(5),
    historyMultiplier: view.getUint8(6),
    initialHistory: view.getUint8(7),
    riceLimit: view.getUint8(8),
    channels: view.getUint8(9),
    sampleRate: view.getUint32(20),
  };
  checkShape("Apple Lossless", config.channels, config.sampleRate);
  const isReadable =
    [16, 20, 24, 32].includes(config.bitDepth) && config.frameSamples > 0 && config.frameSamples <= maxFrameSamples;
  if (isReadable && config.riceLimit > 0 && config.riceLimit <= 24) return config;
  throw new AudioError("corrupt", "The description of the Apple Lossless audio is damaged.");
}

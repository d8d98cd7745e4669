/** Converts a recording to 16-bit mono WAV, because browsers record in different formats. */
export async function asWav(recording: Blob): Promise<Blob> {
  const context = new AudioContext();
  try {
    const sound = await context.decodeAudioData(await recording.arrayBuffer());
    return wavOf(mono(sound), sound.sampleRate);
  } finally {
    await context.close();
  }
}

function mono(sound: AudioBuffer): Float32Array {
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) => sound.getChannelData(index));
  const mixed = new Float32Array(sound.length);
  for (const channel of channels)
    for (let at = 0; at < mixed.length; at++) mixed[at]! += (channel[at] ?? 0) / channels.length;
  return mixed;
}

const headerBytes = 44;

/** RIFF WAVE with one `fmt ` and one `data` chunk. */
export function wavOf(samples: Float32Array, sampleRate: number): Blob {
  const bytes = samples.length * 2;
  const view = new DataView(new ArrayBuffer(headerBytes + bytes));
  const text = (at: number, word: string) => {
    for (let index = 0; index < word.length; index++) view.setUint8(at + index, word.charCodeAt(index));
  };
  text(0, "RIFF");
  view.setUint32(4, headerBytes - 8 + bytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, bytes, true);
  for (const [index, sample] of samples.entries()) {
    const bounded = Math.max(-1, Math.min(1, sample));
    view.setInt16(headerBytes + index * 2, Math.round(bounded * 0x7fff), true);
  }
  return new Blob([view.buffer], { type: "audio/wav" });
}

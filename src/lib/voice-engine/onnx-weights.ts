/** One field of a protocol buffer: its number, and its value or the bytes that it spans. */
type Field = { number: number; value: number; bytes: Uint8Array };

/** Numbers of the fields that we need, from the public onnx.proto. */
const onnx = {
  modelGraph: 7,
  graphNode: 1,
  nodeOutput: 2,
  nodeAttribute: 5,
  attributeTensor: 5,
  attributeGraph: 6,
  tensorRawData: 9,
} as const;

/**
 * The constants of an ONNX model, by the name of the value that each one defines; those of the branches of an `If`
 * carry the branch in their names. Reads just enough of the format to avoid a runtime of 14 MB.
 */
export function readOnnxConstants(model: Uint8Array): Map<string, Float32Array> {
  const constants = new Map<string, Float32Array>();
  for (const graph of fieldsOf(model)) if (graph.number === onnx.modelGraph) readGraph(graph.bytes, constants);
  return constants;
}

function readGraph(graph: Uint8Array, constants: Map<string, Float32Array>): void {
  for (const node of fieldsOf(graph)) {
    if (node.number !== onnx.graphNode) continue;
    const fields = [...fieldsOf(node.bytes)];
    const output = fields.find((field) => field.number === onnx.nodeOutput);
    const name = output === undefined ? "" : new TextDecoder().decode(output.bytes);
    for (const attribute of fields) {
      if (attribute.number !== onnx.nodeAttribute) continue;
      for (const part of fieldsOf(attribute.bytes)) {
        if (part.number === onnx.attributeGraph) readGraph(part.bytes, constants);
        if (part.number !== onnx.attributeTensor || part.bytes.length === 0) continue;
        const raw = [...fieldsOf(part.bytes)].find((field) => field.number === onnx.tensorRawData);
        // Names end like those of trained parameters; other constants (sizes, indices) are integers.
        if (raw !== undefined && /weight|bias|basis/.test(name)) constants.set(name, floatsOf(raw.bytes));
      }
    }
  }
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getFloat32(i * 4, true));
}

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("The ONNX model is cut off.");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const kind = key & 7;
    if (kind === 0) yield { number: key >> 3, value: varint(), bytes: bytes.subarray(0, 0) };
    else {
      const length = kind === 2 ? varint() : kind === 5 ? 4 : 8;
      yield { number: key >> 3, value: 0, bytes: bytes.subarray(at, at + length) };
      at += length;
    }
  }
}

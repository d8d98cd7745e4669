import { readOnnxConstants } from "./onnx-weights.ts";

/** Samples of 16 kHz that one probability covers. */
export const sileroHop = 512;
const context = 64;
const filters = 129;
const filterTaps = 256;
const state = 128;

type Convolution = { inputs: number; outputs: number; stride: number; weight: Float32Array; bias: Float32Array };

/** The weights of Silero VAD (versions 5 and 6, 16 kHz branch). */
export type SileroWeights = {
  basis: Float32Array;
  encoder: Convolution[];
  input: { weight: Float32Array; bias: Float32Array };
  recurrent: { weight: Float32Array; bias: Float32Array };
  output: { weight: Float32Array; bias: Float32Array };
};

const encoderShape = [
  { inputs: filters, outputs: 128, stride: 1 },
  { inputs: 128, outputs: 64, stride: 2 },
  { inputs: 64, outputs: 64, stride: 2 },
  { inputs: 64, outputs: 128, stride: 1 },
];

/** Reads the published .onnx file. */
export function readSilero(model: Uint8Array): SileroWeights {
  const constants = readOnnxConstants(model);
  // The file holds one network for 16 kHz and one for 8 kHz; then_branch and the sizes tell ours.
  const pick = (name: string, length: number) => {
    const fitting = [...constants].filter(([key, value]) => key.endsWith(name) && value.length === length);
    const found = fitting.find(([key]) => key.includes("then_branch")) ?? fitting[0];
    if (found === undefined) throw new Error(`The speech detection model has no ${name} of ${length} numbers.`);
    return found[1];
  };
  return {
    basis: pick("forward_basis_buffer", 2 * filters * filterTaps),
    encoder: encoderShape.map((shape, layer) => ({
      ...shape,
      weight: tapsFirst(pick(`encoder.${layer}.reparam_conv.weight`, shape.inputs * shape.outputs * 3), shape.inputs),
      bias: pick(`encoder.${layer}.reparam_conv.bias`, shape.outputs),
    })),
    input: { weight: pick("rnn.weight_ih", 4 * state * state), bias: pick("rnn.bias_ih", 4 * state) },
    recurrent: { weight: pick("rnn.weight_hh", 4 * state * state), bias: pick("rnn.bias_hh", 4 * state) },
    output: { weight: pick("decoder.2.weight", state), bias: pick("decoder.2.bias", 1) },
  };
}

/** From [output][input][tap] to [output][tap][input], so that the inner loop of a convolution runs straight ahead. */
function tapsFirst(weight: Float32Array, inputs: number): Float32Array {
  return weight.map((_, index) => {
    const output = Math.floor(index / (inputs * 3));
    const tap = Math.floor((index % (inputs * 3)) / inputs);
    return weight[(output * inputs + (index % inputs)) * 3 + tap]!;
  });
}

/** Returns the probability of speech for each `sileroHop` samples (0 to 1). `signal` is at 16 kHz. */
export function speechProbabilities(weights: SileroWeights, signal: Float32Array): Float32Array {
  const hidden = new Float32Array(state);
  const cell = new Float32Array(state);
  const chunk = new Float32Array(context + sileroHop + context);
  return Float32Array.from({ length: Math.floor(signal.length / sileroHop) }, (_, step) => {
    const start = step * sileroHop;
    for (let i = 0; i < context + sileroHop; i++) chunk[i] = signal[start - context + i] ?? 0;
    for (let i = 0; i < context; i++) chunk[context + sileroHop + i] = chunk[context + sileroHop - 2 - i]!;
    let features = { values: magnitudes(weights.basis, chunk), length: 4 };
    for (const layer of weights.encoder) features = convolve(layer, features);
    return remember(weights, features.values, hidden, cell);
  });
}

/** The short-time spectrum as the network learned it: a bank of cosines and sines. */
function magnitudes(basis: Float32Array, chunk: Float32Array): Float32Array {
  const steps = 4;
  const values = new Float32Array(filters * steps);
  for (let t = 0; t < steps; t++) {
    const start = t * (filterTaps / 2);
    for (let k = 0; k < filters; k++) {
      const cosine = k * filterTaps;
      const sine = (k + filters) * filterTaps;
      let re = 0;
      let im = 0;
      for (let i = 0; i < filterTaps; i++) {
        re += basis[cosine + i]! * chunk[start + i]!;
        im += basis[sine + i]! * chunk[start + i]!;
      }
      values[t * filters + k] = Math.sqrt(re * re + im * im);
    }
  }
  return values;
}

/** Kernel 3, padding 1, then ReLU. Values are stored time step by time step. */
function convolve(layer: Convolution, { values, length }: { values: Float32Array; length: number }) {
  const { inputs, outputs, stride, weight, bias } = layer;
  const outLength = Math.floor((length - 1) / stride) + 1;
  const out = new Float32Array(outputs * outLength);
  for (let t = 0; t < outLength; t++) {
    const first = t * stride - 1;
    for (let o = 0; o < outputs; o++) {
      let sum = bias[o]!;
      for (let tap = Math.max(0, -first); tap < 3 && first + tap < length; tap++) {
        const row = (o * 3 + tap) * inputs;
        const moment = (first + tap) * inputs;
        for (let i = 0; i < inputs; i++) sum += weight[row + i]! * values[moment + i]!;
      }
      out[t * outputs + o] = Math.max(0, sum);
    }
  }
  return { values: out, length: outLength };
}

/** One step of the LSTM (gates in the order input, forget, cell, output) and the decision of the decoder. */
function remember(weights: SileroWeights, input: Float32Array, hidden: Float32Array, cell: Float32Array): number {
  const gates = new Float32Array(4 * state);
  for (let j = 0; j < gates.length; j++) {
    let sum = weights.input.bias[j]! + weights.recurrent.bias[j]!;
    const row = j * state;
    for (let i = 0; i < state; i++)
      sum += weights.input.weight[row + i]! * input[i]! + weights.recurrent.weight[row + i]! * hidden[i]!;
    gates[j] = sum;
  }
  let decision = weights.output.bias[0]!;
  for (let i = 0; i < state; i++) {
    cell[i] = sigmoid(gates[state + i]!) * cell[i]! + sigmoid(gates[i]!) * Math.tanh(gates[2 * state + i]!);
    hidden[i] = sigmoid(gates[3 * state + i]!) * Math.tanh(cell[i]!);
    decision += weights.output.weight[i]! * Math.max(0, hidden[i]!);
  }
  return sigmoid(decision);
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

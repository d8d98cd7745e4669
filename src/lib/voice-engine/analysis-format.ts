/** The rate at which everything is measured and at which the base voices speak. */
export const analysisRate = 16_000;
/** One frame of features every 5 ms. */
export const hopSamples = 80;
/** Frames a second. */
export const frameRate = analysisRate / hopSamples;
/** Transform size of a frame and the number of its frequencies from 0 to Nyquist. */
export const spectrumSize = 1024;
export const spectrumBins = spectrumSize / 2 + 1;
export const binHz = analysisRate / spectrumSize;

/** Sample rate of all measurements and of the base voices. */
export const analysisRate = 16_000;
/** One frame of features every 5 ms. */
export const hopSamples = 80;
/** Frames per second. */
export const frameRate = analysisRate / hopSamples;
/** Transform size of a frame, and its number of frequencies from 0 to Nyquist. */
export const spectrumSize = 1024;
export const spectrumBins = spectrumSize / 2 + 1;
export const binHz = analysisRate / spectrumSize;

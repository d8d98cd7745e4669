/** How the simulated network behaves; percentages of people or actions, from 0 to 100. */
export type SimulationRates = {
  /** People who accept a connection request, some hours later. */
  acceptances: number;
  /** People who answer a message, some hours later. */
  replies: number;
  refusals: number;
  /** Actions that are told to come back a minute later. */
  busy: number;
  /** Actions of which nobody can say what came. */
  unknown: number;
  /** Actions of a kind in a day (UTC) before the network asks an account to slow down; 0: never. */
  limitAfter: number;
};

/** The same seed makes the same people do the same. */
export type Simulation = { seed: number; rates: Readonly<SimulationRates> };

export const calmNetwork: Readonly<SimulationRates> = {
  acceptances: 0,
  replies: 0,
  refusals: 0,
  busy: 0,
  unknown: 0,
  limitAfter: 0,
};

/** What one sees of a real network: it takes every action, and some people react. */
export const defaultSimulationRates: Readonly<SimulationRates> = { ...calmNetwork, acceptances: 30, replies: 15 };

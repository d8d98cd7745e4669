/** Behavior of the simulated network, as percentages of people or actions from 0 to 100. */
export type SimulationRates = {
  /** People who accept a connection request, some hours later. */
  acceptances: number;
  /** People who reply to a message, some hours later. */
  replies: number;
  refusals: number;
  /** Actions that must be retried a minute later. */
  busy: number;
  /** Actions with an unknown outcome. */
  unknown: number;
  /** Actions of a type per day (UTC) before the network asks the account to slow down; 0: never. */
  limitAfter: number;
};

/** With the same seed, people behave the same way. */
export type Simulation = { seed: number; rates: Readonly<SimulationRates> };

export const calmNetwork: Readonly<SimulationRates> = {
  acceptances: 0,
  replies: 0,
  refusals: 0,
  busy: 0,
  unknown: 0,
  limitAfter: 0,
};

/** Typical behavior of a real network: every action succeeds, and some people react. */
export const defaultSimulationRates: Readonly<SimulationRates> = { ...calmNetwork, acceptances: 30, replies: 15 };

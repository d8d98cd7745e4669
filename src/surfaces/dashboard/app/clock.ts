import { signal } from "@preact/signals";

/** Current time of the server's simulation; null if the server does not run one. */
export const simulatedNow = signal<string | null>(null);

/** Reads the simulated time, which a simulating server sends with every response. */
export function readSimulatedTime(response: Response): void {
  const told = response.headers.get("x-simulation");
  if (told !== simulatedNow.peek()) simulatedNow.value = told;
}

/** Current time of the server, in milliseconds. */
export function now(): number {
  return simulatedNow.value === null ? Date.now() : Date.parse(simulatedNow.value);
}

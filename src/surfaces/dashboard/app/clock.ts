import { signal } from "@preact/signals";

/** What time it is in the simulation that the server plays; null for a real server. */
export const simulatedNow = signal<string | null>(null);

/** Every answer of a simulation says what time it is there. */
export function heardTime(response: Response): void {
  const told = response.headers.get("x-simulation");
  if (told !== simulatedNow.peek()) simulatedNow.value = told;
}

/** What time it is for the server, in milliseconds. */
export function now(): number {
  return simulatedNow.value === null ? Date.now() : Date.parse(simulatedNow.value);
}

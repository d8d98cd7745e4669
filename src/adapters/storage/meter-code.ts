import { meters, type Meter } from "../../features/network/meter-model.ts";

/** The code of a meter in rows: its index in the list of meters. */
export function meterCode(meter: Meter): number {
  return meters.indexOf(meter);
}

export function meterOf(code: number): Meter {
  return meters[code] ?? "all";
}

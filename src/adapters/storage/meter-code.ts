import { meters, type Meter } from "../../features/network/account-model.ts";

/** The place of a meter in the list, by which rows name it. */
export function meterCode(meter: Meter): number {
  return meters.indexOf(meter);
}

export function meterOf(code: number): Meter {
  return meters[code] ?? "all";
}

import type { Caps, NetworkAccount } from "../../src/features/network/account-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { Holiday, WorkingHours } from "../../src/features/network/governor/calendar.ts";
import type { Dice } from "./ids.ts";

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago"];

/** Settings of an account by chance, narrow enough that every one of them is felt. */
export function randomSettings(dice: Dice, startedAt: number) {
  const minSeconds = dice.pick([1, 30, 90, 600]);
  return {
    timeZone: dice.pick(zones),
    workingHours: randomHours(dice),
    caps: randomCaps(dice),
    warmUp: dice.chance(0.4) ? { perDay: dice.between(1, 4), addPerDay: dice.between(0, 3), startedAt } : null,
    spacing: { minSeconds, medianSeconds: minSeconds * dice.between(1, 4) },
    sessions: dice.chance(0.5)
      ? { minMinutes: 20, maxMinutes: 60, minBreakMinutes: 5, maxBreakMinutes: dice.between(5, 60) }
      : null,
    jitterPercent: dice.pick([0, 15, 50]),
    holidays: dice.chance(0.3) ? [randomHoliday(dice)] : [],
  } satisfies Partial<NetworkAccount>;
}

function randomHoliday(dice: Dice): Holiday {
  const first = dice.between(6, 20);
  const dateOf = (day: number) => `2026-01-${String(day).padStart(2, "0")}`;
  return { from: dateOf(first), to: dateOf(first + dice.between(0, 4)), name: "Holiday" };
}

/** Some days off, and hours of the day and of the night on the others. */
function randomHours(dice: Dice): WorkingHours {
  const days = Array.from({ length: 7 }, () => {
    if (dice.chance(0.3)) return [];
    const noon = dice.between(60, 1380);
    const morning = { from: dice.between(0, noon - 30), to: noon };
    return dice.chance(0.4) ? [morning, { from: dice.between(noon + 1, 1400), to: 1440 }] : [morning];
  });
  return days.every((spans) => spans.length === 0) ? days.map(() => [{ from: 0, to: 1440 }]) : days;
}

function randomCaps(dice: Dice): Caps {
  const caps: Caps = {};
  if (dice.chance(0.7)) caps.invites = { day: dice.between(1, 8), week: dice.between(5, 30) };
  if (dice.chance(0.5)) caps.visits = { day: dice.between(1, 8), month: dice.between(20, 60) };
  if (dice.chance(0.5)) caps.notes = { month: dice.between(3, 20) };
  if (dice.chance(0.7))
    caps.all = { day: dice.between(3, 15), ...(dice.chance(0.5) && { week: dice.between(20, 60) }) };
  return caps;
}

/** An action by chance. */
export function randomAction(dice: Dice, now: number): Partial<NetworkAction> {
  const draw = dice.below(10_000) / 10_000;
  const notBefore = dice.chance(0.1) ? now + dice.below(5 * 86_400_000) : now;
  const kind = dice.pick(["invite", "invite", "note", "visit", "message"] as const);
  if (kind === "visit") return { actionType: "visitProfile", draw, notBefore };
  if (kind === "message") return { actionType: "sendMessage", message: "Hello", draw, notBefore };
  return { actionType: "sendConnectionRequest", message: kind === "note" ? "Hello" : null, draw, notBefore };
}

import { describe, expect, test } from "bun:test";
import {
  earliestSlot,
  isTimeZone,
  nextOpenMoment,
  type WorkingHours,
  type WorkingSpan,
} from "../../src/network/pacing.ts";
import { createDice, type Dice } from "../support/ids.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A Monday. */
const monday = Date.UTC(2026, 0, 5);

test("a moment within the hours is open at once, to the millisecond", () => {
  const from = monday + 9 * hour + 1234;
  expect(nextOpenMoment(from, everyDay([{ from: 540, to: 1080 }]), "UTC")).toBe(from);
});

test.each([
  ["the first millisecond", 9 * hour, 9 * hour],
  ["the last millisecond", 18 * hour - 1, 18 * hour - 1],
  ["the millisecond before the opening", 9 * hour - 1, 9 * hour],
  ["the end, which no longer belongs to it", 18 * hour, day + 9 * hour],
])("a span from nine to six seen from %s", (_what, from, expected) => {
  expect(nextOpenMoment(monday + from, everyDay([{ from: 540, to: 1080 }]), "UTC")).toBe(monday + expected);
});

test("hours that never open have no next moment, and no slot", () => {
  const workingHours = everyDay([]);
  expect(nextOpenMoment(monday, workingHours, "UTC")).toBeNull();
  expect(earliestSlot({ notBefore: monday, lastSlotAt: null, gapMs: 0, workingHours, timeZone: "UTC" })).toBeNull();
});

test("a week with one open minute is open once a week, also for who comes when it has just closed", () => {
  const hours = week({ 2: [{ from: 600, to: 601 }] });
  const opening = monday + 2 * day + 10 * hour;
  expect(nextOpenMoment(opening + minute - 1, hours, "UTC")).toBe(opening + minute - 1);
  expect(nextOpenMoment(opening + minute, hours, "UTC")).toBe(opening + 7 * day);
  expect(nextOpenMoment(opening - 1, hours, "UTC")).toBe(opening);
});

test("a span until 24:00 and the next day's from 0:00 leave no gap at midnight", () => {
  const hours = week({ 0: [{ from: 1200, to: 1440 }], 1: [{ from: 0, to: 60 }] });
  for (const from of [monday + day - 1, monday + day, monday + day + hour - 1])
    expect(nextOpenMoment(from, hours, "UTC")).toBe(from);
  expect(nextOpenMoment(monday + day + hour, hours, "UTC")).toBe(monday + 7 * day + 20 * hour);
});

test("of several spans the nearest opens, in whatever order they stand", () => {
  const hours = everyDay([
    { from: 900, to: 960 },
    { from: 480, to: 540 },
    { from: 700, to: 720 },
  ]);
  expect(nextOpenMoment(monday + 9 * hour, hours, "UTC")).toBe(monday + 700 * minute);
});

test.each([
  ["nothing holds it back", null, 0, 600, "due"],
  ["the last action is far behind", monday, 600, 600, "due"],
  ["the gap holds it back", monday + 600 * minute, 5, 605, "spacing"],
  ["the gap leads out of the hours", monday + 1079 * minute, 5, 1440 + 540, "outsideWorkingHours"],
  ["the last action lies in the future", monday + 1000 * minute, 5, 1005, "spacing"],
] as const)("the reason of a slot when %s", (_what, lastSlotAt, gap, expected, reason) => {
  const workingHours = everyDay([{ from: 540, to: 1080 }]);
  const slot = earliestSlot({
    notBefore: monday + 600 * minute,
    lastSlotAt,
    gapMs: gap * minute,
    workingHours,
    timeZone: "UTC",
  });
  expect(slot).toEqual({ at: monday + expected * minute, reason });
});

const steadyZones = ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/Phoenix", "Pacific/Kiritimati", "Etc/GMT+12"];
const changingZones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Chatham",
  "America/Santiago",
  "Africa/Cairo",
];

test.each([...steadyZones, ...changingZones])(
  "in %s every moment is the first open one of a walk minute by minute",
  (timeZone) => {
    const dice = createDice(31);
    for (let round = 0; round < 150; round++) {
      // January and June: no clock changes within fifteen days of them.
      const from = Date.UTC(2026, dice.pick([0, 5]), 2) + dice.below(14 * day);
      expectFirstOpenMoment(from, randomWeek(dice), timeZone);
    }
  },
);

test.each([...steadyZones, ...changingZones])(
  "in %s slots are open, never early, and keep the gap, whatever is asked for",
  (timeZone) => {
    const dice = createDice(32);
    for (let round = 0; round < 20; round++) {
      const workingHours = randomWeek(dice);
      let lastSlotAt: number | null = null;
      let notBefore = Date.UTC(2026, dice.pick([0, 5]), 2) + dice.below(3 * day);
      for (let action = 0; action < 8; action++) {
        const gapMs = dice.pick([0, 1, 90_000, 480_000, 3 * hour]);
        const slot = earliestSlot({ notBefore, lastSlotAt, gapMs, workingHours, timeZone });
        const spaced: number = Math.max(notBefore, (lastSlotAt ?? 0) + gapMs);
        expect(slot?.at ?? null, shown(notBefore, workingHours, timeZone)).toBe(
          firstOpenMinute(spaced, workingHours, timeZone),
        );
        if (slot === null) break;
        expect(slot.reason).toBe(slot.at > spaced ? "outsideWorkingHours" : spaced > notBefore ? "spacing" : "due");
        lastSlotAt = slot.at;
        notBefore += dice.below(2 * hour);
      }
    }
  },
);

/** Moments at which clocks are changed, by the rules of 2026. */
const clockChanges: [string, string, string][] = [
  ["Europe/Berlin", "forward", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "back", "2026-10-25T01:00:00Z"],
  ["America/New_York", "forward", "2026-03-08T07:00:00Z"],
  ["America/New_York", "back", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "back by half an hour", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "forward by half an hour", "2026-10-03T15:30:00Z"],
  ["America/Santiago", "back at midnight", "2026-04-05T03:00:00Z"],
  ["America/Santiago", "forward at midnight", "2026-09-06T04:00:00Z"],
  ["Africa/Cairo", "forward at midnight", "2026-04-23T22:00:00Z"],
  ["Africa/Cairo", "back at midnight", "2026-10-29T21:00:00Z"],
];

describe.each(clockChanges)("when clocks in %s go %s", (timeZone, _direction, change) => {
  const changeAt = Date.parse(change);

  test("the clock is really changed at that moment", () => {
    expect(offsetMinutes(changeAt, timeZone)).not.toBe(offsetMinutes(changeAt - 1, timeZone));
  });

  test("office hours of the days around open at nine by the clock on the wall", () => {
    for (let from = changeAt - 3 * day; from < changeAt + 3 * day; from += 7 * hour)
      expectFirstOpenMoment(from, everyDay([{ from: 540, to: 1080 }]), timeZone);
  });

  test("a week that opens only far from the change opens", () => {
    for (let weekday = 0; weekday < 7; weekday++)
      for (const from of [changeAt - day, changeAt - hour, changeAt, changeAt + hour])
        expectFirstOpenMoment(from, week({ [weekday]: [{ from: 720, to: 780 }] }), timeZone);
  });

  test("no moment lies in closed hours", () => {
    const dice = createDice(33);
    for (let round = 0; round < 400; round++) {
      const hours = nightWeek(dice);
      const from = changeAt - 2 * day + dice.below(3 * day);
      const at = nextOpenMoment(from, hours, timeZone);
      if (at !== null)
        expect(isOpen(at, hours, timeZone), `${new Date(at).toISOString()}: ${shown(from, hours, timeZone)}`).toBe(
          true,
        );
    }
  });

  test("every moment is the first open one of a walk minute by minute", () => {
    const dice = createDice(34);
    for (let round = 0; round < 400; round++)
      expectFirstOpenMoment(changeAt - 2 * day + dice.below(3 * day), nightWeek(dice), timeZone);
  });
});

test.each(["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC", "Asia/Kathmandu"])("%s is a time zone", (name) => {
  expect(isTimeZone(name)).toBe(true);
});

test.each(["", "Mars/Olympus", "+02:00", "-0300", "Europe/", "Europe/Berlin\n", "9"])("%j is no time zone", (name) => {
  expect(isTimeZone(name)).toBe(false);
});

function expectFirstOpenMoment(from: number, hours: WorkingHours, timeZone: string): void {
  expect(nextOpenMoment(from, hours, timeZone), shown(from, hours, timeZone)).toBe(
    firstOpenMinute(from, hours, timeZone),
  );
}

/**
 * The plain way: look at the clock on the wall at `from`, then at every whole minute of fifteen days. That long, because
 * a change of the clock may leave out the only opening of a week.
 */
function firstOpenMinute(from: number, hours: WorkingHours, timeZone: string): number | null {
  if (isOpen(from, hours, timeZone)) return from;
  const end = from + 15 * day;
  for (let at = Math.ceil(from / minute) * minute; at <= end; at += minute) if (isOpen(at, hours, timeZone)) return at;
  return null;
}

function isOpen(at: number, hours: WorkingHours, timeZone: string): boolean {
  const wall = new Date(at + offsetMinutes(at, timeZone) * minute);
  const minutes = wall.getUTCHours() * 60 + wall.getUTCMinutes();
  return (hours[(wall.getUTCDay() + 6) % 7] ?? []).some(({ from, to }) => minutes >= from && minutes < to);
}

const quarter = 15 * minute;
const offsets = new Map<string, Map<number, number>>();

/** Local time minus UTC. Looked up once a quarter of an hour: no zone changes its clock in between. */
function offsetMinutes(at: number, timeZone: string): number {
  let known = offsets.get(timeZone);
  if (known === undefined) offsets.set(timeZone, (known = new Map()));
  const key = Math.floor(at / quarter);
  let offset = known.get(key);
  if (offset === undefined) known.set(key, (offset = readOffset(key * quarter, timeZone)));
  return offset;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function readOffset(at: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined)
    formats.set(timeZone, (format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })));
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? [];
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === "-" ? -size : size;
}

function week(days: Record<number, WorkingSpan[]>): WorkingHours {
  return Array.from({ length: 7 }, (_, index) => days[index] ?? []);
}

function everyDay(spans: WorkingSpan[]): WorkingHours {
  return Array.from({ length: 7 }, () => spans);
}

function randomSpan(dice: Dice, from: number, to: number): WorkingSpan {
  const start = dice.between(from, to - 1);
  return { from: start, to: dice.pick([dice.between(start + 1, to), to]) };
}

/** Days off, single minutes, whole days, several spans. */
function randomWeek(dice: Dice): WorkingHours {
  return Array.from({ length: 7 }, () => {
    if (dice.chance(0.5)) return [];
    if (dice.chance(0.1)) return [{ from: 0, to: 1440 }];
    const noon = dice.between(2, 1438);
    return [randomSpan(dice, 0, noon), ...(dice.chance(0.5) ? [randomSpan(dice, noon, 1440)] : [])];
  });
}

/** Spans around the hours at which clocks are changed, on some days. */
function nightWeek(dice: Dice): WorkingHours {
  return Array.from({ length: 7 }, () => {
    if (dice.chance(0.4)) return [];
    const grid = () => dice.pick([0, 30, 60, 90, 119, 120, 121, 150, 179, 180, 210, 1379, 1410]);
    const from = grid();
    return [{ from, to: Math.min(1440, from + dice.pick([1, 15, 30, 60, 200])) }];
  });
}

function shown(from: number, hours: WorkingHours, timeZone: string): string {
  return `from ${new Date(from).toISOString()} in ${timeZone}, hours ${JSON.stringify(hours)}`;
}

import { describe, expect, test } from "bun:test";
import {
  nextOpening,
  type Holiday,
  type WorkingHours,
  type WorkingSpan,
} from "../../src/features/network/governor/calendar.ts";
import { isTimeZone } from "../../src/features/network/governor/zone.ts";
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

test("hours that never open have no next moment", () => {
  expect(nextOpenMoment(monday, everyDay([]), "UTC")).toBeNull();
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

describe("sessions", () => {
  const office = everyDay([{ from: 540, to: 1080 }]);
  const sessions = { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 };
  const calendar = { id: "account-1", timeZone: "Europe/Berlin", workingHours: office, sessions };
  const minutesOfDay = (date: number, of = calendar) =>
    Array.from({ length: 1440 }, (_, n) => date + n * minute).map((at) => nextOpening(at, of)?.waitsFor);

  test("work and breaks take turns within the hours, each as long as it may be", () => {
    for (let n = 0; n < 20; n++) {
      const stretches = stretchesOf(minutesOfDay(monday + n * day));
      expect(stretches.at(0)?.what).toBe("outsideWorkingHours");
      expect(stretches.at(-1)?.what).toBe("outsideWorkingHours");
      // The end of the day cuts the last one short.
      const inside = stretches.slice(1, -2);
      expect(inside.length).toBeGreaterThan(8);
      for (const [index, { what, minutes }] of inside.entries()) {
        expect(what).toBe(index % 2 === 0 ? null : "break");
        const [least, most] = what === null ? [45, 60] : [10, 20];
        expect(minutes).toBeWithin(least, most + 1);
      }
    }
  });

  test("breaks are the same each time, differ from day to day and from account to account", () => {
    expect(minutesOfDay(monday)).toEqual(minutesOfDay(monday));
    expect(minutesOfDay(monday)).not.toEqual(minutesOfDay(monday + day));
    expect(minutesOfDay(monday)).not.toEqual(minutesOfDay(monday, { ...calendar, id: "account-2" }));
  });

  test("a break tells when it ends", () => {
    for (let at = monday; at < monday + 3 * day; at += minute) {
      const opening = nextOpening(at, calendar)!;
      expect(nextOpening(opening.at, calendar)).toEqual({ at: opening.at, waitsFor: null });
      if (opening.waitsFor !== null) expect(nextOpening(opening.at - 1, calendar)?.waitsFor).not.toBeNull();
    }
  });
});

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

/** Without breaks. */

describe("on a holiday", () => {
  const hours = week({ 0: [{ from: 540, to: 1080 }], 3: [{ from: 540, to: 1080 }] });
  const openingFrom = (from: number, holidays: Holiday[], timeZone = "UTC") =>
    nextOpening(from, { id: "account-1", timeZone, workingHours: hours, sessions: null, holidays });
  const holiday = (from: string, to = from): Holiday => ({ from, to, name: "Holiday" });

  test("an account does not work, on its first and its last day, and says so", () => {
    expect(openingFrom(monday + 10 * hour, [holiday("2026-01-05")])).toEqual({
      at: monday + 3 * day + 9 * hour,
      waitsFor: "holiday",
    });
    expect(openingFrom(monday + 4 * day, [holiday("2026-01-12", "2026-01-15")])).toEqual({
      at: monday + 14 * day + 9 * hour,
      waitsFor: "outsideWorkingHours",
    });
  });

  test("days are those of the account's time zone", () => {
    // In Auckland, Monday begins on Sunday at 11:00 UTC.
    const opening = openingFrom(monday - 4 * hour, [holiday("2026-01-05")], "Pacific/Auckland");
    expect(opening).toEqual({ at: monday + 3 * day - 4 * hour, waitsFor: "holiday" });
    expect(openingFrom(monday - 4 * hour, [], "Pacific/Auckland")!.at).toBe(monday - 4 * hour);
  });

  test("work begins again after a year of holidays that overlap", () => {
    const year = [holiday("2026-01-01", "2026-07-01"), holiday("2026-06-01", "2026-12-31"), holiday("2026-03-03")];
    const opening = openingFrom(monday, year);
    // 2027-01-04 is a Monday.
    expect(opening).toEqual({ at: Date.UTC(2027, 0, 4, 9), waitsFor: "holiday" });
  });
});

function nextOpenMoment(from: number, workingHours: WorkingHours, timeZone: string): number | null {
  return nextOpening(from, { id: "account-1", timeZone, workingHours, sessions: null })?.at ?? null;
}

function stretchesOf<T>(list: readonly T[]): { what: T; minutes: number }[] {
  const stretches: { what: T; minutes: number }[] = [];
  for (const what of list) {
    const last = stretches.at(-1);
    if (last?.what === what) last.minutes++;
    else stretches.push({ what, minutes: 1 });
  }
  return stretches;
}

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

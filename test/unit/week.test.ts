import { expect, test } from "bun:test";
import { defaultWorkingHours } from "../../src/features/network/account-model.ts";
import { changedWeek } from "../../src/features/network/governor/calendar.ts";
import { readWeek, weekView } from "../../src/features/network/week.ts";

test("working hours are written as wall-clock times by the name of the day, and read back as they were", () => {
  const hours = [
    [{ from: 0, to: 1440 }],
    [
      { from: 545, to: 600 },
      { from: 601, to: 1439 },
    ],
    [],
    [],
    [],
    [],
    [{ from: 1, to: 2 }],
  ];
  const view = weekView(hours);
  expect(view.monday).toEqual([{ from: "00:00", to: "24:00" }]);
  expect(view.tuesday).toEqual([
    { from: "09:05", to: "10:00" },
    { from: "10:01", to: "23:59" },
  ]);
  expect(view.wednesday).toEqual([]);
  expect(view.sunday).toEqual([{ from: "00:01", to: "00:02" }]);
  expect(readWeek(view)).toEqual({ days: [...hours], errors: [] });
});

test("days that are not sent stay as they are; an empty list is a day off", () => {
  const { days, errors } = readWeek({ monday: [], saturday: [{ from: "10:00", to: "12:00" }] });
  expect(errors).toEqual([]);
  expect(changedWeek(defaultWorkingHours, days)).toEqual([
    [],
    ...defaultWorkingHours.slice(1, 5),
    [{ from: 600, to: 720 }],
    [],
  ]);
});

test("spans are put in order, and may touch each other", () => {
  const { days, errors } = readWeek({
    monday: [
      { from: "12:00", to: "24:00" },
      { from: "09:00", to: "12:00" },
    ],
  });
  expect(errors).toEqual([]);
  expect(days[0]).toEqual([
    { from: 540, to: 720 },
    { from: 720, to: 1440 },
  ]);
});

test.each([
  [
    "a span that ends before it begins",
    [{ from: "18:00", to: "09:00" }],
    'Expected "to" to be later than "from", got 18:00 to 09:00.',
  ],
  ["an empty span", [{ from: "09:00", to: "09:00" }], 'Expected "to" to be later than "from", got 09:00 to 09:00.'],
  [
    "a span behind the end of the day",
    [{ from: "24:00", to: "24:00" }],
    'Expected "to" to be later than "from", got 24:00 to 24:00.',
  ],
  [
    "overlapping spans",
    [
      { from: "09:00", to: "12:00" },
      { from: "11:59", to: "13:00" },
    ],
    "The time ranges starting at 09:00 and 11:59 overlap.",
  ],
  [
    "a span within another",
    [
      { from: "10:00", to: "11:00" },
      { from: "09:00", to: "12:00" },
    ],
    "The time ranges starting at 09:00 and 10:00 overlap.",
  ],
])("%s is an error of its day", (_what, spans, message) => {
  expect(readWeek({ tuesday: spans, friday: [] }).errors).toEqual([{ path: "workingHours.tuesday", message }]);
});

test("every day with a problem is told", () => {
  const bad = [{ from: "10:00", to: "09:00" }];
  expect(readWeek({ monday: bad, sunday: bad }).errors.map(({ path }) => path)).toEqual([
    "workingHours.monday",
    "workingHours.sunday",
  ]);
});

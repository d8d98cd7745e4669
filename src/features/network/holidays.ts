import type { FieldError } from "../../platform/base/errors.ts";
import { singleLine } from "../../platform/base/text.ts";
import type { AccountInput } from "./account-model.ts";
import type { Holiday } from "./governor/calendar.ts";

const dayMs = 86_400_000;
/** A range with a wrong year would otherwise stop an account for good. */
const maxDays = 366;

/** The holidays that a client sent, in order of their dates. Adds an error for each one that is no range of days. */
export function readHolidays(sent: NonNullable<AccountInput["holidays"]>, errors: FieldError[]): Holiday[] {
  const holidays = sent.map(({ from, to = from, name }, index) => {
    const path = `holidays.${index}`;
    for (const [field, date] of Object.entries({ from, to }))
      if (!isDate(date))
        errors.push({ path: `${path}.${field}`, message: `Expected a date such as 2030-12-24, got "${date}".` });
    const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
    if (days < 1) errors.push({ path: `${path}.to`, message: `Expected the first day (${from}) or later, got ${to}.` });
    if (days > maxDays)
      errors.push({ path: `${path}.to`, message: `Expected at most ${maxDays} days, got ${days}. Check the year.` });
    return { from, to, name: singleLine(name) };
  });
  return holidays.toSorted((a, b) => a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
}

function isDate(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

/** A week, from its first instant up to that of the next. */
export type Week = { monday: string; from: number; to: number };

/** The last `count` weeks in a time zone, oldest first, the current one included. A week may have 167 or 169 hours. */
export function weeksUntil(now: number, count: number, timeZone: string): Week[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  const current = today.subtract({ days: today.dayOfWeek - 1 });
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime({ timeZone }).epochMilliseconds;
  return Array.from({ length: count }, (_, index) => {
    const monday = current.subtract({ weeks: count - 1 - index });
    return { monday: monday.toString(), from: startOf(monday), to: startOf(monday.add({ weeks: 1 })) };
  });
}

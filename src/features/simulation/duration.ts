const form = /^P(?=\d|T\d)(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/i;
const units = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000];

/**
 * Converts an ISO 8601 duration in weeks, days, hours, minutes, and seconds to milliseconds; null if invalid. Months
 * and years are not supported because their length varies.
 */
export function durationMs(text: string): number | null {
  const [, ...numbers] = form.exec(text.trim()) ?? [];
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, number, index) => sum + Number(number ?? 0) * (units[index] ?? 0), 0);
}

/**
 * Restores a small range that a spreadsheet converted to a date: "11-50" turns into "Nov-50", and "1-10" into "10-Jan"
 * or, in locales with the day first, "01-Oct". Null for any other text.
 */
export function spoiledRange(text: string): { min: number; max: number } | null {
  const [, day, behind, before, year] = datePattern.exec(text.trim()) ?? [];
  const month = monthNamed(behind ?? before ?? "");
  const other = Number(day ?? year);
  if (month === null || other === 0) return null;
  return { min: Math.min(month, other), max: Math.max(month, other) };
}

const datePattern = /^(\d{1,2})\.?[- /](\p{L}{3,5})\.?$|^(\p{L}{3,5})\.?[- /](\d{2})$/u;

function monthNamed(name: string): number | null {
  const short = name.toLowerCase();
  const index = months.findIndex((names) => names.includes(short));
  return index === -1 ? null : index + 1;
}

/** Abbreviated month names of spreadsheets in English, German, French, and Spanish. */
const months = [
  "jan janv ene", "feb févr fév", "mar mär mrz mars", "apr avr abr", "may mai", "jun juin", "jul juil", "aug août ago",
  "sep sept", "oct okt", "nov", "dec dez déc dic",
].map((names) => names.split(" ")); // prettier-ignore

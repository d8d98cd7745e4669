/**
 * A small range that a spreadsheet took for a date, as the two numbers that somebody wrote: "11-50" comes out as "Nov-50",
 * "1-10" as "10-Jan", or as "01-Oct" where days come before months. Null for anything else.
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

/** As spreadsheets shorten them in English, German, French and Spanish. */
const months = [
  "jan janv ene", "feb févr fév", "mar mär mrz mars", "apr avr abr", "may mai", "jun juin", "jul juil", "aug août ago",
  "sep sept", "oct okt", "nov", "dec dez déc dic",
].map((names) => names.split(" ")); // prettier-ignore

/** How a number in a cell is shown. `zeros`: with leading zeros up to this many digits, such as postal codes. */
export type CellFormat = "number" | "date" | "time" | "dateTime" | "elapsed" | { zeros: number };

/** Built-in formats (ECMA-376, part 1, 18.8.30), including those of East Asian versions. */
function builtInFormat(id: number): CellFormat {
  if (id === 22) return "dateTime";
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return "time";
  if (id === 46) return "elapsed";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return "date";
  return "number";
}

/** The format with this number; `code` is the text of a custom one. */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtInFormat(id);
  // The first section is for positive numbers. Texts, escaped and padding characters, colors, and locales do not matter.
  const section = code
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .split(";")[0]!
    .toLowerCase();
  if (/\[(h+|m+|s+)\]/.test(section)) return "elapsed";
  const plain = section.replace(/\[[^\]]*\]/g, "");
  if (/^0{2,30}$/.test(plain)) return { zeros: plain.length };
  if (plain.includes("general")) return "number";
  const hasTime = /[hs]/.test(plain);
  const hasDate = /[yd]/.test(plain) || /mmm/.test(plain) || (!hasTime && plain.includes("m"));
  if (hasDate) return hasTime ? "dateTime" : "date";
  return hasTime ? "time" : "number";
}

/** The text of a number in a cell. `value` is as written in the file. */
export function numberText(value: string, format: CellFormat, is1904: boolean): string {
  if (typeof format === "object") {
    const text = plainNumber(value);
    return /^\d+$/.test(text) ? text.padStart(format.zeros, "0") : text;
  }
  if (format === "number") return plainNumber(value);
  return dateText(Number(value), format, is1904) ?? plainNumber(value);
}

/** A number with its 15 significant digits and no exponent: 4.9151123456E11 is 491511234560, a phone number. */
function plainNumber(value: string): string {
  if (/^-?\d+$/.test(value)) return value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return value;
  // What Excel shows: 0.1 + 0.2 is 0.3.
  return withoutExponent(String(Number(number.toPrecision(15))));
}

function withoutExponent(text: string): string {
  const [, sign, whole, fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

const secondsPerDay = 86_400;
/** The first day after 31 December 9999, in the 1900 date system. */
const endOfDates = 2_958_466;
/** Days between the two date systems. */
const days1904 = 1462;

/** The date of a day number as ISO 8601, without a time zone, as cells have none. Null if it is not a date. */
function dateText(serial: number, format: Exclude<CellFormat, "number" | object>, is1904: boolean): string | null {
  if (!(serial >= 0 && serial < endOfDates - (is1904 ? days1904 : 0))) return null;
  const seconds = Math.round(serial * secondsPerDay);
  const second = seconds % secondsPerDay;
  const day = (seconds - second) / secondsPerDay;
  if (format === "elapsed") return clockText(seconds);
  if (format === "time") return clockText(second);
  const date = dayText(is1904 ? day + days1904 : day, is1904);
  return format === "date" ? date : `${date}T${clockText(second)}`;
}

/** Lotus 1-2-3 took 1900 for a leap year, and the 1900 date system still counts its 29 February, as day 60. */
function dayText(day: number, is1904: boolean): string {
  if (day === 60 && !is1904) return "1900-02-29";
  const days = day < 60 && !is1904 ? day + 1 : day;
  return new Date(Date.UTC(1899, 11, 30) + days * secondsPerDay * 1000).toISOString().slice(0, 10);
}

function clockText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

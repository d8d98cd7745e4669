/** An encoding of the WHATWG Encoding Standard by its name there, such as `windows-1252`. */
export type TextEncoding = string;

/** Those that people name; the standard has some more, for scripts that have a few of their own. */
export const usualEncodings = [
  "utf-8", "utf-16le", "utf-16be", "windows-1252", "macintosh", "windows-1250", "iso-8859-2", "windows-1251", "koi8-r",
  "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-874", "shift_jis", "euc-jp",
  "iso-2022-jp", "gb18030", "big5", "euc-kr",
] as const; // prettier-ignore

/** What Windows, macOS and spreadsheets call them, where the standard does not know that name. */
const otherNames: Record<string, TextEncoding> = {
  ansi: "windows-1252",
  cp932: "shift_jis",
  "windows-932": "shift_jis",
  cp936: "gb18030",
  "windows-936": "gb18030",
  cp949: "euc-kr",
  cp950: "big5",
  "windows-950": "big5",
  macroman: "macintosh",
  "mac-roman": "macintosh",
};

/** The encoding that goes by the name, in any case; null when there is none. */
export function encodingNamed(name: string): TextEncoding | null {
  const label = name.trim().toLowerCase();
  try {
    const { encoding } = decoderOf(otherNames[label] ?? label);
    return encoding === "x-user-defined" ? null : encoding;
  } catch {
    return null;
  }
}

/** `isStrict`: it throws TypeError for bytes that mean nothing, which become U+FFFD otherwise. */
export function decoderOf(encoding: TextEncoding, isStrict = false): TextDecoder {
  return new TextDecoder(encoding, { fatal: isStrict });
}

/** What the result of an import tells of it: nothing of UTF-8, which everybody expects. */
export function toldEncoding(encoding: TextEncoding): { encoding?: TextEncoding } {
  return encoding === "utf-8" ? {} : { encoding };
}

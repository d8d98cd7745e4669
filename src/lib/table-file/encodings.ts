/** An encoding of the WHATWG Encoding Standard, such as `windows-1252`. */
export type TextEncoding = string;

/** The commonly used names; the standard has some more, for scripts with several encodings. */
export const usualEncodings = [
  "utf-8", "utf-16le", "utf-16be", "windows-1252", "macintosh", "windows-1250", "iso-8859-2", "windows-1251", "koi8-r",
  "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-874", "shift_jis", "euc-jp",
  "iso-2022-jp", "gb18030", "big5", "euc-kr",
] as const; // prettier-ignore

/** Names used by Windows, macOS, and spreadsheets that the standard lacks. */
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

/** Returns the encoding with this name (case-insensitive); null if there is none. */
export function encodingNamed(name: string): TextEncoding | null {
  const label = name.trim().toLowerCase();
  try {
    const { encoding } = decoderOf(otherNames[label] ?? label);
    return encoding === "x-user-defined" ? null : encoding;
  } catch {
    return null;
  }
}

/** `isStrict`: throws TypeError for invalid bytes, which become U+FFFD otherwise. */
export function decoderOf(encoding: TextEncoding, isStrict = false): TextDecoder {
  return new TextDecoder(encoding, { fatal: isStrict });
}

/** The encoding to show in the result of an import; null for UTF-8, which is expected. */
export function toldEncoding(encoding: TextEncoding): { encoding?: TextEncoding } {
  return encoding === "utf-8" ? {} : { encoding };
}

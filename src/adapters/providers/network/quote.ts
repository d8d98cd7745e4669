import { singleLine } from "../../../platform/base/text.ts";

const maxLength = 200;

/**
 * Prepares a message of a vendor or receiver for display: one line, at most 200 characters, without a final period, and
 * without any of `secrets`, which some echo. Null if it is not readable text, such as markup.
 */
export function quote(said: unknown, secrets: readonly string[] = []): string | null {
  if (typeof said !== "string") return null;
  const line = singleLine(withoutSecrets(said.slice(0, 10_000), secrets))
    .replace(/\s+/g, " ")
    .replace(/[\s.]+$/, "");
  if (line === "" || /<\/?[a-z!]/i.test(line)) return null;
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed().trimEnd()}…` : line;
}

/** Joins `introduction` and a quoted message to one sentence: "Unipile rejected it: the profile is unreachable." */
export function sentence(introduction: string, said: string | null): string {
  return said === null ? `${introduction}.` : `${introduction}: ${said}${/[!?…]$/.test(said) ? "" : "."}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets)
    for (const form of [secret, encodeURIComponent(secret)]) clean = clean.replaceAll(form, "[secret]");
  return clean;
}

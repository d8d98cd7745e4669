import { singleLine } from "../../../platform/base/clean-text.ts";

const maxLength = 200;

/**
 * What a vendor or a receiver said, to be shown to a person: one line, at most 200 characters, no full stop at the end,
 * and none of `secrets`, which some echo. Null when it is no text that a person would read, such as markup.
 */
export function quote(said: unknown, secrets: readonly string[] = []): string | null {
  if (typeof said !== "string") return null;
  const line = singleLine(withoutSecrets(said.slice(0, 10_000), secrets))
    .replace(/\s+/g, " ")
    .replace(/[\s.]+$/, "");
  if (line === "" || /<\/?[a-z!]/i.test(line)) return null;
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed().trimEnd()}…` : line;
}

/** `introduction`, then what was said, as one sentence: "Unipile refused it: the profile can't be reached." */
export function sentence(introduction: string, said: string | null): string {
  return said === null ? `${introduction}.` : `${introduction}: ${said}${/[!?…]$/.test(said) ? "" : "."}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets)
    for (const form of [secret, encodeURIComponent(secret)]) clean = clean.replaceAll(form, "[secret]");
  return clean;
}

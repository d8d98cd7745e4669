import { isoTime } from "../../platform/base/clock.ts";
import { ApiError, type FieldError } from "../../platform/base/errors.ts";
import { singleLine } from "../../platform/base/text.ts";
import { maxNameLength, type Campaign } from "./model.ts";

/** The name as it is stored. Adds an error if nothing is left of it. */
export function nameOf(sent: string, errors: FieldError[]): string {
  const name = singleLine(sent);
  if (name === "") errors.push({ path: "name", message: "Must not be empty." });
  return name;
}

export function nameOfCopy(name: string): string {
  const suffix = " (copy)";
  const start = name.slice(0, maxNameLength - suffix.length);
  // No half of a character.
  return `${start.replace(/[\ud800-\udbff]$/, "").trimEnd()}${suffix}`;
}

export function mustPauseFirst(): ApiError {
  return new ApiError("CONFLICT", {
    message: "Steps and accounts cannot be changed while the campaign is running. Pause it, change it, and resume it.",
    details: { state: "running" },
  });
}

export function editedMeanwhile({ version, updatedAt }: Campaign, expected: number): ApiError {
  return new ApiError("CONFLICT", {
    message: `The campaign was edited in the meantime: it has version ${version}, and your change is based on version ${expected}. Load it again and repeat your change.`,
    details: { version, updatedAt: isoTime(updatedAt) },
  });
}

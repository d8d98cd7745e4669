import type { FieldError } from "../../../platform/base/errors.ts";
import { multiLine } from "../../../platform/base/text.ts";
import { leadContent, type LeadDraft } from "../identity.ts";
import {
  leadStatuses,
  leadTextFields,
  type LeadContent,
  type LeadIdentity,
  type LeadStatus,
  type LeadTextField,
} from "../model.ts";
import type { PlannedColumn } from "./column-plan.ts";
import { splitFullName } from "../../../platform/identity/full-name.ts";

/** Defaults for every lead of a file: additional tags, and the source if it has none. */
export type LeadDefaults = { tags: string[]; source: string | null };

const textFields: ReadonlySet<string> = new Set(leadTextFields);

/** Builds one lead from its values, column by column in the order of the file. */
export class RawLead {
  readonly #texts: Partial<Record<LeadTextField, string>> = {};
  readonly #parts: Partial<Record<"fullName" | "city" | "state" | "country", string>> = {};
  readonly #tags: string[] = [];
  readonly #customFields = new Map<string, unknown>();
  readonly #errors: FieldError[] = [];
  #status: LeadStatus | undefined;

  /** Adds a text that is not empty. If several columns have one target, the first one wins; the others become custom fields. */
  putText(column: PlannedColumn, text: string): void {
    const { target } = column;
    if (isTextField(target)) {
      if (this.#texts[target] === undefined) this.#texts[target] = text;
      else if (this.#texts[target] !== text) this.putCustomField(column.spareField, multiLine(text));
      return;
    }
    switch (target) {
      case "fullName":
      case "city":
      case "state":
      case "country":
        this.#parts[target] ??= text;
        return;
      case "status":
        return this.#putStatus(text);
      case "tags":
        this.#tags.push(...tagsOf(text));
        return;
      case "customFields":
        return this.#putCustomFieldsJson(text);
      case "ignore":
        return;
      default:
        this.putCustomField(customFieldName(target), multiLine(text));
    }
  }

  putTags(tags: string[]): void {
    this.#tags.push(...tags);
  }

  putCustomField(name: string, value: unknown): void {
    this.#customFields.set(name, value);
  }

  putError(path: string, message: string): void {
    this.#errors.push({ path, message });
  }

  /** The lead, cleaned and validated, or all errors of the row. */
  finish(defaults: LeadDefaults): { content: LeadContent; identity: LeadIdentity } | { errors: FieldError[] } {
    if (this.#texts.location !== undefined) this.#keepPlace();
    const draft: LeadDraft = {
      ...this.#texts,
      ...this.#names(),
      location: this.#texts.location ?? this.#place(),
      source: this.#texts.source ?? defaults.source,
      tags: [...this.#tags, ...defaults.tags],
      customFields: Object.fromEntries(this.#customFields),
      ...(this.#status && { status: this.#status }),
    };
    const checked = leadContent(draft);
    if (this.#errors.length === 0) return checked;
    return { errors: "errors" in checked ? [...this.#errors, ...checked.errors] : this.#errors };
  }

  #names(): { firstName?: string; lastName?: string } {
    const { firstName, lastName } = this.#texts;
    return this.#parts.fullName !== undefined && !firstName && !lastName ? splitFullName(this.#parts.fullName) : {};
  }

  #place(): string | null {
    const { city, state, country } = this.#parts;
    return [city, state, country].filter((part) => part !== undefined).join(", ") || null;
  }

  /** Parts that the location makes redundant become custom fields. */
  #keepPlace(): void {
    for (const part of ["city", "state", "country"] as const)
      if (this.#parts[part] !== undefined) this.putCustomField(part, this.#parts[part]);
  }

  #putStatus(text: string): void {
    const status = leadStatuses.find((known) => known === text.toLowerCase());
    if (status) this.#status = status;
    else
      this.putError(
        "status",
        `Expected one of ${leadStatuses.join(", ")}, got "${text.slice(0, 60)}". If the column means something else, map it to customFields.status.`,
      );
  }

  #putCustomFieldsJson(text: string): void {
    const fields = parsed(text);
    if (!isObject(fields)) return this.putError("customFields", "Expected a JSON object.");
    for (const [name, value] of Object.entries(fields)) this.putCustomField(name, value);
  }
}

/** Whether a JSON value is an object, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a target is a text field of the lead. */
export function isTextField(target: string): target is LeadTextField {
  return textFields.has(target);
}

/** The x of a target `customFields.x`. */
export function customFieldName(target: `customFields.${string}`): string {
  return target.slice("customFields.".length);
}

/** Tags separated by semicolons, else by commas, or a JSON array, as our export writes tags that contain separators. */
function tagsOf(text: string): string[] {
  const list = text.startsWith("[") ? parsed(text) : null;
  if (Array.isArray(list) && list.every((tag) => typeof tag === "string")) return list;
  return text.split(text.includes(";") ? ";" : ",");
}

/** The value of a JSON text; undefined if it is invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import {
  columnTarget,
  columnTargets,
  normalized,
  recognizedTarget,
  type ColumnTarget,
} from "../../../platform/imports/person-columns.ts";
import { givenBesideFamily } from "../../../platform/imports/east-asian-headers.ts";
import { ImportFileError } from "../../../platform/imports/import-file-error.ts";

/** One column of a file. `spareField`: custom field for the value if another column has already filled the target. */
export type PlannedColumn = { header: string; target: ColumnTarget; spareField: string };

/** Names of custom fields have at most 100 characters; the rest is for a numeric suffix. */
const maxNameBase = 90;

/**
 * Chooses a target for each column: by `overrides` (header to target), else by its header, else a custom field named
 * after the header. Throws ImportFileError if an override names an unknown target.
 */
export function columnPlan(headers: string[], overrides: ColumnOverrides): PlannedColumn[] {
  const spareFields = uniqueNames(headers);
  const chosen = headers.map((header) => overrides.get(normalized(header))?.target ?? recognizedTarget(header));
  const targets = withoutRedundancy(chosen, headers);
  return headers.map((header, index) => {
    const spareField = spareFields[index] ?? header;
    return { header: header.trim(), target: targets[index] ?? `customFields.${spareField}`, spareField };
  });
}

/** Targets from overrides, by normalized header. */
export type ColumnOverrides = ReadonlyMap<string, { header: string; target: ColumnTarget }>;

/** Parses the overrides of a request. */
export function columnOverrides(columns: Record<string, string> | null): ColumnOverrides {
  return new Map(
    Object.entries(columns ?? {}).map(([header, text]) => {
      const target = columnTarget(text);
      if (target === null)
        throw new ImportFileError(
          "badColumns",
          `"${text}" is nothing that the column "${header}" can go to. Use one of ${columnTargets.join(", ")} or customFields.name.`,
          { header, target: text, targets: columnTargets },
        );
      return [normalized(header), { header, target }];
    }),
  );
}

/** How many columns of a header are recognized. */
export function understoodCount(headers: string[], overrides: ColumnOverrides): number {
  const targets = headers.map((header) => overrides.get(normalized(header))?.target ?? recognizedTarget(header));
  return new Set(targets.filter((target) => target !== null)).size;
}

/** Whether rows with these columns can identify a person, as every lead must. */
export function identifies(columns: PlannedColumn[]): boolean {
  const targets = new Set(columns.map(({ target }) => target));
  const hasName = targets.has("fullName") || (targets.has("firstName") && targets.has("lastName"));
  return targets.has("email") || targets.has("networkUrl") || (hasName && targets.has("company"));
}

/** With only a first name, "Name" is the last name; with only a last name, "이름" is the first. A location replaces its parts. */
function withoutRedundancy(targets: (ColumnTarget | null)[], headers: string[]): (ColumnTarget | null)[] {
  const nameIsLast = targets.includes("firstName") && !targets.includes("lastName");
  const nameIsFirst = targets.includes("lastName") && !targets.includes("firstName");
  const hasLocation = targets.includes("location");
  return targets.map((target, index) => {
    if (target === "fullName" && nameIsLast) return "lastName";
    if (target === "fullName" && nameIsFirst && givenBesideFamily.includes(headers[index]!.trim())) return "firstName";
    if (hasLocation && (target === "city" || target === "state" || target === "country")) return null;
    return target;
  });
}

/** Names for the custom fields of columns: the header, or the column number, with a suffix if it repeats. */
function uniqueNames(headers: string[]): string[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return headers.map((header, index) => {
    const base = header.trim().replace(/\s+/g, " ").slice(0, maxNameBase) || `column ${index + 1}`;
    let count = counts.get(base) ?? 1;
    let name = count === 1 ? base : `${base} (${count})`;
    while (taken.has(name)) name = `${base} (${++count})`;
    counts.set(base, count);
    taken.add(name);
    return name;
  });
}

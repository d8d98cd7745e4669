import { invalid } from "../base/errors.ts";
import { permissions, type Permission } from "./key-model.ts";

/** Deduplicates permissions. Throws VALIDATION_ERROR for unknown ones. */
export function knownPermissions(wanted: readonly string[]): Permission[] {
  const errors = wanted.flatMap((name, index) =>
    (permissions as readonly string[]).includes(name)
      ? []
      : [
          {
            path: `permissions.${index}`,
            index,
            message: `Unknown permission "${name}". Expected one of: ${permissions.join(", ")}.`,
          },
        ],
  );
  if (errors.length > 0) throw invalid(errors);
  return [...new Set(wanted)] as Permission[];
}

import { leadTextFields, type Lead } from "./model.ts";

/** Names of the fields in which two states of a lead differ. */
export function changedFields(before: Lead, after: Lead): string[] {
  const fields: string[] = leadTextFields.filter((field) => before[field] !== after[field]);
  if (before.status !== after.status) fields.push("status");
  if (before.assignedTo !== after.assignedTo) fields.push("assignedTo");
  for (const field of ["tags", "customFields"] as const)
    if (!Bun.deepEquals(before[field], after[field])) fields.push(field);
  return fields;
}

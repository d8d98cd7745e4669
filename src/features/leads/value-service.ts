import type { WorkspaceId } from "../../platform/base/ids.ts";
import { invalid } from "../../platform/base/errors.ts";
import { listTag } from "./model.ts";
import type { LeadStore } from "./store.ts";
import type { LeadValue, ValueField, ValuesRequest } from "./value-model.ts";

export type ValuesQuery = { field: ValueField; name?: string; contains?: string; limit?: number };

const defaultLimit = 20;

/** Suggests values that leads have. */
export class LeadValueService {
  readonly #leads: LeadStore;

  constructor(leads: LeadStore) {
    this.#leads = leads;
  }

  /** The most frequent values first. VALIDATION_ERROR for `name` without `field=customField`. */
  async find(workspaceId: WorkspaceId, { field, name, contains = "", limit = defaultLimit }: ValuesQuery) {
    if (name !== undefined && field !== "customField")
      throw invalid([{ path: "name", message: "Only custom fields have a name. Send field=customField, or omit it." }]);
    const found = await this.#leads.values({ workspaceId, of: kindOf(field, name), text: contains.trim(), limit });
    return field === "list" ? found.map(withoutPrefix) : found;
  }
}

function kindOf(field: ValueField, name: string | undefined): ValuesRequest["of"] {
  switch (field) {
    case "tag":
      return { kind: "tag", prefix: listTag(""), isIncluded: false };
    case "list":
      return { kind: "tag", prefix: listTag(""), isIncluded: true };
    case "customField":
      return name === undefined ? { kind: "customFieldNames" } : { kind: "customField", name };
    default:
      return { kind: "field", field };
  }
}

function withoutPrefix({ value, leads }: LeadValue): LeadValue {
  return { value: value.slice(listTag("").length), leads };
}

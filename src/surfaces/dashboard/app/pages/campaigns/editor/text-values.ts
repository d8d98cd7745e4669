import { useState } from "preact/hooks";
import type { LeadView } from "../../../../../../features/leads/model.ts";
import type { LeadValues } from "../../../../../../features/leads/value-model.ts";
import { api } from "../../../api.ts";
import { useResource } from "../../../resource.ts";
import { can } from "../../../session.ts";

/** What texts are filled with: the custom fields of all leads, and the values of one, at first the latest. */
export function useTextValues() {
  const [chosen, setLead] = useState<LeadView | null | undefined>(undefined);
  const isAllowed = can("leads:read");
  const latest = useResource(
    (signal) =>
      isAllowed
        ? api.get<{ leads: LeadView[] }>("/leads", { query: { limit: 1 }, signal })
        : Promise.resolve({ leads: [] }),
    [],
  );
  const names = useResource(
    (signal) =>
      isAllowed
        ? api.get<LeadValues>("/leads/values", { query: { field: "customField", limit: 100 }, signal })
        : Promise.resolve({ values: [] }),
    [],
  );
  return {
    customFields: names.data?.values.map(({ value }) => value) ?? [],
    lead: chosen === undefined ? (latest.data?.leads[0] ?? null) : chosen,
    setLead,
  };
}

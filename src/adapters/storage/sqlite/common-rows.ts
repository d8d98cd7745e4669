import { createAuditRows, type AuditRows } from "./audit.ts";
import { createCreditRows, type CreditRows } from "./credit-rows.ts";
import type { Engine } from "./engine.ts";
import { createEventRows, type EventRows } from "./event-rows.ts";
import { createJobRows, type JobRows } from "./job-rows.ts";
import { createLeadParts, type LeadParts } from "./lead-parts.ts";
import { createOwners, type Owners } from "./owners.ts";
import { createSuppressionRows, type SuppressionRows } from "./suppressions.ts";

/**
 * Rows that several stores read and write inside their write units. There is one set per engine: some of them keep what
 * they read in memory, which holds only if every write passes through them.
 */
export type CommonRows = {
  owners: Owners;
  audits: AuditRows;
  events: EventRows;
  credits: CreditRows;
  jobRows: JobRows;
  leadParts: LeadParts;
  suppressions: SuppressionRows;
};

export function createCommonRows(engine: Engine): CommonRows {
  const owners = createOwners(engine);
  const events = createEventRows(engine, owners);
  const leadParts = createLeadParts(engine, owners);
  return {
    owners,
    audits: createAuditRows(engine),
    events,
    credits: createCreditRows(engine, events),
    jobRows: createJobRows(engine, events),
    leadParts,
    suppressions: createSuppressionRows(engine, leadParts),
  };
}

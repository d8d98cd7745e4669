import { and, eq, sql } from "drizzle-orm";
import type { NetworkFacts } from "../../../features/network/decisions/facts.ts";
import type { CampaignOrigin } from "./campaign-origin.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./job-rows.ts";
import { meterCode } from "../meter-code.ts";
import type { InboxRecorder } from "./inbox-recording.ts";
import type { AccountRows } from "./network-accounts.ts";
import type { ActionRows } from "./network-actions.ts";
import type { ContactRows } from "./network-contacts.ts";
import type { createTimelines } from "./network-timeline.ts";
import { networkMeters } from "./network-tables.ts";
import { lazy } from "./prepared.ts";
import { leads } from "./tables.ts";
import type { SuppressionRows } from "./suppressions.ts";

export type NetworkParts = {
  accounts: AccountRows;
  actions: ActionRows;
  contacts: ContactRows;
  jobRows: JobRows;
  suppressions: SuppressionRows;
  origin: CampaignOrigin;
  inbox: InboxRecorder;
};

/** Provides facts to decisions from prepared statements, on demand. */
export function createNetworkFacts(
  { orm }: Engine,
  parts: NetworkParts,
  timelines: ReturnType<typeof createTimelines>,
): NetworkFacts {
  const { accounts, actions, contacts, jobRows, suppressions, origin, inbox } = parts;
  const lead = lazy(() =>
    orm
      .select({ seq: leads.seq })
      .from(leads)
      .where(eq(leads.id, sql.placeholder("id")))
      .prepare(),
  );
  const { account, meter, frontierAt, freeAt } = networkMeters;
  const frontier = lazy(() =>
    orm
      .select({ frontierAt, freeAt })
      .from(networkMeters)
      .where(and(eq(account, sql.placeholder("account")), eq(meter, sql.placeholder("meter"))))
      .prepare(),
  );
  return {
    account: accounts.get,
    accountOf: accounts.ofUser,
    colleagues: (workspaceId, seq) => accounts.ofWorkspace(workspaceId).filter((record) => record.seq !== seq),
    target(jobId) {
      const row = actions.get(jobId);
      const job = row && jobRows.get(jobId);
      const record = row && accounts.get(row.account);
      return row === null || job === null || record === null ? null : { row, job, record };
    },
    twins: actions.twins,
    contact: contacts.get,
    hasLead: (id) => lead().get({ id }) !== undefined,
    hasMessage: inbox.hasMessage,
    hasSent: inbox.hasSent,
    hasReceived: inbox.hasReceived,
    suppression: suppressions.find,
    frontier: (account, meter) =>
      frontier().get({ account, meter: meterCode(meter) }) ?? { frontierAt: null, freeAt: null },
    timeline: timelines.whole,
    usedTimeline: timelines.used,
    isOriginRunning: origin.isRunning,
  };
}

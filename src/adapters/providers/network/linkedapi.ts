import type { Clock } from "../../../platform/base/clock.ts";
import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { Connector, ConnectorOutcome } from "../../../features/network/connector.ts";
import type { HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { newsOrNone, outcomeOf, unknownOutcome, valueOrNull } from "./ending.ts";
import { LinkedapiApi, Started } from "./linkedapi-api.ts";
import { LinkedapiInbox } from "./linkedapi-inbox.ts";
import { LinkedapiNews, maxConversations } from "./linkedapi-news.ts";
import { isOpen, outcomeOfWorkflow, WorkflowState } from "./linkedapi-result.ts";
import { workflowOf } from "./linkedapi-workflow.ts";
import { shaped, type Vendor } from "./vendor.ts";

export type LinkedapiSettings = {
  url: string;
  /** Token of the subscription; null = not set. */
  token: string | null;
  /** Tokens of the connected accounts, by the names used in `connectorSettings.identification`. */
  identifications: Readonly<Record<string, string>> | null;
};

/**
 * Carries out orders through Linked API (linkedapi.io/docs). An order becomes a workflow, which the vendor runs in its
 * own browser, within minutes or in the account's working hours there. `follow` polls its outcome.
 */
export function createLinkedapiConnector(settings: LinkedapiSettings, http: HttpClient, clock: Clock): Connector {
  const { url, token, identifications } = settings;
  const secrets = [token ?? "", ...Object.values(identifications ?? {})].filter((each) => each !== "");
  const vendor: Vendor = { name: "Linked API", http, clock, secrets };
  const news = new LinkedapiNews();
  const inbox = new LinkedapiInbox(news);
  const apiFor = (account: NetworkAccount, signal: AbortSignal): LinkedapiApi | string => {
    const access = accessOf(settings, account);
    return typeof access === "string" ? access : new LinkedapiApi(vendor, url, access, signal);
  };
  return {
    problem(account) {
      const access = accessOf(settings, account);
      return typeof access === "string" ? access : null;
    },

    carryOut: (order, account, signal) =>
      outcomeOf(async () => {
        const api = apiFor(account, signal);
        if (typeof api === "string") return { kind: "signedOut", reason: api };
        const answer = await api.post("acts", "workflows", workflowOf(order));
        const started = shaped(Started, api.resultOf(answer, "acts"));
        if (started === null) return unknownOutcome("Linked API sent an unreadable response.");
        return handed(started.workflowId, clock.now(), clock.now());
      }),

    async follow(reference, order, account, signal) {
      const { workflowId, startedAt } = parsed(reference);
      const later = handed(workflowId, startedAt ?? clock.now() - firstLookMs, clock.now());
      const api = apiFor(account, signal);
      if (typeof api === "string") return later;
      let found: unknown = null;
      const failure = await outcomeOf(async () => {
        const answer = await api.get(`workflows/${encodeURIComponent(workflowId)}`);
        if (answer.status === 404) return unknownOutcome("Linked API no longer has this workflow.");
        found = api.resultOf(answer, "asks");
        return later;
      });
      const state = shaped(WorkflowState, found);
      if (state !== null && !isOpen(state))
        return outcomeOf(async () => outcomeOfWorkflow(state, order, workflowId, vendor.secrets));
      // A failed query, even for an invalid token, says nothing about the workflow, which may have completed meanwhile.
      // Sending it again could reach the person twice, so the query is repeated.
      return failure.kind === "unknown" ? failure : later;
    },

    watchLimits: { reply: maxConversations },

    async watch(watched, account, signal) {
      const api = apiFor(account, signal);
      return typeof api === "string" ? [] : await newsOrNone(() => news.acceptances(api, account.id, watched));
    },

    async readMessages(check, account, signal) {
      const api = apiFor(account, signal);
      return typeof api === "string" ? null : await valueOrNull(() => inbox.read(api, account.id, check));
    },
  };
}

const firstLookMs = 5000;
/** The vendor's own clients give up after a day. */
const giveUpMs = 86_400_000;
const longestPauseMs = 10 * 60_000;

/** The reference contains the start time, so that the polling interval can grow with the age of the workflow. */
function handed(workflowId: string, startedAt: number, now: number): ConnectorOutcome {
  const age = now - startedAt;
  if (age > giveUpMs) return unknownOutcome("Linked API has not finished the workflow within a day.");
  const checkAt = now + Math.min(Math.max(firstLookMs, age / 2), longestPauseMs);
  return { kind: "delegated", to: "vendor", reference: `${workflowId}@${startedAt}`, checkAt: Math.round(checkAt) };
}

function parsed(reference: string): { workflowId: string; startedAt: number | null } {
  const [, workflowId = reference, digits] = /^(.+)@(\d{1,15})$/.exec(reference) ?? [];
  return { workflowId, startedAt: digits === undefined ? null : Number(digits) };
}

/** Returns the headers that grant access, or a message about what is missing. */
function accessOf(
  { token, identifications }: LinkedapiSettings,
  { connectorSettings: { identification } }: Pick<NetworkAccount, "connectorSettings">,
): Record<string, string> | string {
  if (token === null) return "The operator must set OUTREACHD_LINKEDAPI_TOKEN before Linked API can be used.";
  if (!identification)
    return "The linkedapi connector requires connectorSettings.identification, the name of a token that the operator has set.";
  const own = Object.hasOwn(identifications ?? {}, identification) ? identifications?.[identification] : undefined;
  if (own === undefined) return `OUTREACHD_LINKEDAPI_IDENTIFICATIONS has no token named "${identification}".`;
  return { "linked-api-token": token, "identification-token": own, accept: "application/json" };
}

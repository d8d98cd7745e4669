import { Type } from "@sinclair/typebox";
import type { Clock } from "../../clock.ts";
import type { NetworkAccount } from "../../network/account-model.ts";
import type { Connector, ConnectorOutcome } from "../../network/connector.ts";
import type { HttpClient } from "../http-client.ts";
import { busy, Ending, outcomeOf, refused, unknownOutcome } from "./ending.ts";
import { outcomeOfType } from "./linkedapi-errors.ts";
import { Envelope, outcomeOfWorkflow, WorkflowState } from "./linkedapi-result.ts";
import { workflowOf } from "./linkedapi-workflow.ts";
import { quote, sentence } from "./quote.ts";
import { retryAfter } from "./retry-after.ts";
import { ask, jsonOf, outageMs, shaped, type Purpose, type Vendor, type VendorAnswer } from "./vendor.ts";

export type LinkedapiSettings = {
  url: string;
  /** Of the subscription; null = not set. */
  token: string | null;
  /** Tokens of the connected accounts, by the names that `connectorSettings.identification` gives them. */
  identifications: Readonly<Record<string, string>> | null;
};

/**
 * Carries orders out over Linked API (linkedapi.io/docs): an order becomes a workflow, which the vendor works off in a
 * browser of its own, within minutes or in the account's working hours there. `follow` asks what became of it.
 */
export function createLinkedapiConnector(settings: LinkedapiSettings, http: HttpClient, clock: Clock): Connector {
  const secrets = [settings.token ?? "", ...Object.values(settings.identifications ?? {})].filter(
    (each) => each !== "",
  );
  const vendor: Vendor = { name: "Linked API", http, clock, secrets };
  return {
    problem(account) {
      const access = accessOf(settings, account);
      return typeof access === "string" ? access : null;
    },

    carryOut: (order, account, signal) =>
      outcomeOf(async () => {
        const headers = accessOf(settings, account);
        if (typeof headers === "string") return { kind: "signedOut", reason: headers };
        const body = { json: workflowOf(order) };
        const answer = await ask(vendor, "acts", {
          method: "POST",
          url: `${settings.url}/workflows`,
          headers,
          body,
          signal,
        });
        const started = shaped(
          Type.Object({ workflowId: Type.String({ minLength: 1 }) }),
          resultOf(answer, "acts", vendor),
        );
        if (started === null) return unknownOutcome(unreadable);
        return handed(started.workflowId, clock.now(), clock.now());
      }),

    async follow(reference, order, account, signal) {
      const { workflowId, startedAt } = parsed(reference);
      const later = handed(workflowId, startedAt ?? clock.now() - firstLookMs, clock.now());
      const headers = accessOf(settings, account);
      if (typeof headers === "string") return later;
      const url = `${settings.url}/workflows/${encodeURIComponent(workflowId)}`;
      const outcome = await outcomeOf(async () => {
        const answer = await ask(vendor, "asks", { method: "GET", url, headers, signal });
        if (answer.status === 404) return unknownOutcome("Linked API knows nothing of this work any more.");
        const state = shaped(WorkflowState, resultOf(answer, "asks", vendor));
        if (state === null || isOpen(state)) return later;
        return outcomeOfWorkflow(state, order, workflowId, secrets);
      });
      // That the question failed says nothing of the work, which may be done meanwhile; so it is asked again.
      return outcome.kind === "busy" ? later : outcome;
    },
  };
}

const unreadable = "Linked API answered with something that can't be read.";
const firstLookMs = 5000;
/** The vendor's own clients give up after a day. */
const giveUpMs = 86_400_000;
const longestPauseMs = 10 * 60_000;

/** The reference carries when the work began, so that the pauses between two looks can grow with its age. */
function handed(workflowId: string, startedAt: number, now: number): ConnectorOutcome {
  const age = now - startedAt;
  if (age > giveUpMs) return unknownOutcome("Linked API has not ended the work within a day.");
  const checkAt = now + Math.min(Math.max(firstLookMs, age / 2), longestPauseMs);
  return { kind: "handed", to: "vendor", reference: `${workflowId}@${startedAt}`, checkAt: Math.round(checkAt) };
}

function parsed(reference: string): { workflowId: string; startedAt: number | null } {
  const [, workflowId = reference, digits] = /^(.+)@(\d{1,15})$/.exec(reference) ?? [];
  return { workflowId, startedAt: digits === undefined ? null : Number(digits) };
}

function isOpen({ workflowStatus }: WorkflowState): boolean {
  return workflowStatus === "pending" || workflowStatus === "running";
}

/** The headers that give access, or a sentence on what is missing. */
function accessOf(
  { token, identifications }: LinkedapiSettings,
  { connectorSettings: { identification } }: Pick<NetworkAccount, "connectorSettings">,
): Record<string, string> | string {
  if (token === null) return "The operator must set OUTREACHD_LINKEDAPI_TOKEN before Linked API can be used.";
  if (!identification)
    return "The linkedapi connector needs connectorSettings.identification, the name of a token that the operator has set.";
  const own = Object.hasOwn(identifications ?? {}, identification) ? identifications?.[identification] : undefined;
  if (own === undefined) return `OUTREACHD_LINKEDAPI_IDENTIFICATIONS has no token of the name "${identification}".`;
  return { "linked-api-token": token, "identification-token": own, accept: "application/json" };
}

/** What the vendor answers with; undefined when it can't be read. Throws the `Ending` that an error means. */
function resultOf(answer: VendorAnswer, purpose: Purpose, { clock, secrets }: Vendor): unknown {
  const { status, headers } = answer;
  const envelope = shaped(Envelope, jsonOf(answer));
  const isFine = status >= 200 && status < 300;
  if (isFine && (envelope?.error ?? null) === null) return envelope?.result;
  const type = envelope?.error?.type ?? (status === 429 ? "tooManyRequests" : "");
  const said = quote(envelope?.error?.message, secrets);
  const known = outcomeOfType({ type, said }, retryAfter(headers, clock.now()));
  if (known !== null && !(purpose === "asks" && known.kind !== "unknown")) throw new Ending(known);
  const failed = sentence(`Linked API failed (${status})`, said);
  if (status >= 500 && purpose === "acts") throw new Ending(unknownOutcome(failed));
  if (status >= 500 || envelope === null || purpose === "asks") throw new Ending(busy(clock.now() + outageMs, failed));
  throw new Ending(refused("invalid", sentence("Linked API refused it", said ?? quote(type, secrets))));
}

import type { ErrorCode } from "../../platform/base/errors.ts";
import type { Tool } from "./tools.ts";

/** The fields of an error response that matter here. */
export type Refusal = {
  code?: string;
  message?: string;
  error?: unknown;
  retryAfter?: number;
  details?: { resource?: unknown; errors?: readonly { path: string; message: string; index?: number }[] };
  permissionHelp?: { required?: string };
};

/** Tells a model what to do after an error. Otherwise, it would retry, or look for a way around it. */
export function adviceOn(tool: Tool, { code, retryAfter, details, permissionHelp }: Refusal): string {
  const wait = retryAfter === undefined ? "a moment" : `${retryAfter} seconds`;
  switch (code as ErrorCode | undefined) {
    case "VALIDATION_ERROR":
    case "INVALID_FILE_FORMAT":
      return "Nothing was done. Correct the listed arguments, then call again.";
    case "UNAUTHORIZED":
      return "Do not retry: the API key is no longer valid. Ask the user for a new one.";
    case "PERMISSION_DENIED":
      if (permissionHelp?.required === "allowedNetworks")
        return "Do not retry: no permission helps. The user would have to add this address to the networks of the API key.";
      return permissionHelp?.required === undefined
        ? "Do not retry, and do not look for another way: ask the user."
        : `Do not retry: the user would have to give this API key the permission ${permissionHelp.required}.`;
    case "ENRICHMENT_CREDITS_EXHAUSTED":
      return "Do not retry: there are not enough credits. get_credits shows the balance. Request fewer, or tell the user.";
    case "NOT_FOUND":
      return `Do not retry with the same ID. ${finderOf(details?.resource)}`;
    case "DO_NOT_CONTACT":
      return "Do not retry, and do not try another address or tool: this person must not be contacted. Tell the user.";
    case "CONFLICT":
      return "Do not retry unchanged: the message says what prevents it. Read the current state before you decide.";
    case "PRECONDITION_FAILED":
      return "It has changed since you read it. Read it again, and repeat your change with the new `etag` if it still applies.";
    case "REQUEST_IN_PROGRESS":
      return "Wait a few seconds, then repeat the same call with the same idempotencyKey to get the outcome.";
    case "REQUEST_INTERRUPTED":
      return "Do not retry unchanged. Check what was done, then request the rest with a new idempotencyKey.";
    case "IDEMPOTENCY_KEY_REUSED":
      return "Nothing was done. If this call differs from the first one with that idempotencyKey, use a new key.";
    case "VOICE_CLONE_LIMIT_EXCEEDED":
      return "Do not retry: waiting does not help. Ask the user which voice clone to delete.";
    case "RATE_LIMIT_EXCEEDED":
      return `Nothing was done. Wait ${wait} before any other call.`;
    case "PAYLOAD_TOO_LARGE":
    case "FILE_TOO_LARGE":
      return "Do not retry unchanged: send less at a time. A person can import large files with `outreachd import`.";
    case "SERVICE_UNAVAILABLE":
      return tool.spec.isIdempotent === true || tool.method !== "POST"
        ? `Retry once after ${wait}; repeating this call is safe.`
        : "It may or may not have been done: check before you repeat it, unless you sent an idempotencyKey.";
    default:
      return "Do not retry unchanged.";
  }
}

/** Tools that find IDs, by the resource that was not found. */
export const finders: Readonly<Record<string, string>> = {
  lead: "list_leads",
  prospect: "search_prospects",
  "saved search": "list_saved_searches",
  view: "list_lead_views",
  job: "list_jobs",
  "enrichment job": "list_jobs",
  "network action": "list_network_actions",
  "network account": "list_network_accounts",
  conversation: "list_conversations",
  snippet: "list_snippets",
  campaign: "list_campaigns",
  "active enrollment": "list_campaign_enrollments",
  "voice clone": "list_voice_clones",
  "voice sample": "get_voice_clone",
  charge: "list_credit_movements",
  key: "list_keys",
  user: "list_users",
  suppression: "list_suppressions",
  "webhook endpoint": "list_webhook_endpoints",
  delivery: "list_webhook_deliveries",
  backup: "list_backups",
};

function finderOf(resource: unknown): string {
  const finder = typeof resource === "string" ? finders[resource] : undefined;
  return finder === undefined ? "Look up the ID with a list tool." : `Look up the ID with ${finder}.`;
}

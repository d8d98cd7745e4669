import { multiLine } from "../../../platform/base/text.ts";
import type { Clock } from "../../../platform/base/clock.ts";
import { maxExcerptLength } from "../../../features/webhooks/model.ts";
import type { PostOutcome, WebhookConnector } from "../../../features/webhooks/connector.ts";
import { createHttpClient } from "../http.ts";
import { type HttpOutcome, type HttpWorld } from "../../../lib/guarded-http/http-client.ts";
import { retryAfter } from "../network/retry-after.ts";
import { problemOfUrl } from "../../../lib/guarded-http/outside-url.ts";

/** Only the start of a response is needed. */
const maxBytes = 64 * 1024;
/** Shorter than the 5 s after which common servers close an idle connection themselves. */
const keepAliveMs = 4000;
const names = {
  url: "url",
  example: "https://crm.example.com/hooks/outreach",
  privateHostsOption: "OUTREACHD_WEBHOOK_PRIVATE_HOSTS",
};

/**
 * Posts with the guarded client. `privateHosts` are the operator's own hosts and networks, which may be called without
 * TLS.
 */
export function createWebhookPoster(
  privateHosts: readonly string[],
  clock: Clock,
  world: Partial<HttpWorld> = {},
): WebhookConnector {
  const http = createHttpClient({ ...world, clock, allowPrivate: privateHosts, keepAliveMs });
  return {
    problem: (url) => problemOfReceiver(url, privateHosts),
    async post({ url, headers, body, timeoutMs }, signal) {
      const problem = problemOfReceiver(url, privateHosts);
      if (problem !== null) return { kind: "failed", reason: problem };
      const content = { bytes: body, type: "application/json" };
      return outcomeOf(
        await http.send({ method: "POST", url, headers, body: content, timeoutMs, maxBytes, signal }),
        clock.now(),
        timeoutMs,
      );
    },
  };
}

/** Returns why nothing is posted to this URL, as a message, or null. */
export function problemOfReceiver(url: string, privateHosts: readonly string[]): string | null {
  return problemOfUrl(url, privateHosts, names);
}

function outcomeOf(outcome: HttpOutcome, now: number, timeoutMs: number): PostOutcome {
  switch (outcome.kind) {
    case "answered": {
      const { status, headers, body } = outcome;
      return { kind: "answered", status, retryAt: retryAfter(headers, now), excerpt: excerptOf(body) };
    }
    case "tooLarge":
      return { kind: "answered", status: outcome.status, retryAt: retryAfter(outcome.headers, now), excerpt: "" };
    case "refused":
      return {
        kind: "failed",
        reason: `Not called: ${outcome.reason}. To allow it, list it in OUTREACHD_WEBHOOK_PRIVATE_HOSTS.`,
      };
    case "timedOut":
      return { kind: "failed", reason: `No complete response within ${timeoutMs / 1000} s.` };
    case "aborted":
      return { kind: "failed", reason: "The server stopped." };
    case "unreachable":
      return { kind: "failed", reason: `Unreachable: ${outcome.reason}.`.slice(0, 300) };
  }
}

/** Invalid bytes become replacement characters. */
function excerptOf(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, maxExcerptLength * 4)).toString("utf8");
  return multiLine(text).slice(0, maxExcerptLength);
}

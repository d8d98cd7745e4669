import type { DeliveryView, EndpointView, NewEndpointView } from "../../features/webhooks/model.ts";
import { formatCount } from "./progress.ts";
import { renderTable, shortTime } from "./table.ts";

export type DeliveryList = { deliveries: DeliveryView[]; total: number };

export function endpointsText(endpoints: readonly EndpointView[]): string {
  if (endpoints.length === 0) return "No webhook endpoints. Create one with `outreachd webhooks create URL`.";
  const rows = endpoints.map(({ url, state, events, lastSuccessAt, id }) => [
    ...[url, state, eventsText(events), lastSuccessAt === null ? "never" : shortTime(lastSuccessAt), id],
  ]);
  return renderTable(["URL", "STATE", "EVENTS", "LAST DELIVERY (UTC)", "ID"], rows);
}

export function endpointText(endpoint: EndpointView): string {
  const rows = Object.entries(endpoint).flatMap(([name, value]) =>
    value === null ? [] : [[name, Array.isArray(value) ? eventsText(value) : `${value}`]],
  );
  return renderTable(["FIELD", "VALUE"], rows);
}

/** Shows the secret of an endpoint, which the API returns only once. */
export function newSecretText({ secret, oldSecretUntil }: NewEndpointView): string {
  const overlap =
    oldSecretUntil === null
      ? ""
      : `\n\nUntil ${shortTime(oldSecretUntil)} UTC, the old secret signs deliveries as well.`;
  return `Signing secret. It is shown only once, so keep it safe:\n\n  ${secret}${overlap}`;
}

export function deliveriesText({ deliveries, total }: DeliveryList): string {
  if (deliveries.length === 0) return "No deliveries.";
  const rows = deliveries.map(({ happenedAt, type, state, attempts, nextAttemptAt, id }) => [
    ...[shortTime(happenedAt), type, state, `${attempts.length}`, responseOf(attempts.at(-1))],
    ...[nextAttemptAt === null ? "" : shortTime(nextAttemptAt), id],
  ]);
  const table = renderTable(["TIME (UTC)", "EVENT", "STATE", "ATTEMPTS", "RESPONSE", "NEXT ATTEMPT", "ID"], rows);
  return total > deliveries.length ? `${table}\n\n${formatCount(deliveries.length)} of ${formatCount(total)}.` : table;
}

export function deliveryText({ id, type, state, attempts, payload }: DeliveryView): string {
  const rows = attempts.map((attempt) => [
    ...[shortTime(attempt.at), responseOf(attempt), `${attempt.latencyMs} ms`],
    attempt.response.replace(/\s+/g, " ").slice(0, 60),
  ]);
  const table = rows.length === 0 ? "No attempt yet." : renderTable(["TIME (UTC)", "RESPONSE", "AFTER", "BODY"], rows);
  return `${type} ${id}: ${state}\n\n${table}\n\n${JSON.stringify(payload, null, 2)}`;
}

function responseOf(attempt: DeliveryView["attempts"][number] | undefined): string {
  if (attempt === undefined) return "";
  return attempt.error === null ? `${attempt.status}` : attempt.error.slice(0, 60);
}

function eventsText(events: readonly string[]): string {
  return events.length === 0 ? "all" : events.join(" ");
}

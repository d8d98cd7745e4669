import { singleLine } from "../../platform/base/clean-text.ts";
import { isoTime, isoTimeOrNull, parseInstant, type Clock } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { EventType } from "../../platform/events/model.ts";
import { typesOf, unknownType } from "../../platform/events/type-filter.ts";
import type { Ids } from "../../platform/base/ids.ts";
import type { WebhookConnector } from "./connector.ts";
import { payloadOf, webhookIdOf } from "./message.ts";
import type {
  Delivery,
  DeliveryState,
  DeliveryView,
  Endpoint,
  EndpointContent,
  EndpointInput,
  EndpointUpdate,
  EndpointView,
  NewEndpointView,
  ReplayInput,
  RotateInput,
} from "./model.ts";
import { createWebhookSecret } from "./signature.ts";
import type { WebhookStore } from "./store.ts";

/** Each event of the user goes to all of them, so their number is what an event can cost. */
const maxEndpoints = 50;
const hourMs = 3_600_000;
const defaultOverlapHours = 24;
/** Some milliseconds of the writer's time. */
const replayBatchSize = 500;
/** So many events are looked at for one request: about a second. */
const maxScannedEvents = 100_000;
const sweepBatchSize = 1000;
/** So many deliveries of an endpoint go in front of its queue at a time; who wants more of them replays a range. */
const maxOnDemand = 10;

export type WebhookParts = {
  store: WebhookStore;
  connector: WebhookConnector;
  clock: Clock;
  ids: Ids;
  /** Something may be due. */
  wake: () => void;
  /** What is posted to an endpoint, or whether anything is, has changed. */
  onChanged: (endpointId: string) => void;
};

export type DeliveryQuery = {
  state: DeliveryState | null;
  types: readonly EventType[] | null;
  before: number | null;
  limit: number;
};

/** Endpoints of users, and what became of what they were told. */
export class WebhookService {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** VALIDATION_ERROR for an address that can't be posted to and for unknown types; CONFLICT when there are too many. */
  async create(userId: string, input: EndpointInput): Promise<NewEndpointView> {
    const { store, clock, ids } = this.#parts;
    const now = clock.now();
    const endpoint: Endpoint = {
      id: ids.next(now),
      userId,
      ...this.#contentOf({ url: "", description: null, types: null }, input),
      isEnabled: input.isEnabled ?? true,
      disabledAt: null,
      disabledReason: null,
      secret: createWebhookSecret(ids),
      oldSecret: null,
      oldSecretUntil: null,
      failures: 0,
      failingSince: null,
      lastSuccessAt: null,
      lastFailureAt: null,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await store.insert(endpoint, maxEndpoints)))
      throw new ApiError("CONFLICT", {
        message: `You have ${maxEndpoints} webhook endpoints, which is the most. Delete one first.`,
      });
    return { ...this.#view(endpoint), secret: endpoint.secret };
  }

  /** Newest first. */
  async list(userId: string): Promise<EndpointView[]> {
    return (await this.#parts.store.list(userId, maxEndpoints)).map((endpoint) => this.#view(endpoint));
  }

  async get(userId: string, id: string): Promise<EndpointView> {
    return this.#view(await this.#require(userId, id));
  }

  async update(userId: string, id: string, input: EndpointUpdate): Promise<EndpointView> {
    const { store, clock, onChanged } = this.#parts;
    const before = await this.#require(userId, id);
    const change = {
      ...this.#contentOf(before, input),
      ...(input.isEnabled !== undefined && { isEnabled: input.isEnabled }),
      at: clock.now(),
    };
    const endpoint = requireFound(await store.update(userId, id, change), id);
    onChanged(id);
    return this.#view(endpoint);
  }

  /** A new secret; the one of before signs as well for some hours. */
  async rotate(
    userId: string,
    id: string,
    { overlapHours = defaultOverlapHours }: RotateInput,
  ): Promise<NewEndpointView> {
    const { store, clock, ids, onChanged } = this.#parts;
    const at = clock.now();
    const secret = createWebhookSecret(ids);
    const endpoint = requireFound(
      await store.rotate(userId, id, { secret, oldUntil: at + overlapHours * hourMs, at }),
      id,
    );
    onChanged(id);
    return { ...this.#view(endpoint), secret };
  }

  async remove(userId: string, id: string): Promise<void> {
    const { store, onChanged } = this.#parts;
    if (!(await store.remove(userId, id))) throw notFound("webhook endpoint", id);
    onChanged(id);
  }

  /**
   * Tells the endpoint, and no other, a `webhook.test`: at once, whatever waits, and once. CONFLICT when it is turned off.
   */
  async test(userId: string, id: string): Promise<DeliveryView> {
    const { store, clock, wake } = this.#parts;
    await this.#requireEnabled(userId, id);
    const delivery = requireFound(await store.test(userId, id, clock.now()), id);
    wake();
    return deliveryView(delivery);
  }

  /** Newest events first; `next` is where to go on, null on the last page. */
  async deliveries(
    userId: string,
    id: string,
    query: DeliveryQuery,
  ): Promise<{ page: DeliveryView[]; next: number | null; total: number }> {
    await this.#require(userId, id);
    const request = { userId, endpointId: id, ...query, limit: query.limit + 1 };
    const [deliveries, total] = await Promise.all([
      this.#parts.store.deliveries(request),
      this.#parts.store.countDeliveries(request),
    ]);
    const page = deliveries.slice(0, query.limit);
    return {
      page: page.map(deliveryView),
      next: deliveries.length > query.limit ? (page.at(-1)?.event.id ?? null) : null,
      total,
    };
  }

  async delivery(userId: string, id: string, eventId: string): Promise<DeliveryView> {
    await this.#require(userId, id);
    const delivery = await this.#parts.store.delivery(userId, id, eventNumber(eventId));
    if (delivery === null) throw notFound("delivery", eventId);
    return deliveryView(delivery);
  }

  /** Delivers one again, in front of all that waits, with the same webhook-id. CONFLICT when the endpoint is turned off. */
  async replay(userId: string, id: string, eventId: string): Promise<DeliveryView> {
    const { store, clock, wake } = this.#parts;
    await this.#requireEnabled(userId, id);
    const delivery = await store.replay(userId, id, eventNumber(eventId), { at: clock.now(), maxAsked: maxOnDemand });
    if (delivery === null) throw notFound("delivery", eventId);
    wake();
    return deliveryView(delivery);
  }

  /** Puts all events of a time into the queue again; `next` is where to go on, null when all were looked at. */
  async replayRange(
    userId: string,
    id: string,
    input: ReplayInput,
  ): Promise<{ replayed: number; next: number | null }> {
    const { store, clock, wake } = this.#parts;
    const { from, to } = this.#rangeOf(input);
    await this.#requireEnabled(userId, id);
    let replayed = 0;
    let next: number | null = input.after === undefined ? null : Number(input.after);
    for (let scanned = 0; scanned < maxScannedEvents; scanned += replayBatchSize) {
      const request = { userId, endpointId: id, from, to, includesDelivered: input.include === "all" };
      const slice = await store.replayRange({ ...request, after: next, limit: replayBatchSize, at: clock.now() });
      replayed += slice.replayed;
      next = slice.next;
      if (next === null) break;
    }
    wake();
    return { replayed, next };
  }

  /** Removes what deleted endpoints have left, in slices, so that nobody waits for it. */
  async sweep(): Promise<void> {
    while (await this.#parts.store.sweep(sweepBatchSize));
  }

  #contentOf(
    before: EndpointContent,
    { url = before.url, description = before.description, events }: EndpointUpdate,
  ): EndpointContent {
    const errors: FieldError[] = [];
    const problem = url === before.url && url !== "" ? null : this.#parts.connector.problem(url);
    if (problem !== null) errors.push({ path: "url", message: problem });
    const types = events === undefined ? before.types : patternsOf(events, errors);
    if (errors.length > 0) throw invalid(errors);
    return { url, description: description === null ? null : singleLine(description), types };
  }

  #rangeOf({ from, to }: ReplayInput): { from: number; to: number } {
    const errors: FieldError[] = [];
    const instant = (path: string, text: string): number => {
      const at = parseInstant(text);
      if (at === null) errors.push({ path, message: "Expected a moment, such as 2026-01-05T10:00:00Z." });
      return at ?? 0;
    };
    const range = { from: instant("from", from), to: to === undefined ? this.#parts.clock.now() : instant("to", to) };
    if (errors.length === 0 && range.from > range.to)
      errors.push({ path: "from", message: "Expected a moment that is not after `to`." });
    if (errors.length > 0) throw invalid(errors);
    return range;
  }

  async #require(userId: string, id: string): Promise<Endpoint> {
    return requireFound(await this.#parts.store.get(userId, id), id);
  }

  async #requireEnabled(userId: string, id: string): Promise<void> {
    if ((await this.#require(userId, id)).isEnabled) return;
    throw new ApiError("CONFLICT", { message: "This endpoint is turned off. Set isEnabled to true first." });
  }

  #view(endpoint: Endpoint): EndpointView {
    const { id, url, description, types, isEnabled, disabledReason, failures, oldSecretUntil } = endpoint;
    const isOverlapping = oldSecretUntil !== null && oldSecretUntil > this.#parts.clock.now();
    return {
      id,
      url,
      description,
      events: [...(types ?? ["*"])],
      isEnabled,
      state: isEnabled ? (failures > 0 ? "failing" : "working") : "disabled",
      disabledAt: isoTimeOrNull(endpoint.disabledAt),
      disabledReason,
      failures,
      failingSince: isoTimeOrNull(endpoint.failingSince),
      lastSuccessAt: isoTimeOrNull(endpoint.lastSuccessAt),
      lastFailureAt: isoTimeOrNull(endpoint.lastFailureAt),
      oldSecretUntil: isOverlapping ? isoTime(oldSecretUntil) : null,
      createdAt: isoTime(endpoint.createdAt),
      updatedAt: isoTime(endpoint.updatedAt),
    };
  }
}

function requireFound<T>(thing: T | null, id: string): T {
  if (thing === null) throw notFound("webhook endpoint", id);
  return thing;
}

/** Patterns are kept as they are, so that `lead.*` means types that a later version brings, too. */
function patternsOf(events: readonly string[], errors: FieldError[]): string[] | null {
  const patterns = [...new Set(events.map((each) => each.trim()))];
  for (const [index, pattern] of patterns.entries()) {
    const isList = pattern.includes(",");
    if (isList || "unknown" in typesOf([pattern]))
      errors.push({ path: `events.${index}`, message: unknownType(pattern), index });
  }
  return patterns.length === 0 || patterns.includes("*") ? null : patterns;
}

/** What is no number is the id of nothing. */
function eventNumber(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : -1;
}

function deliveryView({ endpointId, event, state, nextAt, attempts }: Delivery): DeliveryView {
  return {
    id: `${event.id}`,
    endpointId,
    webhookId: webhookIdOf(event),
    type: event.type,
    state,
    happenedAt: isoTime(event.at),
    nextAttemptAt: isoTimeOrNull(nextAt),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: isoTime(at), ...attempt })),
    payload: payloadOf(event),
  };
}

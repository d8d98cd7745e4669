import { singleLine } from "../../platform/base/text.ts";
import { type Clock, type Ids, isoTime, isoTimeOrNull, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { EventType } from "../../platform/events/model.ts";
import { typesOf, unknownType } from "../../platform/events/type-filter.ts";
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
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Every event is sent to all endpoints of the user, so this bounds the cost of an event. */
const maxEndpoints = 50;
const hourMs = 3_600_000;
const defaultOverlapHours = 24;
/** Occupies the writer for a few milliseconds. */
const replayBatchSize = 500;
/** Events scanned per request, which takes about a second. */
const maxScannedEvents = 100_000;
const sweepBatchSize = 1000;
/** Deliveries per endpoint that can skip the queue at a time; replaying a range is the way to replay more. */
const maxOnDemand = 10;

export type WebhookParts = {
  store: WebhookStore;
  connector: WebhookConnector;
  clock: Clock;
  ids: Ids;
  /** Signals that deliveries may be due. */
  wake: () => void;
  /** Signals that an endpoint was created, changed, enabled, disabled, or removed. */
  onChanged: (endpointId: string) => void;
};

export type DeliveryQuery = {
  state: DeliveryState | null;
  types: readonly EventType[] | null;
  before: number | null;
  limit: number;
};

/** Manages webhook endpoints and gives access to their deliveries. */
export class WebhookService {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** Throws VALIDATION_ERROR for an unusable URL or unknown event types, and CONFLICT at the endpoint limit. */
  async create(workspaceId: WorkspaceId, input: EndpointInput): Promise<NewEndpointView> {
    const { store, clock, ids, onChanged } = this.#parts;
    const now = clock.now();
    const endpoint: Endpoint = {
      id: ids.next(now),
      workspaceId,
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
        message: `Webhook endpoint limit reached: you have ${maxEndpoints} of ${maxEndpoints}. Delete one first.`,
      });
    onChanged(endpoint.id);
    return { ...this.#view(endpoint), secret: endpoint.secret };
  }

  /** Newest first. */
  async list(workspaceId: WorkspaceId): Promise<EndpointView[]> {
    return (await this.#parts.store.list(workspaceId, maxEndpoints)).map((endpoint) => this.#view(endpoint));
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<EndpointView> {
    return this.#view(await this.#require(workspaceId, id));
  }

  async update(workspaceId: WorkspaceId, id: string, input: EndpointUpdate): Promise<EndpointView> {
    const { store, clock, onChanged } = this.#parts;
    const before = await this.#require(workspaceId, id);
    const change = {
      ...this.#contentOf(before, input),
      ...(input.isEnabled !== undefined && { isEnabled: input.isEnabled }),
      at: clock.now(),
    };
    const endpoint = requireFound(await store.update(workspaceId, id, change), id);
    onChanged(id);
    return this.#view(endpoint);
  }

  /** Issues a new secret. Deliveries are also signed with the previous one for `overlapHours`. */
  async rotate(
    workspaceId: WorkspaceId,
    id: string,
    { overlapHours = defaultOverlapHours }: RotateInput,
  ): Promise<NewEndpointView> {
    const { store, clock, ids, onChanged } = this.#parts;
    const at = clock.now();
    const secret = createWebhookSecret(ids);
    const endpoint = requireFound(
      await store.rotate(workspaceId, id, { secret, oldUntil: at + overlapHours * hourMs, at }),
      id,
    );
    onChanged(id);
    return { ...this.#view(endpoint), secret };
  }

  async remove(workspaceId: WorkspaceId, id: string): Promise<void> {
    const { store, onChanged } = this.#parts;
    if (!(await store.remove(workspaceId, id))) throw notFound("webhook endpoint", id);
    onChanged(id);
  }

  /**
   * Sends `webhook.test` to this endpoint only, ahead of pending deliveries and without retries. Throws CONFLICT if the
   * endpoint is disabled.
   */
  async test(workspaceId: WorkspaceId, id: string): Promise<DeliveryView> {
    const { store, clock, wake } = this.#parts;
    await this.#requireEnabled(workspaceId, id);
    const delivery = requireFound(await store.test(workspaceId, id, clock.now()), id);
    wake();
    return deliveryView(delivery);
  }

  /** Newest events first. `next` is the cursor of the next page, or null on the last one. */
  async deliveries(
    workspaceId: WorkspaceId,
    id: string,
    query: DeliveryQuery,
  ): Promise<{ page: DeliveryView[]; next: number | null; total: number }> {
    await this.#require(workspaceId, id);
    const request = { workspaceId, endpointId: id, ...query, limit: query.limit + 1 };
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

  async delivery(workspaceId: WorkspaceId, id: string, eventId: string): Promise<DeliveryView> {
    await this.#require(workspaceId, id);
    const delivery = await this.#parts.store.delivery(workspaceId, id, eventNumber(eventId));
    if (delivery === null) throw notFound("delivery", eventId);
    return deliveryView(delivery);
  }

  /**
   * Delivers an event again with the same webhook-id, ahead of pending deliveries. Throws CONFLICT if the endpoint is
   * disabled.
   */
  async replay(workspaceId: WorkspaceId, id: string, eventId: string): Promise<DeliveryView> {
    const { store, clock, wake } = this.#parts;
    await this.#requireEnabled(workspaceId, id);
    const delivery = await store.replay(workspaceId, id, eventNumber(eventId), { at: clock.now(), maxOnDemand });
    if (delivery === null) throw notFound("delivery", eventId);
    wake();
    return deliveryView(delivery);
  }

  /** Queues all events of a time range again. `next` is where to continue, or null when the range is complete. */
  async replayRange(
    workspaceId: WorkspaceId,
    id: string,
    input: ReplayInput,
  ): Promise<{ replayed: number; next: number | null }> {
    const { store, clock, wake } = this.#parts;
    const { from, to } = this.#rangeOf(input);
    await this.#requireEnabled(workspaceId, id);
    let replayed = 0;
    let next: number | null = input.after === undefined ? null : Number(input.after);
    for (let scanned = 0; scanned < maxScannedEvents; scanned += replayBatchSize) {
      const request = { workspaceId, endpointId: id, from, to, includesDelivered: input.include === "all" };
      const slice = await store.replayRange({ ...request, after: next, limit: replayBatchSize, at: clock.now() });
      replayed += slice.replayed;
      next = slice.next;
      if (next === null) break;
    }
    wake();
    return { replayed, next };
  }

  /** Removes leftovers of deleted endpoints, in batches so that other writes are not delayed. */
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
      if (at === null) errors.push({ path, message: "Expected a date and time, such as 2026-01-05T10:00:00Z." });
      return at ?? 0;
    };
    const range = { from: instant("from", from), to: to === undefined ? this.#parts.clock.now() : instant("to", to) };
    if (errors.length === 0 && range.from > range.to) errors.push({ path: "from", message: "Must not be after `to`." });
    if (errors.length > 0) throw invalid(errors);
    return range;
  }

  async #require(workspaceId: WorkspaceId, id: string): Promise<Endpoint> {
    return requireFound(await this.#parts.store.get(workspaceId, id), id);
  }

  async #requireEnabled(workspaceId: WorkspaceId, id: string): Promise<void> {
    if ((await this.#require(workspaceId, id)).isEnabled) return;
    throw new ApiError("CONFLICT", { message: "This endpoint is disabled. Set isEnabled to true first." });
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

function requireFound<T>(row: T | null, id: string): T {
  if (row === null) throw notFound("webhook endpoint", id);
  return row;
}

/** Patterns are stored unexpanded, so that `lead.*` also covers event types added by later versions. */
function patternsOf(events: readonly string[], errors: FieldError[]): string[] | null {
  const patterns = [...new Set(events.map((each) => each.trim()))];
  for (const [index, pattern] of patterns.entries()) {
    const isList = pattern.includes(",");
    if (isList || "unknown" in typesOf([pattern]))
      errors.push({ path: `events.${index}`, message: unknownType(pattern), index });
  }
  return patterns.length === 0 || patterns.includes("*") ? null : patterns;
}

/** Text that is not a number maps to -1, which is never an event ID. */
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

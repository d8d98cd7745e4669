import { Type, type Static, type TSchema } from "@sinclair/typebox";
import type { HttpBody } from "../../../lib/guarded-http/http-body.ts";
import { busy, Ending, unknownOutcome } from "./ending.ts";
import { outcomeOfError, type Step } from "./unipile-errors.ts";
import { ask, jsonOf, outageMs, shaped, type Vendor } from "./vendor.ts";

export type UnipileAccess = { url: string; apiKey: string };

type Query = Readonly<Record<string, string>>;
type Read<T extends TSchema> = { path: string; query?: Query; schema: T } & Partial<Step>;
type Act = { method?: "POST" | "DELETE" | "GET"; path: string; query?: Query; body?: HttpBody } & Partial<Step>;

/** Every response to an action has the type of its object. */
const Acknowledgement = Type.Object({ object: Type.String() });

/**
 * An account at the Unipile API, version 1 (developer.unipile.com). Each method returns the vendor's response or throws
 * the `Ending` of the order.
 */
export class UnipileApi {
  readonly accountId: string;
  readonly #vendor: Vendor;
  readonly #access: UnipileAccess;
  readonly #signal: AbortSignal;

  constructor(vendor: Vendor, access: UnipileAccess, accountId: string, signal: AbortSignal) {
    this.#vendor = vendor;
    this.#access = access;
    this.accountId = accountId;
    this.#signal = signal;
  }

  /** Reads an object that matches `schema`. Reading changes nothing. */
  async read<T extends TSchema>({ path, query, schema, ...step }: Read<T>): Promise<Static<T>> {
    const json = await this.#send("asks", { method: "GET", path, query, ...step });
    const found = shaped(schema, json);
    if (found !== null) return found;
    throw new Ending(busy(this.#vendor.clock.now() + outageMs, unreadable));
  }

  /** Carries out an action on the network and returns the fields of the acknowledgement. */
  async act(request: Act): Promise<Readonly<Record<string, unknown>>> {
    const json = await this.#send("acts", request);
    const acknowledged = shaped(Acknowledgement, json);
    if (acknowledged !== null) return { ...acknowledged };
    throw new Ending(unknownOutcome(unreadable));
  }

  async #send(purpose: "asks" | "acts", request: Act): Promise<unknown> {
    const { method = "POST", path, query = {}, body, missing = "personNotFound" } = request;
    const search = new URLSearchParams(method === "POST" ? query : { account_id: this.accountId, ...query });
    const answer = await ask(this.#vendor, purpose, {
      method,
      url: `${this.#access.url}/api/v1/${path}${search.size > 0 ? `?${search}` : ""}`,
      headers: { "x-api-key": this.#access.apiKey, accept: "application/json" },
      ...(body && { body }),
      signal: this.#signal,
    });
    if (answer.status >= 200 && answer.status < 300) return jsonOf(answer);
    throw new Ending(
      outcomeOfError(answer, { purpose, missing, unreachable: request.unreachable ?? "personNotFound" }, this.#vendor),
    );
  }
}

const unreadable = "Unipile sent an unreadable response.";

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const page = <T extends TSchema>(item: T) => Type.Object({ items: Type.Array(item), cursor: orNull(Type.String()) });

/**
 * Only the fields that every action needs are required: a change of the vendor to the others must not stop all actions.
 */
export const Profile = Type.Object({
  provider_id: Type.String({ minLength: 1 }),
  is_self: Type.Optional(Type.Unknown()),
  is_relationship: Type.Optional(Type.Unknown()),
  /** FIRST_DEGREE, SECOND_DEGREE, and so on; DISTANCE_1 in older responses. */
  network_distance: Type.Optional(Type.Unknown()),
  invitation: Type.Optional(Type.Unknown()),
  skills: Type.Optional(Type.Unknown()),
  public_identifier: orNull(Type.String()),
});
export type Profile = Static<typeof Profile>;

export const SentInvitation = Type.Object({ type: Type.Literal("SENT"), status: Type.String() });

export const Skills = Type.Array(
  Type.Object({ name: Type.String(), endorsement_id: orNull(Type.Union([Type.Number(), Type.String()])) }),
);

export const SentInvitations = page(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    invited_user_id: orNull(Type.String()),
    invited_user_public_id: orNull(Type.String()),
  }),
);

/** `type`: 0 for a chat between two. `content_type`: only of special chats, such as "sponsored". */
export const Chat = Type.Object({
  type: Type.Number(),
  attendee_provider_id: orNull(Type.String()),
  content_type: orNull(Type.String()),
});

export const Chats = page(Type.Object({ id: Type.String({ minLength: 1 }) }));

export const Posts = page(Type.Object({ social_id: Type.String({ minLength: 1 }), is_repost: orNull(Type.Boolean()) }));
export const Post = Type.Object({ social_id: Type.String({ minLength: 1 }) });

export const Relations = page(
  Type.Object({
    member_id: orNull(Type.String()),
    public_identifier: orNull(Type.String()),
    /** Milliseconds since 1970. */
    created_at: orNull(Type.Number()),
  }),
);

export const Messages = page(
  Type.Object({
    id: orNull(Type.String()),
    chat_id: orNull(Type.String()),
    /** 1 or true for messages sent by the account itself. */
    is_sender: orNull(Type.Union([Type.Number(), Type.Boolean()])),
    sender_id: orNull(Type.String()),
    is_event: orNull(Type.Union([Type.Number(), Type.Boolean()])),
    deleted: orNull(Type.Union([Type.Number(), Type.Boolean()])),
    timestamp: Type.String(),
    text: orNull(Type.String()),
  }),
);

export const Attendee = Type.Object({ profile_url: orNull(Type.String()), name: orNull(Type.String()) });

/** Returns an ID in the acknowledgement of an action; null if there is none. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 300) : null;
}

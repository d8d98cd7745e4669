import { Type, type Static } from "@sinclair/typebox";
import { busy, Ending, refused, unknownOutcome } from "./ending.ts";
import { outcomeOfType } from "./linkedapi-errors.ts";
import { quote, sentence } from "./quote.ts";
import { retryAfter } from "./retry-after.ts";
import { ask, jsonOf, outageMs, shaped, type Purpose, type Vendor } from "./vendor.ts";

export const Fault = Type.Object({ type: Type.String(), message: Type.Optional(Type.Unknown()) });

/** Every response: a result or an error. */
const Envelope = Type.Object({
  success: Type.Optional(Type.Boolean()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Union([Fault, Type.Null()])),
});

export type LinkedapiAnswer = { status: number; headers: Headers; envelope: Static<typeof Envelope> | null };

/** An account at Linked API (linkedapi.io/docs). Methods throw the `Ending` of the order if there is no response. */
export class LinkedapiApi {
  readonly vendor: Vendor;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(vendor: Vendor, url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    this.vendor = vendor;
    this.#url = url;
    this.#headers = headers;
    this.#signal = signal;
  }

  async get(path: string): Promise<LinkedapiAnswer> {
    return await this.#send("asks", { method: "GET", url: `${this.#url}/${path}` });
  }

  async post(purpose: Purpose, path: string, json: unknown): Promise<LinkedapiAnswer> {
    return await this.#send(purpose, { method: "POST", url: `${this.#url}/${path}`, body: { json } });
  }

  /** Returns the result of a response; undefined if it is unreadable. Throws the matching `Ending` for an error. */
  resultOf({ status, headers, envelope }: LinkedapiAnswer, purpose: Purpose): unknown {
    const { clock, secrets } = this.vendor;
    const isFine = status >= 200 && status < 300;
    if (isFine && (envelope?.error ?? null) === null) return envelope?.result;
    const type = envelope?.error?.type ?? (status === 429 ? "tooManyRequests" : "");
    const said = quote(envelope?.error?.message, secrets);
    const failed = sentence(`Linked API failed (${status})`, said);
    // An error response to a query says nothing about its subject.
    if (purpose === "asks") throw new Ending(busy(clock.now() + outageMs, failed));
    const known = outcomeOfType({ type, said }, retryAfter(headers, clock.now()));
    if (known !== null) throw new Ending(known);
    if (status >= 500) throw new Ending(unknownOutcome(failed));
    if (envelope === null) throw new Ending(busy(clock.now() + outageMs, failed));
    throw new Ending(refused("invalid", sentence("Linked API rejected it", said ?? quote(type, secrets))));
  }

  async #send(purpose: Purpose, request: Parameters<typeof ask>[2]): Promise<LinkedapiAnswer> {
    const answer = await ask(this.vendor, purpose, { ...request, headers: this.#headers, signal: this.#signal });
    return { status: answer.status, headers: answer.headers, envelope: shaped(Envelope, jsonOf(answer)) };
  }
}

/** The response to starting a workflow. */
export const Started = Type.Object({ workflowId: Type.String({ minLength: 1 }) });

import type { operations } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

/** An error response, or no response at all (status 0). The message is written for people. */
export declare class OutreachdError extends Error {
  readonly status: number;
  /** As in the API reference, such as NOT_FOUND; NO_RESPONSE if there was none. */
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

export type ClientOptions = {
  /** Of the server, such as https://outreach.example.com. */
  baseUrl: string;
  apiKey: string;
  /** Default: the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How often a request is repeated after a lost connection, 429, and 503. Default: 2. */
  retries?: number;
  /** Replaces the clock in tests. */
  wait?: (milliseconds: number) => Promise<void>;
};

type OperationId = keyof operations;
type Parameters<Id extends OperationId> = operations[Id] extends { parameters: infer P } ? P : never;
type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer P } ? P : undefined;
type QueryOf<Id extends OperationId> = Parameters<Id> extends { query?: infer Q } ? Exclude<Q, undefined> : never;

type Raw = string | Blob | FormData | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
type JsonBody<B> = B extends { content: infer C }
  ? C extends { "application/json": infer J }
    ? [keyof C] extends ["application/json"]
      ? J
      : J | Raw
    : Raw
  : never;
type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer B }
  ? { body: JsonBody<B> }
  : operations[Id] extends { requestBody?: infer B }
    ? [Exclude<B, undefined>] extends [never]
      ? { body?: undefined }
      : { body?: JsonBody<Exclude<B, undefined>> }
    : { body?: undefined };

type Success<R> = R extends { 200: infer A }
  ? A
  : R extends { 201: infer A }
    ? A
    : R extends { 202: infer A }
      ? A
      : never;
/** The JSON body of a success, or the response itself if it is not JSON. */
export type Result<Id extends OperationId> = operations[Id] extends { responses: infer R }
  ? Success<R> extends { content: infer C }
    ? C extends { "application/json": infer J }
      ? [keyof C] extends ["application/json"]
        ? J
        : J | Response
      : Response
    : Response
  : never;

export type OperationRequest<Id extends OperationId> = (PathOf<Id> extends undefined
  ? { path?: undefined }
  : { path: PathOf<Id> }) &
  RequestBody<Id> & {
    query?: QueryOf<Id>;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };

/** No argument is needed if nothing in it is required. */
type Call<Id extends OperationId> =
  {} extends OperationRequest<Id>
    ? (request?: OperationRequest<Id>) => Promise<Result<Id>>
    : (request: OperationRequest<Id>) => Promise<Result<Id>>;

/** One method for each operation, under its operation ID. */
export type OutreachdClient = { readonly [Id in OperationId]: Call<Id> };

export declare function createClient(options: ClientOptions): OutreachdClient;

/** All pages of a list, one after the other. */
export declare function pages<Request extends { query?: object }, Page extends { data: object }>(
  list: (request?: Request) => Promise<Page>,
  request?: Request,
): AsyncGenerator<Page, void, undefined>;

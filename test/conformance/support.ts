import { test } from "bun:test";
import { usesBinary, type Service } from "../support/service.ts";

/** What a client of the specification finds in a body: whatever it looks for. */
// oxlint-disable-next-line typescript/no-explicit-any -- each test says what it expects
export type Json = Record<string, any>;
export type Answer = { status: number; headers: Headers; body: Json; text: string };

type Ask = { key?: string | null; headers?: Record<string, string>; json?: unknown; form?: FormData; text?: string };

/** A plain HTTP request, as any client makes it. */
export async function ask(service: Service, method: string, path: string, options: Ask = {}): Promise<Answer> {
  const { key = service.admin.key, headers = {}, json, form, text: raw } = options;
  const response = await fetch(`${service.url}/api/v2${path}`, {
    method,
    headers: {
      ...(key !== null && { "x-api-key": key }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form !== undefined && { body: form }),
    ...(raw !== undefined && { body: raw }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {}, text };
}

type Statement = (sentence: string, holds: () => unknown) => void;

/** The statements below a heading, numbered in their order. `inProcess` is for those that need the clock to be moved. */
export function section(heading: string, state: (says: Statement & { inProcess: Statement }) => void): void {
  const number = heading.split(" ")[0];
  let count = 0;
  const title = (sentence: string) => `${number}.${++count} ${heading.slice(number!.length + 1)}: ${sentence}`;
  const says = (sentence: string, holds: () => unknown) => test(title(sentence), async () => void (await holds()));
  const inProcess: Statement = (sentence, holds) => {
    const run = async () => void (await holds());
    if (usesBinary) test.skip(title(sentence), run);
    else test(title(sentence), run);
  };
  state(Object.assign(says, { inProcess }));
}

/** ISO 8601 with milliseconds, in UTC. */
export const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const allPermissions = [
  ...["users:read", "users:write"],
  ...["network:schedule", "network:upload", "network:read", "network:voice"],
  ...["leads:read", "leads:write", "leads:enrich", "leads:delete"],
  ...["voice:create", "voice:read", "voice:update", "voice:delete", "voice:preview"],
  ...["jobs:read", "jobs:update"],
  "prospecting:search",
  ...["keys:manage", "api_keys:read", "api_keys:write"],
];

/** A key of the admin's, with these permissions. */
export async function keyWith(service: Service, permissions: readonly string[], more: object = {}): Promise<string> {
  const { body } = await ask(service, "POST", "/keys", { json: { name: "conformance", permissions, ...more } });
  return (body["data"] ?? body).key as string;
}

export async function keyAndId(service: Service, permissions: readonly string[]): Promise<{ id: string; key: string }> {
  const { body } = await ask(service, "POST", "/keys", { json: { name: "conformance", permissions } });
  const { id, key } = body["data"] ?? body;
  return { id, key };
}

/** Half a second of a tone as WAV, another one for each seed. */
export function tone(seed: number): Uint8Array {
  const rate = 8000;
  const samples = Int16Array.from({ length: rate / 2 }, (_, n) => 8000 * Math.sin((n * (200 + seed) * 6.283) / rate));
  const header = new DataView(new ArrayBuffer(44));
  const ascii = (at: number, text: string) => Buffer.from(text).forEach((byte, n) => header.setUint8(at + n, byte));
  ascii(0, "RIFF");
  header.setUint32(4, 36 + samples.byteLength, true);
  ascii(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  ascii(36, "data");
  header.setUint32(40, samples.byteLength, true);
  return new Uint8Array(Buffer.concat([Buffer.from(header.buffer), Buffer.from(samples.buffer)]));
}

/** The form of a new voice clone. */
export function cloneForm(
  files: readonly [string, Uint8Array | string][],
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ name: "Narrator", ...fields })) form.set(name, value);
  for (const [name, bytes] of files) form.append("files", new File([bytes as Uint8Array<ArrayBuffer>], name));
  return form;
}

import type { HttpOutcome } from "../../../lib/guarded-http/http-client.ts";
import { quote, sentence } from "../network/quote.ts";
import { retryAfter } from "../network/retry-after.ts";
import { final, later, operatorFault, type VendorFailure } from "./failure.ts";
import { garbageSeconds, jsonOf, type Said, type Vendor, type VendorAnswer } from "./vendor.ts";

/** Delay before a vendor that is busy or down is tried again. */
const busySeconds = 30;
const outageSeconds = 60;

/** Converts a missing or incomplete response to a failure, or returns the signal's reason if it was aborted. */
export function failureWithoutAnswer(
  { name }: Vendor,
  outcome: Exclude<HttpOutcome, { kind: "answered" }>,
  signal: AbortSignal,
): Error {
  switch (outcome.kind) {
    case "aborted":
      return signal.reason instanceof Error ? signal.reason : new Error(`${name} was aborted`);
    case "refused":
      return operatorFault(`${name} cannot be called: ${outcome.reason}.`);
    case "timedOut":
      return later(`${name} ${outcome.sent ? "did not respond in time" : "was unreachable"}.`, outageSeconds);
    case "tooLarge":
      return later(`${name} sent a response that is too large.`, outageSeconds);
    case "unreachable":
      return later(
        `${name} ${outcome.sent ? "closed the connection before it had responded" : "was unreachable"}.`,
        outageSeconds,
      );
  }
}

/** For a success response with unexpected content: usually a page of something in front of the vendor. */
export function unreadable({ name }: Vendor): VendorFailure {
  return later(`${name} sent an unreadable response.`, garbageSeconds);
}

/** Converts an error response to a failure. */
export function failureOfAnswer(vendor: Vendor, answer: VendorAnswer): VendorFailure {
  const { name, options } = vendor;
  const { status } = answer;
  const said = saidIn(vendor, answer);
  const waitSeconds = (usual: number) => secondsUntilRetry(vendor, answer) ?? usual;
  const explained = vendor.explain?.(said) ?? null;
  if (explained !== null) return explained;
  if (status === 402 || /quota|credit|billing|payment/.test(said.code ?? ""))
    return operatorFault(sentence(`The quota at ${name} is used up`, said.words));
  if (status === 401 || status === 403) {
    const reason = sentence(`${name} denied access (${status})`, said.words);
    return operatorFault(options.key === null ? reason : `${reason} Check ${options.key}.`);
  }
  if (status === 429 || status === 408 || status === 425)
    return later(sentence(`${name} is busy`, said.words), waitSeconds(busySeconds));
  if (status >= 500) return later(sentence(`${name} failed (${status})`, said.words), waitSeconds(outageSeconds));
  if (status < 400) return operatorFault(`${name} redirects to another URL (${status}). Check ${options.url}.`);
  if ((status === 404 || status === 405) && said.code === null)
    return operatorFault(
      `${sentence(`${name} does not know this request (${status})`, said.words)} Check ${options.url}.`,
    );
  return final(sentence(`${name} rejected it (${status})`, said.words));
}

/** Whether a 404 is about the requested object, and not about a wrong URL. */
export function saysGone(vendor: Vendor, answer: VendorAnswer): boolean {
  const { code, words } = saidIn(vendor, answer);
  return code !== null || (words !== null && !/^not found$/i.test(words));
}

function secondsUntilRetry({ clock }: Vendor, { headers }: VendorAnswer): number | null {
  const now = clock.now();
  const at = retryAfter(headers, now);
  return at === null ? null : Math.ceil((at - now) / 1000);
}

/**
 * Reads the error formats: `{detail}` of FastAPI as a string, an object, or a list of fields; `{error}` as used by
 * OpenAI and compatible servers, also inside `detail`; `{title, message, error_code}`; and plain text.
 */
export function saidIn({ secrets }: Vendor, { status, headers, body }: VendorAnswer): Said {
  const json = jsonOf({ body });
  if (json === undefined) {
    const isPlain = /^text\/plain/i.test(headers.get("content-type") ?? "");
    return { status, code: null, words: isPlain ? quote(Buffer.from(body).toString("utf8"), secrets) : null };
  }
  const outer = isObject(json) ? (json["detail"] ?? json["error"] ?? json) : json;
  const inner = isObject(outer) && isObject(outer["error"]) ? outer["error"] : outer;
  if (!isObject(inner)) return { status, code: null, words: quote(wordsOf(inner), secrets) };
  const words = wordsOf(inner["message"]) ?? wordsOf(inner["error"]) ?? wordsOf(inner["title"]);
  return { status, code: codeOf(inner), words: quote(words, secrets) };
}

function codeOf(error: Readonly<Record<string, unknown>>): string | null {
  const code = [error["status"], error["error_code"], error["code"], error["type"]].find(
    (each) => typeof each === "string" && each !== "",
  );
  return typeof code === "string" ? code.slice(0, 100) : null;
}

/** Returns a string, or the invalid fields of a request: "voice_name: Field required". */
function wordsOf(said: unknown): string | null {
  if (typeof said === "string") return said;
  if (!Array.isArray(said)) return null;
  const fields = said.slice(0, 5).flatMap((each: unknown) => {
    if (!isObject(each)) return typeof each === "string" ? [each] : [];
    const place = Array.isArray(each["loc"]) ? each["loc"].filter((part) => part !== "body").join(".") : "";
    const message = wordsOf(each["msg"]) ?? wordsOf(each["error"]) ?? "is wrong";
    return [place === "" ? message : `${place}: ${message}`];
  });
  return fields.length === 0 ? null : fields.join("; ");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

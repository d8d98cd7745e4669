import { Type, type Static } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { canonicalEmail, extractEmailAddress } from "../../../platform/identity/email.ts";
import { allFields, isList, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { Finding, Subject } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { addressInDoubt } from "../../../features/enrichment/verdicts.ts";
import { numberAt, textAt, textsAt, valueAt } from "../json-path.ts";
import { askVendor, usualRefusal, type VendorWorld } from "./vendor.ts";
import { parseToml } from "../../../platform/base/toml.ts";

const subjectFields = ["email", "networkUrl", "firstName", "lastName", "company", "domain"] as const;

/** Any vendor with an HTTP and JSON interface, described in the configuration. */
export const VendorMapping = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z][a-z0-9-]{0,39}$" }),
    /** Placeholders such as {email}, {domain}, and {secret} are replaced by URL-encoded values. The host is fixed. */
    url: Type.String({ pattern: "^https?://[^/{}?#\\s]+([/?].*)?$" }),
    method: Type.Optional(Type.Union([Type.Literal("GET"), Type.Literal("POST")])),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** JSON. Placeholders in its strings are replaced; strings with an unknown value are omitted. */
    body: Type.Optional(Type.Unknown()),
    /** Environment variable that contains {secret}. */
    "secret-env": Type.Optional(Type.String({ minLength: 1 })),
    /** Alternative sets of required fields, joined by +: ["email", "firstName+lastName+domain"]. */
    needs: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    /** Path of each field in the response: "companyInfo.name" = "data.company.name". */
    fields: Type.Record(Type.String(), Type.String({ minLength: 1 })),
    /** From 0 to 1, or the path of a number, which is divided by `confidence-scale`. */
    confidence: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.String({ minLength: 1 })])),
    "confidence-scale": Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    /** Price of a match in the vendor's own credits. */
    spends: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);
export type VendorMapping = Static<typeof VendorMapping>;

const File = Type.Object({ vendor: Type.Array(VendorMapping) }, { additionalProperties: false });
const defaultConfidence = 0.7;

/**
 * Reads a TOML file of vendors (`[[vendor]]`). Throws a RangeError with the first problem. `secretOf` returns an
 * environment variable.
 */
export function readVendorMappings(toml: string): VendorMapping[] {
  const parsed: unknown = parseToml(toml);
  const check = TypeCompiler.Compile(File);
  if (!check.Check(parsed)) {
    const [problem] = check.Errors(parsed);
    throw new RangeError(`${problem?.path.slice(1).replaceAll("/", ".") || "file"}: ${problem?.message ?? "invalid"}.`);
  }
  for (const vendor of parsed.vendor) checkNames(vendor);
  return parsed.vendor;
}

function checkNames({ name, needs, fields }: VendorMapping): void {
  const wrongField = Object.keys(fields).find((field) => !(allFields as readonly string[]).includes(field));
  if (wrongField !== undefined) throw new RangeError(`${name}: unknown field "${wrongField}".`);
  const known: readonly string[] = subjectFields;
  const wrongNeed = needs.flatMap((set) => set.split("+")).find((field) => !known.includes(field));
  if (wrongNeed !== undefined)
    throw new RangeError(`${name}: unknown requirement "${wrongNeed}". Expected ${subjectFields.join(", ")}.`);
}

export function createHttpVendor(world: VendorWorld, vendor: VendorMapping, secret: string | null): EnrichmentProvider {
  const needs = vendor.needs.map((set) => set.split("+") as (keyof Subject)[]);
  const fields = Object.keys(vendor.fields) as EnrichField[];
  const spends = vendor.spends ?? 1;
  const isKnown = (subject: Subject, set: readonly (keyof Subject)[]) => set.every((field) => subject[field] !== null);
  const asksForAddressOnly = fields.length === 1 && fields[0] === "email";

  /**
   * Returns the values for a query, or null if a required one is unknown. A vendor that only returns an address can
   * find one from the other fields, or verify a doubtful one; so it verifies a guessed address if there is no other way
   * to query it.
   */
  function question(subject: Subject): { known: Subject; isAboutAddress: boolean } | null {
    const { email, emailIsRefuted = false } = subject;
    const ways = asksForAddressOnly ? [emailIsRefuted ? null : email, addressInDoubt(subject)] : [email];
    for (const way of ways) {
      const known = { ...subject, email: way };
      const set = needs.find((each) => isKnown(known, each));
      if (set !== undefined) return { known, isAboutAddress: asksForAddressOnly && set.includes("email") };
    }
    return null;
  }

  function verifies(subject: Subject): string | null {
    const asked = question(subject);
    return asked?.isAboutAddress === true ? asked.known.email : null;
  }

  return {
    name: vendor.name,
    spends,
    fields,
    fieldsFor: (subject) => (question(subject) === null ? [] : fields),
    verifies,

    async lookUp(subject, { signal }) {
      const { emailIsRefuted: _refuted, emailIsFormer: _former, ...known } = question(subject)?.known ?? subject;
      const values = { ...known, secret };
      const body = vendor.body === undefined ? undefined : filledBody(vendor.body, values);
      const answer = await askVendor(world, {
        method: vendor.method ?? (body === undefined ? "GET" : "POST"),
        url: filled(vendor.url, values, encodeURIComponent),
        headers: Object.fromEntries(
          Object.entries(vendor.headers ?? {}).map(([name, text]) => [name, filled(text, values)]),
        ),
        ...(body !== undefined && { body: { json: body } }),
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const findings = verdictsAmong(findingsIn(answer.body, vendor), verifies(subject));
      if (findings.length === 0) return { kind: "none", spent: 0 };
      return { kind: "found", findings, spent: spends };
    },
  };
}

function verdictsAmong(findings: Finding[], verified: string | null): Finding[] {
  const isVerdict = ({ value }: Finding) =>
    verified !== null && typeof value === "string" && isSameAddress(value, verified);
  return findings.map((finding) => (isVerdict(finding) ? { ...finding, verifies: true } : finding));
}

function isSameAddress(said: string, asked: string): boolean {
  const address = extractEmailAddress(said);
  return address !== null && canonicalEmail(address) === canonicalEmail(asked);
}

type Values = Record<string, string | null>;

/** Unknown values are empty. */
function filled(template: string, values: Values, encode = (text: string) => text): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? encode(values[name] ?? "") : whole,
  );
}

function filledBody(template: unknown, values: Values): unknown {
  if (typeof template === "string") return filled(template, values);
  if (Array.isArray(template)) return template.map((item) => filledBody(item, values));
  if (typeof template !== "object" || template === null) return template;
  const entries = Object.entries(template).filter(([, value]) => typeof value !== "string" || !lacks(value, values));
  return Object.fromEntries(entries.map(([name, value]) => [name, filledBody(value, values)]));
}

function lacks(template: string, values: Values): boolean {
  return [...template.matchAll(/\{(\w+)\}/g)].some(([, name = ""]) => values[name] === null);
}

function findingsIn(body: unknown, vendor: VendorMapping): Finding[] {
  const confidence = confidenceIn(body, vendor);
  return Object.entries(vendor.fields).flatMap(([name, path]): Finding[] => {
    const field = name as EnrichField; // checked when the file was read
    const value = isList(field) ? textsAt(body, path) : (textAt(body, path) ?? firstText(valueAt(body, path)));
    return value === null || value.length === 0 ? [] : [{ field, value, confidence }];
  });
}

function firstText(value: unknown): string | null {
  return textsAt(value, "")[0] ?? null;
}

function confidenceIn(body: unknown, { confidence = defaultConfidence, "confidence-scale": scale = 1 }: VendorMapping) {
  if (typeof confidence === "number") return confidence;
  return Math.min(1, Math.max(0, (numberAt(body, confidence) ?? 0) / scale));
}

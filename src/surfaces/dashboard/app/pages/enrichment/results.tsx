import type { EnrichmentFailure, EnrichmentResult } from "../../../../../features/enrichment/model.ts";
import { count, counted } from "../../format.ts";
import { nameOf } from "../../person.ts";
import { Link } from "../../router.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { DateTime } from "../../ui/time.tsx";
import { fieldLabel } from "./field-labels.ts";

type Answer = {
  enriched: EnrichmentResult[];
  failed: EnrichmentFailure[];
  creditsUsed: number;
  remainingCredits: number;
};

/**
 * Enrichment results: each field with its source and confidence, and the people without results. `name` is the name of
 * the person if there is only one.
 */
export function Results({ answer, name }: { answer: Answer; name?: string | undefined }) {
  const { enriched, failed, creditsUsed, remainingCredits } = answer;
  return (
    <>
      <p class="enriched-sum" role="status">
        <strong>{counted(enriched.length, "person", "people")} enriched</strong>
        {failed.length > 0 && `, ${failed.length} without results`}. {counted(creditsUsed, "credit")} used,{" "}
        {count(remainingCredits)} left.
      </p>
      {enriched.map((result) => (
        <ResultCard
          key={result.index}
          result={result}
          name={name ?? inputName({ ...result.enrichedData, ...result.input })}
        />
      ))}
      {failed.length > 0 && (
        <Section title="Nothing found">
          <ul class="failures">
            {failed.map(({ index, input, message, retryable }) => (
              <li key={index} class="card two-lines">
                <span>
                  {inputName(input)} {retryable && <Badge tone="warn">Try again later</Badge>}
                </span>
                <span>{message}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function ResultCard({ result, name }: { result: EnrichmentResult; name: string }) {
  const { enrichedData, fieldConfidence, provenance, confidence, creditsUsed, fromCache } = result;
  const { emailVerification: verified } = result;
  const fields = fieldsOf(enrichedData);
  return (
    <section class="card enriched">
      <header>
        <h2>{name}</h2>
        <p class="badges">
          {fields.length > 0 && (
            <Badge tone={confidence >= 0.8 ? "good" : confidence >= 0.5 ? "info" : "warn"}>
              {Math.round(confidence * 100)}% confidence
            </Badge>
          )}
          {verified && (
            <Badge tone={verdictTones[verified.verdict]}>
              {verified.email}: {verified.verdict} ({verified.provider})
            </Badge>
          )}
          <Badge>{fromCache ? "Cached, free" : counted(creditsUsed, "credit")}</Badge>
          {result.unavailable && (
            <Badge tone="warn">Unavailable, try again later: {result.unavailable.join(", ")}</Badge>
          )}
          {result.writtenBack && result.writtenBack.length > 0 && (
            <Badge tone="info">Filled in: {result.writtenBack.join(", ")}</Badge>
          )}
          {result.leadId !== undefined && <Link to={`/leads/${result.leadId}`}>View lead</Link>}
        </p>
      </header>
      {fields.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label={`Results for ${name}`}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Value</th>
                <th scope="col">Confidence</th>
                <th scope="col">Source</th>
                <th scope="col" class="hide-small">
                  Date
                </th>
              </tr>
            </thead>
            <tbody>
              {fields.map(([name, value]) => {
                const sure = fieldConfidence[name];
                const origin = provenance[name];
                return (
                  <tr key={name}>
                    <th scope="row">{fieldLabel(name)}</th>
                    <td>{value}</td>
                    <td>{sure !== undefined && <ConfidenceMeter share={sure} />}</td>
                    <td>{origin?.provider}</td>
                    <td class="hide-small">{origin && <DateTime at={origin.at} />}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const verdictTones = { valid: "good", uncertain: "info", invalid: "warn" } as const;

function ConfidenceMeter({ share }: { share: number }) {
  return (
    <span class="sureness">
      <span class="meter-bar" aria-hidden="true">
        <span class="meter-used" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="number small">{Math.round(share * 100)}%</span>
    </span>
  );
}

/** Flattens nested fields to paths, the keys of provenance and confidence. Lists become one line. */
function fieldsOf(found: object, prefix = ""): [string, string][] {
  return Object.entries(found).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (Array.isArray(value)) return [[prefix + name, value.join(", ")]];
    if (typeof value === "object" && value !== null) return fieldsOf(value, `${prefix}${name}.`);
    return [[prefix + name, String(value)]];
  });
}

function inputName(input: Record<string, unknown>): string {
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : null);
  const named = nameOf({
    firstName: text("firstName"),
    lastName: text("lastName"),
    email: text("email"),
    company: text("company"),
    networkUrl: text("networkUrl"),
  });
  return named === "Unnamed lead" ? (text("leadId") ?? named) : named;
}

import { useState } from "preact/hooks";
import type { EnrichAnswer, EnrichmentResult } from "../../../../../features/enrichment/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api, RequestError } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Field } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showError } from "../../ui/toast.tsx";
import { fieldLabel } from "../enrichment/field-labels.ts";
import { companyDomain, saveCompany } from "./company-facts.ts";

type EnrichCompanyProps = { lead: LeadView; onClose: () => void; onSaved: () => void };
type Found = { answer: EnrichAnswer; saved: string[] | null };

/** Finds out more about the company of a lead. Shows the maximum cost first, and fills in what the lead lacks. */
export function EnrichCompanyDialog({ lead, onClose, onSaved }: EnrichCompanyProps) {
  const [name, setName] = useState(lead.company ?? "");
  const [guess] = useState(() => companyDomain(lead));
  const [domain, setDomain] = useState(guess);
  const [found, setFound] = useState<Found | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const company = { ...(name.trim() && { name: name.trim() }), ...(domain.trim() && { domain: domain.trim() }) };
  const isNamed = Object.keys(company).length > 0;

  const quote = useResource(
    async (signal) => {
      if (!isNamed) return null;
      try {
        const answer = await api.post<EnrichAnswer>(
          "/enrich/companies",
          { companies: [company] },
          { query: { dryRun: true }, signal },
        );
        return { ...answer.estimate, balance: answer.remainingCredits };
      } catch (error) {
        // An address of a mail provider says nothing about the company.
        if (domain === "" || domain !== guess || !(error instanceof RequestError) || error.status !== 400) throw error;
        setDomain("");
        return null;
      }
    },
    [name.trim(), domain.trim()],
  );
  // The estimate of other values, which no longer holds, is not shown.
  const estimate = quote.isLoading || quote.error !== null ? null : (quote.data ?? null);
  const { maxCredits = 0, isAffordable = false } = estimate ?? {};

  async function enrich() {
    setIsBusy(true);
    try {
      const answer = await api.post<EnrichAnswer>("/enrich/companies", { companies: [company] });
      const [result] = answer.enriched;
      // What was paid for is shown even if it cannot be saved.
      const saved = result && can("leads:write") ? await saveCompany(lead.id, result).catch(showError) : undefined;
      setFound({ answer, saved: saved ?? null });
      onSaved();
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  if (found !== null) return <FoundDialog {...found} onClose={onClose} />;
  return (
    <Dialog title="Enrich company" onClose={onClose}>
      <p>
        Providers are queried in your order. If nothing is found, you pay nothing; what the lead lacks is filled in, and
        existing values are never replaced.
      </p>
      <div class="fields">
        <Field label="Company">
          {(control) => (
            <input {...control} maxLength={300} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <Field label="Domain" hint="More reliable than the name.">
          {(control) => (
            <input
              {...control}
              maxLength={253}
              placeholder="example.com"
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <div role="status">
        {!isNamed ? (
          <p class="faint">Enter the name or the domain of the company.</p>
        ) : quote.error !== null ? (
          <p class="field-error">{messageOf(quote.error)}</p>
        ) : (
          <Loaded resource={quote} lines={1}>
            {() =>
              estimate !== null && (
                <p>
                  <strong>{maxCredits === 0 ? "Free" : `Up to ${counted(maxCredits, "credit")}`}</strong>
                  <span class="faint"> · {count(estimate.balance)} left</span>
                </p>
              )
            }
          </Loaded>
        )}
        {estimate !== null && !isAffordable && (
          <p class="notice warn">This exceeds your available credits. An admin can grant more.</p>
        )}
      </div>
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} disabled={!isAffordable} onClick={() => void enrich()}>
          Enrich company
        </Button>
      </footer>
    </Dialog>
  );
}

/** The reason at the field says more than that the request was invalid. */
function messageOf(error: RequestError): string {
  return error.fields[0]?.message ?? error.message;
}

function FoundDialog({ answer, saved, onClose }: Found & { onClose: () => void }) {
  const { enriched, failed, creditsUsed, remainingCredits } = answer;
  const [result] = enriched;
  return (
    <Dialog title={result === undefined ? "Nothing found" : "Company enriched"} onClose={onClose}>
      {failed.map(({ index, message }) => (
        <p key={index}>{message}</p>
      ))}
      {result !== undefined && <Facts facts={factsOf(result)} />}
      {result?.unavailable && <p class="notice warn">Unavailable, try again later: {result.unavailable.join(", ")}</p>}
      <p class="faint">
        {counted(creditsUsed, "credit")} used, {count(remainingCredits)} left.
        {result !== undefined &&
          saved !== null &&
          (saved.length > 0 ? ` Filled in: ${saved.join(", ")}.` : " The lead lacked none of these.")}
      </p>
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}

function factsOf({ enrichedData: { companyInfo = {} } }: EnrichmentResult): [string, string][] {
  return Object.entries(companyInfo).map(([name, value]) => [fieldLabel(`companyInfo.${name}`), value]);
}

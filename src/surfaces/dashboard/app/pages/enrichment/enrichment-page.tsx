import { useState } from "preact/hooks";
import type { EnrichInput, Estimate, EnrichAnswer } from "../../../../../features/enrichment/model.ts";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api, RequestError } from "../../api.ts";
import { counted } from "../../format.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { here, Link } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { showError } from "../../ui/toast.tsx";
import { EnrichmentJob } from "./enrichment-job.tsx";
import { Results } from "./results.tsx";
import { leadsOfTag, peopleIn, type LeadToEnrich } from "./people.ts";

const ways = [
  { name: "person", label: "One person" },
  { name: "list", label: "A list" },
  { name: "tag", label: "Your leads" },
] as const;
type Way = (typeof ways)[number]["name"];

const emptyPerson = {
  email: "",
  networkUrl: "",
  firstName: "",
  lastName: "",
  company: "",
  list: "",
  tag: "",
};
const yes: boolean = true;
const no: boolean = false;

type Quote = { input: EnrichInput; estimate: Estimate; balance: number };
type Outcome = { kind: "answer"; answer: EnrichAnswer } | { kind: "job"; id: string };

/** Enriches people. The maximum cost is shown before any provider is queried. */
export function EnrichmentPage() {
  const leadId = here.value.query.get("lead");
  const jobId = here.value.query.get("job");
  const [way, setWay] = useState<Way>("person");
  const [quote, setQuote] = useState<Quote | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(jobId === null ? null : { kind: "job", id: jobId });
  const [isBusy, setIsBusy] = useState(false);

  const form = useForm(
    { ...emptyPerson, personal: yes, companyInfo: yes, social: yes, contact: yes, writeBack: yes, refresh: no },
    async (values) => {
      const leads = await leadsToEnrich(leadId, way, values);
      const input: EnrichInput = {
        leads,
        enrichmentOptions: {
          includePersonalInfo: values.personal,
          includeCompanyInfo: values.companyInfo,
          includeSocialProfiles: values.social,
          includeContactInfo: values.contact,
        },
        refresh: values.refresh,
        ...(leads.some((lead) => lead.leadId !== undefined) && { writeBack: values.writeBack }),
      };
      const { estimate, remainingCredits } = await api.post<EnrichAnswer>("/enrich", input, {
        query: { dryRun: true },
        headers: preferenceFor(leads),
      });
      if (estimate !== undefined) setQuote({ input, estimate, balance: remainingCredits });
    },
  );

  async function enrich({ input }: Quote) {
    setIsBusy(true);
    try {
      const answer = await api.post<EnrichAnswer | JobView>("/enrich", input, { headers: preferenceFor(input.leads) });
      setOutcome("enriched" in answer ? { kind: "answer", answer } : { kind: "job", id: answer.id });
      setQuote(null);
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  const lead = useResource(
    async (signal) => (leadId === null ? null : api.get<LeadView>(`/leads/${leadId}`, { signal })),
    [leadId],
  );
  const isOfLeads = leadId !== null || way === "tag";
  return (
    <PageFrame
      title={lead.data ? `Enrich ${nameOf(lead.data)}` : "Enrichment"}
      {...(leadId !== null && { back: { to: `/leads/${leadId}`, label: "Back to lead" } })}
      lead="Providers are queried in your order until each field has enough confidence. If nothing is found, you pay nothing."
      actions={
        <Link to="/settings?part=providers" class="button plain">
          Providers
        </Link>
      }
    >
      {quote !== null ? (
        <EstimateCard quote={quote} isBusy={isBusy} onGo={() => void enrich(quote)} onBack={() => setQuote(null)} />
      ) : (
        <form class="card form" onSubmit={form.onSubmit}>
          <FormError form={form} />
          {leadId !== null ? (
            <>
              {lead.error && <ErrorState error={lead.error} retry={lead.reload} />}
              <p>
                {lead.data && describeKnownFields(lead.data)} <Link to="/enrichment">Select another person</Link>
              </p>
            </>
          ) : (
            <Tabs label="People to enrich" tabs={ways} chosen={way} choose={setWay}>
              {way === "person" && (
                <div class="fields">
                  <TextField form={form} name="email" label="Email" isOptional />
                  <TextField form={form} name="networkUrl" label="Profile" isOptional />
                  <TextField form={form} name="firstName" label="First name" isOptional />
                  <TextField form={form} name="lastName" label="Last name" isOptional />
                  <TextField
                    form={form}
                    name="company"
                    label="Company"
                    isOptional
                    hint="Enter an email address, a profile URL, or the full name and company."
                  />
                </div>
              )}
              {way === "list" && (
                <TextArea
                  form={form}
                  name="list"
                  label="People"
                  rows={8}
                  spellcheck={false}
                  hint="One per line, up to 10,000: an email address, a profile URL, or first name, last name, company."
                />
              )}
              {way === "tag" && (
                <TextField
                  form={form}
                  name="tag"
                  label="Leads with the tag"
                  maxLength={100}
                  hint="Up to 10,000 leads, oldest first."
                />
              )}
            </Tabs>
          )}
          <fieldset class="plain-set">
            <legend>Fields to find</legend>
            <div class="check-grid">
              <CheckField form={form} name="contact" label="Email and phone" />
              <CheckField form={form} name="personal" label="Name, job, and location" />
              <CheckField form={form} name="companyInfo" label="Company" />
              <CheckField form={form} name="social" label="Profiles" />
            </div>
          </fieldset>
          {isOfLeads && (
            <CheckField
              form={form}
              name="writeBack"
              label="Fill in empty fields of the leads"
              hint="Existing values are never replaced."
            />
          )}
          <CheckField
            form={form}
            name="refresh"
            label="Ignore cached results"
            hint="Query providers even if a free result from the last 90 days is available."
          />
          <div class="buttons">
            <Button kind="primary" type="submit" isBusy={form.isBusy}>
              Check cost
            </Button>
          </div>
        </form>
      )}
      {outcome?.kind === "answer" && (
        <Results answer={outcome.answer} name={lead.data ? nameOf(lead.data) : undefined} />
      )}
      {outcome?.kind === "job" && <EnrichmentJob key={outcome.id} id={outcome.id} />}
    </PageFrame>
  );
}

async function leadsToEnrich(leadId: string | null, way: Way, values: typeof emptyPerson): Promise<LeadToEnrich[]> {
  if (leadId !== null) return [{ leadId }];
  const leads =
    way === "tag"
      ? await leadsOfTag(values.tag.trim())
      : way === "list"
        ? peopleIn(values.list)
        : peopleIn([values.email || values.networkUrl, values.firstName, values.lastName, values.company]);
  if (leads.length === 0)
    throw new RequestError(way === "tag" ? "No leads have this tag." : "Enter at least one person to enrich.");
  return leads;
}

/** Asks for a job, whose progress the page can show. For a few people, waiting for the response is faster. */
function preferenceFor({ length }: readonly LeadToEnrich[]): Record<string, string> {
  return length > directPeople ? { prefer: "respond-async" } : {};
}

const directPeople = 50;

/** The values that providers look the person up by. */
function describeKnownFields({ email, networkUrl, company }: LeadView): string {
  const known = [email, networkUrl, company].filter(Boolean);
  return known.length === 0 ? "Only the name is known." : `Known so far: ${known.join(", ")}.`;
}

function EstimateCard({
  quote: { estimate, balance },
  isBusy,
  onGo,
  onBack,
}: {
  quote: Quote;
  isBusy: boolean;
  onGo: () => void;
  onBack: () => void;
}) {
  const { leads, free, maxCredits, isAffordable, mode, providers } = estimate;
  return (
    <div class="card form" role="status">
      <h2>{maxCredits === 0 ? "Free" : `Up to ${counted(maxCredits, "credit")}`}</h2>
      <dl class="facts">
        <dt>People</dt>
        <dd>
          {counted(leads, "person", "people")}
          {free > 0 && `, ${free} for free`}
        </dd>
        <dt>Balance</dt>
        <dd>{counted(balance, "credit")}</dd>
        <dt>Providers</dt>
        <dd>{providers.join(", then ") || "None"}</dd>
        <dt>Results</dt>
        <dd>{mode === "direct" ? "Immediately, within 60 seconds" : "As a background job that you can follow"}</dd>
      </dl>
      {!isAffordable && <p class="notice warn">This exceeds your available credits. An admin can grant more.</p>}
      <div class="buttons">
        <Button kind="primary" isBusy={isBusy} disabled={!isAffordable} onClick={onGo}>
          {maxCredits === 0 ? "Show known data" : `Enrich for up to ${counted(maxCredits, "credit")}`}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}

import type { CreditsView } from "../../../../../features/credits/model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";

/** Credits left for enrichment and searches. */
export function CreditsCard() {
  if (!can("leads:enrich") && !can("prospecting:search") && !can("users:read")) return null;
  return <Credits />;
}

function Credits() {
  const credits = useResource((signal) => api.get<CreditsView>("/credits", { signal, priority: "low" }), [], {
    pollMs: 30_000,
    events: ["credits.", "enrichment.", "prospect."],
  });
  return (
    <div class="card">
      <Section title="Credits">
        <Loaded resource={credits} lines={3}>
          {({ balance, reserved, monthlyGrant, costs, budget }) => (
            <>
              <p class="big-number number">{count(balance)}</p>
              <dl class="facts">
                {reserved > 0 && (
                  <>
                    <dt>Reserved</dt>
                    <dd class="number">{count(reserved)}</dd>
                  </>
                )}
                <dt>Monthly grant</dt>
                <dd class="number">+{count(monthlyGrant)}</dd>
                <dt>Per enrichment</dt>
                <dd class="number">{count(costs.enrichment)}</dd>
                <dt>Per prospect</dt>
                <dd class="number">{count(costs.search)}</dd>
                {budget && (
                  <>
                    <dt>Left for this key</dt>
                    <dd class="number">{count(budget.remaining)}</dd>
                  </>
                )}
              </dl>
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

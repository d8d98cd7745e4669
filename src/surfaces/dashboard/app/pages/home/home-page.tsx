import { can, session } from "../../session.ts";
import { PageFrame } from "../../ui/page.tsx";
import { Link } from "../../router.tsx";
import { AccountMeters } from "./account-meters.tsx";
import { Attention } from "./attention.tsx";
import { CreditsCard } from "./credits-card.tsx";
import { JobsChart } from "./jobs-chart.tsx";
import { NextActions, Today } from "./day.tsx";

/** An overview: what needs attention, what happened today, what comes next, and how much of each cap is left. */
export function HomePage() {
  const user = session.value?.user;
  const sees = { network: can("network:read"), jobs: can("users:read") };
  return (
    <PageFrame
      title={user?.name ? `Hello, ${user.name}` : "Hello"}
      actions={
        <>
          <Link to="/leads" class="button plain">
            Select leads
          </Link>
          <Link to="/work" class="button primary">
            Work list
          </Link>
        </>
      }
    >
      <Attention />
      <div class="home">
        {sees.network && <NextActions />}
        {(sees.network || sees.jobs) && <Today />}
        {sees.jobs && <JobsChart />}
        <CreditsCard />
      </div>
      {sees.network && <AccountMeters />}
    </PageFrame>
  );
}

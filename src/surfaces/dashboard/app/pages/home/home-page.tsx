import { can, session } from "../../session.ts";
import { PageFrame, Section } from "../../ui/page.tsx";
import { Link } from "../../router.tsx";
import { AccountMeters } from "./account-meters.tsx";
import { Attention } from "./attention.tsx";
import { Checklist } from "./checklist.tsx";
import { CreditsCard } from "./credits-card.tsx";
import { JobsChart } from "./jobs-chart.tsx";
import { NextActions, Today } from "./day.tsx";
import { Replies } from "./replies.tsx";
import { Timeline } from "./timeline.tsx";
import { Weeks } from "./weeks.tsx";

/** What a salesperson asks first: how it goes, who waits, and what happens today. Then what keeps it running. */
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
      <Checklist />
      <Attention />
      {sees.network && (
        <div class="home">
          <Weeks />
          <Replies />
          <Timeline />
          <NextActions />
          <Today />
        </div>
      )}
      <Section title="Operations">
        <div class="home">
          {sees.jobs && <JobsChart />}
          <CreditsCard />
          {sees.jobs && !sees.network && <Today />}
        </div>
      </Section>
      {sees.network && <AccountMeters />}
    </PageFrame>
  );
}

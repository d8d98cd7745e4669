import { useState } from "preact/hooks";
import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { EnrollDialog } from "./enroll-dialog.tsx";

type NoEnrollmentsProps = { campaign: CampaignView; path: string; onEnrolled: () => void };

/** Shown instead of the leads and results of a campaign, with the way to enroll the first leads. */
export function NoEnrollments({ campaign, path, onEnrolled }: NoEnrollmentsProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (campaign.state === "canceled")
    return (
      <EmptyState icon="leads" title="No leads were enrolled">
        <p>The campaign was canceled. Duplicate it to enroll leads in a copy.</p>
      </EmptyState>
    );
  return (
    <>
      <EmptyState icon="leads" title="No leads enrolled">
        <p>
          Leads and results appear here as soon as leads are enrolled. Before you confirm, you see which leads can’t be
          enrolled and why.
        </p>
        {can("network:schedule") && (
          <Button kind="primary" onClick={() => setIsOpen(true)}>
            Enroll leads
          </Button>
        )}
      </EmptyState>
      {isOpen && (
        <EnrollDialog campaign={campaign} path={path} onClose={() => setIsOpen(false)} onEnrolled={onEnrolled} />
      )}
    </>
  );
}

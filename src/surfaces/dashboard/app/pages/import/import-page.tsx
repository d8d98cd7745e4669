import type { JobView } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import type { PageProps } from "../../page-props.ts";
import { useResource } from "../../resource.ts";
import { navigate } from "../../router.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { ImportJob } from "./import-job.tsx";
import { ImportWizard } from "./import-wizard.tsx";

export function ImportPage() {
  return (
    <PageFrame
      title="Import leads"
      back={{ to: "/leads", label: "Leads" }}
      lead="Import people from a CSV, Excel, or NDJSON file, exported from a spreadsheet or another service."
    >
      <ImportWizard />
    </PageFrame>
  );
}

/** The report of an import, for as long as its job is kept. */
export function ImportReportPage({ params: { jobId = "" } }: PageProps) {
  const job = useResource((signal) => api.get<JobView>(`/users/jobs/${jobId}`, { signal }), [jobId]);
  const another = () => navigate("/leads/import");
  return (
    <PageFrame title="Import report" back={{ to: "/leads", label: "Leads" }}>
      <Loaded resource={job}>
        {(started) => <ImportJob started={started} onChange={another} onImport={another} onAnother={another} />}
      </Loaded>
    </PageFrame>
  );
}

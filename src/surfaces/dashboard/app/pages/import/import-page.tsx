import { PageFrame } from "../../ui/page.tsx";
import { ImportWizard } from "./import-wizard.tsx";

export function ImportPage() {
  return (
    <PageFrame
      title="Import leads"
      back={{ to: "/leads", label: "Leads" }}
      lead="Import people from a CSV or NDJSON file, exported from a spreadsheet or another service."
    >
      <ImportWizard />
    </PageFrame>
  );
}

import { PageFrame } from "../../ui/page.tsx";
import { ImportWizard } from "./import-wizard.tsx";

export function ImportPage() {
  return (
    <PageFrame
      title="Import leads"
      back={{ to: "/leads", label: "Leads" }}
      lead="A list of people as CSV or NDJSON, from a spreadsheet or another service."
    >
      <ImportWizard />
    </PageFrame>
  );
}

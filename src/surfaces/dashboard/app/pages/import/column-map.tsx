import type { ImportPreview } from "../../../../../features/leads/import/preview-model.ts";

type ColumnMapProps = { preview: ImportPreview; choose: (header: string, target: string) => void };

/** Maps each column of the file to a field. */
export function ColumnMap({ preview: { columns, targets }, choose }: ColumnMapProps) {
  return (
    <ul class="column-map">
      {columns.map(({ header, target }, index) => {
        const own = `customFields.${header.slice(0, maxFieldName) || `column ${index + 1}`}`;
        const chosen = target ?? "";
        const isOwn = chosen.startsWith("customFields.");
        return (
          <li key={index}>
            <label>
              <span class="column-name" title={header}>
                {header || <em>Column {index + 1} (unnamed)</em>}
              </span>
              <select
                value={chosen}
                disabled={header === ""}
                onChange={(event) => choose(header, event.currentTarget.value)}
              >
                {chosen === "" && <option value="">Select…</option>}
                {targets
                  .filter((one) => one !== "ignore")
                  .map((one) => (
                    <option key={one} value={one}>
                      {targetLabels[one] ?? one}
                    </option>
                  ))}
                <option value={isOwn ? chosen : own}>Custom field</option>
                <option value="ignore">Skip</option>
              </select>
            </label>
          </li>
        );
      })}
    </ul>
  );
}

/** The limit of the API is 100. */
const maxFieldName = 90;

const targetLabels: Record<string, string> = {
  firstName: "First name",
  lastName: "Last name",
  fullName: "Full name",
  email: "Email",
  company: "Company",
  title: "Job title",
  phone: "Phone",
  networkUrl: "Profile",
  industry: "Industry",
  location: "Location",
  city: "City",
  state: "State or region",
  country: "Country",
  source: "Source",
  notes: "Notes",
  status: "Status",
  tags: "Tags",
  customFields: "Custom fields (JSON)",
};

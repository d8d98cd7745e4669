import { downloadUrl } from "../../api.ts";
import type { FilterName } from "./lead-query.ts";
import { Menu } from "../../ui/menu.tsx";

/** Downloads what the list shows, all of its pages. */
export function ExportMenu({ filters }: { filters: Partial<Record<FilterName, string>> }) {
  return (
    <Menu label="Export" icon="download">
      {(["csv", "ndjson"] as const).map((format) => (
        <a key={format} href={downloadUrl("/leads/export", { ...filters, format })} download={`leads.${format}`}>
          {format === "csv" ? "CSV, for spreadsheets" : "NDJSON, for programs"}
        </a>
      ))}
    </Menu>
  );
}

import { downloadUrl } from "../../api.ts";
import type { Filters } from "./lead-query.ts";
import { Menu } from "../../ui/menu.tsx";

/** Downloads all leads that match the filters. */
export function ExportMenu({ filters }: { filters: Filters }) {
  return (
    <Menu label="Export" icon="download">
      {(["csv", "xlsx", "ndjson"] as const).map((format) => (
        <a key={format} href={downloadUrl("/leads/export", { ...filters, format })} download={`leads.${format}`}>
          {labels[format]}
        </a>
      ))}
    </Menu>
  );
}

const labels = { csv: "CSV (spreadsheets)", xlsx: "Excel workbook", ndjson: "NDJSON (programs)" };

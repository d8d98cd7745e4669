import type { ImportPreview } from "../../../../../features/leads/import/preview-model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { nameOf } from "../../person.ts";

/** Previews the first rows of a file as leads. */
export function PreviewRows({ rows }: { rows: ImportPreview["rows"] }) {
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Preview of the first rows">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Name</th>
            <th scope="col">Email</th>
            <th scope="col">Company</th>
            <th scope="col" class="hide-small">
              Job title
            </th>
            <th scope="col" class="hide-medium">
              Custom fields
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, lead, errors }) => {
            if (lead === null)
              return (
                <tr key={row}>
                  <td class="number">{row}</td>
                  <td colSpan={5} class="bad-text">
                    {errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join(" ")}
                  </td>
                </tr>
              );
            // The preview returns the fields of the lead model.
            const { email, company, title, customFields, ...names } = lead as unknown as LeadView;
            return (
              <tr key={row}>
                <td class="number">{row}</td>
                <td>{nameOf({ ...names, email: null, company: null })}</td>
                <td>{email}</td>
                <td>{company}</td>
                <td class="hide-small">{title}</td>
                <td class="hide-medium faint small">
                  {Object.entries(customFields)
                    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
                    .join(" · ")
                    .slice(0, shownCharacters)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const shownCharacters = 200;

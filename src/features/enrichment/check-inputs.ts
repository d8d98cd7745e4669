import { pause } from "../../lib/concurrency/pause.ts";
import { invalid, type FieldError } from "../../platform/base/errors.ts";
import { companyOf } from "./companies.ts";
import type { EnrichSettings, NumberedLead } from "./enricher.ts";
import { leadIdOf, personOf } from "./people.ts";

/** Throws VALIDATION_ERROR with the index of each invalid lead or company. */
export async function checkInputs(leads: readonly NumberedLead[], settings: EnrichSettings): Promise<void> {
  const { writeBack, isOfCompanies } = settings;
  const name = isOfCompanies ? "companies" : "leads";
  const errors: FieldError[] = [];
  for (const { n, input } of leads) {
    if (errors.length >= maxErrors) break;
    if (n > 0 && n % checkBatchSize === 0) await pause();
    const checked = isOfCompanies ? companyOf(n, input) : personOf(n, input, null);
    for (const { path, message } of "errors" in checked ? checked.errors : [])
      errors.push({ path: [name, n, path].filter((part) => part !== "").join("."), index: n, message });
    if (writeBack && leadIdOf(input) === null)
      errors.push({
        path: `leads.${n}.leadId`,
        index: n,
        message: "Required for writeBack: send the leadId of the lead to update.",
      });
  }
  if (errors.length > 0) throw invalid(errors);
}

/** Checking this many leads takes a few milliseconds. */
const checkBatchSize = 500;

/** More errors do not help the user, and a response should not be many times larger than its request. */
const maxErrors = 100;

import type { Verdict } from "../../../features/enrichment/model.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import { suppressionKey } from "../../../features/suppression/key.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

type Row = Omit<Verdict, "email">;

/** Results of email verifiers. Addresses are stored as hashes. Synchronous. */
export function createVerdictRows({ database }: Engine) {
  // Plain statements: they run several times for each lead.
  const byKey = prepared<Row, [number, Uint8Array, number]>(
    database,
    "SELECT provider, confidence, at FROM email_verdicts WHERE owner = ? AND key = ? AND at >= ?",
  );
  const put = prepared(
    database,
    `INSERT INTO email_verdicts (owner, key, provider, confidence, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET confidence = excluded.confidence, at = excluded.at WHERE excluded.at >= at`,
  );
  const removeAll = prepared(database, "DELETE FROM email_verdicts WHERE owner = ? AND key = ?");
  const removeOlder = prepared(database, "DELETE FROM email_verdicts WHERE owner = ? AND key = ? AND at < ?");
  const forget = prepared(
    database,
    `DELETE FROM email_verdicts WHERE (owner, key, provider) IN
       (SELECT owner, key, provider FROM email_verdicts WHERE at < ? LIMIT ?)`,
  );

  function of(owner: number, emails: readonly string[], since: number): Verdict[] {
    return emails.flatMap((email) => byKey.all(owner, keyOf(email), since).map((row) => ({ email, ...row })));
  }

  /** Replaces verdicts on the same addresses from before `since`; null: all of them. */
  function replace(owner: number, verdicts: readonly Verdict[], since: number | null): void {
    for (const { email } of verdicts)
      if (since === null) removeAll.run(owner, keyOf(email));
      else removeOlder.run(owner, keyOf(email), since);
    for (const { email, provider, confidence, at } of verdicts) put.run(owner, keyOf(email), provider, confidence, at);
  }

  /** Returns how many. */
  function forgetBefore(before: number, limit: number): number {
    return forget.run(before, limit).changes;
  }

  return { of, replace, forgetBefore };
}

function keyOf(email: string): Uint8Array {
  return suppressionKey("email", canonicalEmail(email));
}

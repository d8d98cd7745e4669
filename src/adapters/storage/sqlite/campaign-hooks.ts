import type { News } from "../../../features/network/contact-model.ts";
import type { Engine } from "./engine.ts";

export type CampaignHooks = ReturnType<typeof createCampaignHooks>;

/** What campaigns want to know of actions and people, inside the write units that change them. */
export function createCampaignHooks({ database }: Engine) {
  const wake = database.query(
    "UPDATE campaign_enrollments SET wake_at = ?, version = version + 1 WHERE id = ? AND state = 'active'",
  );
  const person = "profile_key = ? AND account_id = ? AND state = 'active'";
  const accepted = database.query(
    `UPDATE campaign_enrollments SET connected_at = coalesce(connected_at, ?),
       wake_at = iif(job_id IS NULL, ?, wake_at), version = version + 1 WHERE ${person}`,
  );
  // Whoever answers is looked at even while an action is on its way, because it may have to be taken back.
  const replied = database.query(
    `UPDATE campaign_enrollments SET replied_at = coalesce(replied_at, ?), wake_at = ?, version = version + 1
     WHERE ${person} AND created_at <= ?`,
  );
  // The last step often is the one that is answered. Only the campaign that wrote last gets the credit, and nothing wakes.
  const ended = "profile_key = ? AND account_id = ? AND state <> 'active' AND campaign_id = ? AND created_at <= ?";
  const acceptedLate = database.query(
    `UPDATE campaign_enrollments SET connected_at = ? WHERE ${ended} AND connected_at IS NULL`,
  );
  const repliedLate = database.query(
    `UPDATE campaign_enrollments SET replied_at = ? WHERE ${ended} AND replied_at IS NULL`,
  );
  const beginAgain = database.query(
    "UPDATE campaign_enrollments SET job_id = NULL, wake_at = ?, version = version + 1 WHERE state = 'active'" +
      " AND id = (SELECT enrollment_id FROM network_actions WHERE job_id = ?)",
  );
  const running = database.query("SELECT 1 FROM campaigns WHERE id = ? AND state = 'running'");
  return {
    /** The action of its step has ended. */
    wake(enrollmentId: string | null, now: number): void {
      if (enrollmentId !== null) wake.run(now, enrollmentId);
    },
    /** `lastCampaignId`: the campaign of the account's last message or request to the person. */
    note(accountId: string, { profileKey, kind, at }: News, lastCampaignId: string | null, now: number): void {
      if (kind === "accepted") accepted.run(at, now, profileKey, accountId);
      else replied.run(at, now, profileKey, accountId, at);
      const late = kind === "accepted" ? acceptedLate : repliedLate;
      if (lastCampaignId !== null) late.run(at, profileKey, accountId, lastCampaignId, at);
    },
    /** The action of a step was taken back without an outcome: the step begins again when the campaign goes on. */
    beginAgain(jobId: string, now: number): void {
      beginAgain.run(now, jobId);
    },
    isRunning: (campaignId: string): boolean => running.get(campaignId) !== null,
  };
}

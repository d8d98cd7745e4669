-- trail: the steps that the lead has left, as [step, time, how].
ALTER TABLE campaign_enrollments ADD COLUMN trail TEXT NOT NULL DEFAULT '[]';
ALTER TABLE campaign_enrollments ADD COLUMN interested_at INTEGER;

-- By step: the variant that every further lead gets, once a test was decided.
ALTER TABLE campaigns ADD COLUMN winners TEXT NOT NULL DEFAULT '{}';

-- How many enrollments have a mark: a stage that they reached, a step that they left (both with a day, counted from 1970),
-- or their place (without).
CREATE TABLE campaign_funnel (
  campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  mark TEXT NOT NULL,
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  variant TEXT NOT NULL,
  enrollments INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, mark, day, account_id, step, variant)
) STRICT, WITHOUT ROWID;

-- Of enrollments that exist, the actions are known. Waits and branches that they have left are not.
CREATE TEMP TABLE campaign_contacts AS
SELECT a.enrollment_id AS id, a.campaign_step AS step, max(coalesce(a.carried_out_at, a.slot_at, a.updated_at)) AS at,
  min(CASE WHEN a.state = 'skipped' THEN 'skipped' WHEN a.action_type = 'sendConnectionRequest' THEN 'invited'
    WHEN a.action_type IN ('sendMessage', 'sendInMail', 'sendVoiceMessage') THEN 'messaged' ELSE 'done' END) AS exit
FROM network_actions AS a
WHERE a.enrollment_id IS NOT NULL AND a.campaign_step IS NOT NULL AND a.state IN ('completed', 'skipped')
GROUP BY a.enrollment_id, a.campaign_step;
CREATE INDEX temp.campaign_contacts_by_id ON campaign_contacts (id, at);

UPDATE campaign_enrollments SET trail = (
  SELECT json_group_array(json_array(step, at, exit)) FROM (
    SELECT step, at, exit FROM campaign_contacts AS c WHERE c.id = campaign_enrollments.id ORDER BY at, step
  )) WHERE id IN (SELECT id FROM campaign_contacts);

INSERT INTO campaign_funnel
SELECT campaign_id, mark, day, account_id, coalesce(step, -1), '', count(*) FROM (
  SELECT campaign_id, account_id, state AS mark, 0 AS day, at_step AS step FROM campaign_enrollments
  UNION ALL SELECT campaign_id, account_id, 'enrolled', created_at / 86400000, -1 FROM campaign_enrollments
  UNION ALL SELECT e.campaign_id, e.account_id, c.exit, c.at / 86400000, c.step
    FROM campaign_contacts AS c JOIN campaign_enrollments AS e ON e.id = c.id
  UNION ALL SELECT e.campaign_id, e.account_id, 'contacted', c.at / 86400000, c.step
    FROM campaign_enrollments AS e JOIN campaign_contacts AS c ON c.rowid = (
      SELECT f.rowid FROM campaign_contacts AS f WHERE f.id = e.id AND f.exit IN ('invited', 'messaged') ORDER BY f.at LIMIT 1)
  UNION ALL SELECT e.campaign_id, e.account_id, 'connected', e.connected_at / 86400000, coalesce(
      (SELECT step FROM campaign_contacts AS c WHERE c.id = e.id AND c.exit = 'invited' AND c.at <= e.connected_at
        ORDER BY c.at DESC LIMIT 1),
      (SELECT step FROM campaign_contacts AS c WHERE c.id = e.id AND c.exit = 'invited' ORDER BY c.at LIMIT 1))
    FROM campaign_enrollments AS e WHERE e.connected_at IS NOT NULL
  UNION ALL SELECT e.campaign_id, e.account_id, 'replied', e.replied_at / 86400000, coalesce(
      (SELECT step FROM campaign_contacts AS c WHERE c.id = e.id AND c.exit IN ('invited', 'messaged')
        AND c.at <= e.replied_at ORDER BY c.at DESC LIMIT 1),
      (SELECT step FROM campaign_contacts AS c WHERE c.id = e.id AND c.exit IN ('invited', 'messaged') ORDER BY c.at LIMIT 1))
    FROM campaign_enrollments AS e WHERE e.replied_at IS NOT NULL
) GROUP BY 1, 2, 3, 4, 5;
DROP TABLE campaign_contacts;

-- trail: the steps that the lead has left, as [step, time, how].
ALTER TABLE campaign_enrollments ADD COLUMN trail JSONB NOT NULL DEFAULT '[]';
ALTER TABLE campaign_enrollments ADD COLUMN interested_at BIGINT;

-- By step: the variant that every further lead gets, once a test was decided.
ALTER TABLE campaigns ADD COLUMN winners JSONB NOT NULL DEFAULT '{}';

-- How many enrollments have a mark: a stage that they reached, a step that they left (both with a day, counted from 1970),
-- or their place (without).
CREATE TABLE campaign_funnel (
  campaign_id TEXT COLLATE "C" NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  mark TEXT COLLATE "C" NOT NULL,
  day INTEGER NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  step INTEGER NOT NULL,
  variant TEXT COLLATE "C" NOT NULL,
  enrollments BIGINT NOT NULL,
  PRIMARY KEY (campaign_id, mark, day, account_id, step, variant)
);
-- Changes that are not part of it yet: to update its rows would make all who write wait for each other. No reference to
-- campaigns, whose lock comes before those of enrollments.
CREATE TABLE campaign_funnel_changes (
  n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id TEXT COLLATE "C" NOT NULL,
  mark TEXT COLLATE "C" NOT NULL,
  day INTEGER NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  step INTEGER NOT NULL,
  variant TEXT COLLATE "C" NOT NULL,
  enrollments BIGINT NOT NULL
);
CREATE INDEX campaign_funnel_changes_by_campaign ON campaign_funnel_changes (campaign_id);

-- Of enrollments that exist, the actions are known. Waits and branches that they have left are not.
CREATE TEMP TABLE campaign_contacts ON COMMIT DROP AS
SELECT e.id, a.campaign_step AS step, max(coalesce(a.carried_out_at, a.slot_at, a.updated_at)) AS at,
  min(CASE WHEN a.state = 'skipped' THEN 'skipped' WHEN a.action_type = 'sendConnectionRequest' THEN 'invited'
    WHEN a.action_type IN ('sendMessage', 'sendInMail', 'sendVoiceMessage') THEN 'messaged' ELSE 'done' END) AS exit
FROM campaign_enrollments AS e JOIN network_actions AS a ON a.campaign_id = e.campaign_id AND a.enrollment_id = e.id
WHERE a.campaign_step IS NOT NULL AND a.state IN ('completed', 'skipped')
GROUP BY e.id, a.campaign_step;
CREATE INDEX campaign_contacts_by_id ON campaign_contacts (id, at);

UPDATE campaign_enrollments AS e SET trail = t.trail FROM (
  SELECT id, jsonb_agg(jsonb_build_array(step, at, exit) ORDER BY at, step) AS trail FROM campaign_contacts GROUP BY id
) AS t WHERE t.id = e.id;

INSERT INTO campaign_funnel (campaign_id, mark, day, account_id, step, variant, enrollments)
SELECT campaign_id, mark, day, account_id, coalesce(step, -1), '', count(*) FROM (
  SELECT campaign_id, account_id, state AS mark, 0 AS day, at_step AS step FROM campaign_enrollments
  UNION ALL SELECT campaign_id, account_id, 'enrolled', created_at / 86400000, -1 FROM campaign_enrollments
  UNION ALL SELECT e.campaign_id, e.account_id, c.exit, c.at / 86400000, c.step
    FROM campaign_contacts AS c JOIN campaign_enrollments AS e ON e.id = c.id
  UNION ALL SELECT e.campaign_id, e.account_id, 'contacted', c.at / 86400000, c.step
    FROM campaign_enrollments AS e CROSS JOIN LATERAL (SELECT f.at, f.step FROM campaign_contacts AS f
      WHERE f.id = e.id AND f.exit IN ('invited', 'messaged') ORDER BY f.at, f.step LIMIT 1) AS c
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
) AS marks GROUP BY campaign_id, mark, day, account_id, coalesce(step, -1);

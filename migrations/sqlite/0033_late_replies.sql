-- Replies and acceptances also count for enrolments that have ended.
CREATE INDEX campaign_enrolments_of_profile ON campaign_enrolments (profile_key, account_id);
DROP INDEX campaign_enrolments_by_profile;

-- What came before this was counted only while the enrolment was active. A contact knows the campaign that wrote last.
UPDATE campaign_enrolments AS e SET replied_at = c.replied_at
FROM network_contacts AS c JOIN network_accounts AS a ON a.seq = c.account
WHERE e.state <> 'active' AND e.replied_at IS NULL AND c.profile_key = e.profile_key AND a.id = e.account_id
  AND c.campaign_id = e.campaign_id AND c.replied_at >= e.created_at;
UPDATE campaign_enrolments AS e SET connected_at = c.connected_at
FROM network_contacts AS c JOIN network_accounts AS a ON a.seq = c.account
WHERE e.state <> 'active' AND e.connected_at IS NULL AND c.profile_key = e.profile_key AND a.id = e.account_id
  AND c.campaign_id = e.campaign_id AND c.connected_at >= e.created_at;

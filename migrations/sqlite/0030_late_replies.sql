-- Replies and acceptances also count for enrollments that have ended.
CREATE INDEX campaign_enrollments_of_profile ON campaign_enrollments (profile_key, account_id);
DROP INDEX campaign_enrollments_by_profile;

-- What came before this was counted only while the enrollment was active. A contact knows the campaign that wrote last.
UPDATE campaign_enrollments AS e SET replied_at = c.replied_at
FROM network_contacts AS c JOIN network_accounts AS a ON a.seq = c.account
WHERE e.state <> 'active' AND e.replied_at IS NULL AND c.profile_key = e.profile_key AND a.id = e.account_id
  AND c.campaign_id = e.campaign_id AND c.replied_at >= e.created_at;
UPDATE campaign_enrollments AS e SET connected_at = c.connected_at
FROM network_contacts AS c JOIN network_accounts AS a ON a.seq = c.account
WHERE e.state <> 'active' AND e.connected_at IS NULL AND c.profile_key = e.profile_key AND a.id = e.account_id
  AND c.campaign_id = e.campaign_id AND c.connected_at >= e.created_at;

-- An index over phone numbers costs each new lead an eighth; the keys that leads are found by have room for theirs. As
-- `phoneKey` makes it: the last seven digits before an extension.
DROP INDEX leads_by_phone;
INSERT OR IGNORE INTO lead_keys (key, lead)
SELECT 4503599627370496 + owner * 10000000 + CAST(substr(digits, -7) AS INTEGER) AS key, seq
FROM (
  SELECT seq, owner, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    substr(number, 1, instr(number || 'x', 'x') - 1),
    'e', ''), 't', ''), '.', ''), ' ', ''), char(160), ''), '-', ''), char(8209), ''), char(8211), ''), '/', ''),
    '(', ''), ')', ''), '+', '') AS digits
  FROM (SELECT seq, owner, replace(replace(lower(phone), '#', 'x'), ';', 'x') AS number FROM leads WHERE phone IS NOT NULL)
)
WHERE digits GLOB '*[0-9]*'
ORDER BY key, seq;

-- Profiles are looked up for a user, who may have a thousand accounts.
CREATE INDEX network_contacts_by_profile ON network_contacts (profile_key, account) WHERE lead_id IS NOT NULL;

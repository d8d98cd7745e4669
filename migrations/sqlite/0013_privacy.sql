-- Keys that held every permission there was were made to do everything: they hold those of the audit log and of privacy as well.
UPDATE api_keys
  SET permissions = json_insert(permissions, '$[#]', 'audit:read', '$[#]', 'privacy:read', '$[#]', 'privacy:write')
  WHERE json_array_length(permissions) >= 21
    AND NOT EXISTS (SELECT 1 FROM json_each(permissions) WHERE value IN ('audit:read', 'privacy:read', 'privacy:write'));

-- People who have answered are watched for more messages.
CREATE INDEX network_contacts_answered ON network_contacts (account, replied_at) WHERE replied_at IS NOT NULL;

-- Deliveries that somebody waits for: since when. They stand beside the queue, with no next_at, and are posted at once.
ALTER TABLE webhook_deliveries ADD COLUMN asked_at INTEGER;
CREATE INDEX webhook_deliveries_asked ON webhook_deliveries (endpoint, asked_at) WHERE asked_at IS NOT NULL;

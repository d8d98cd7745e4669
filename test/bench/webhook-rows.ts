import { openDatabase } from "../../src/adapters/storage/sqlite/open.ts";
import { databasePath, type Home } from "./server.ts";

/**
 * Users with an endpoint each, and deliveries that are due: what a server that was down for a while finds. The server
 * of `home` must not run.
 */
export function addBacklog(home: Home, url: string, endpoints: number, deliveriesEach: number): void {
  const database = openDatabase(databasePath(home));
  const now = Date.now();
  const workspace = database.prepare<{ seq: number }, [string, string, number, number]>(
    `INSERT INTO workspaces (id, name, time_zone, created_at, updated_at)
     VALUES (?, ?, 'UTC', ?, ?) RETURNING seq`,
  );
  const endpoint = database.prepare<{ seq: number }, [string, number, string, string, number, number, number]>(
    `INSERT INTO webhook_endpoints (id, owner, url, is_enabled, secret, since, due_at, created_at, updated_at)
     VALUES (?, ?, ?, 1, ?, 0, ?, ?, ?) RETURNING seq`,
  );
  const event = database.prepare<{ seq: number }, [number, number, string]>(
    "INSERT INTO events (owner, type, at, lead_id, data) VALUES (?, 'lead.created', ?, ?, '{}') RETURNING seq",
  );
  const delivery = database.prepare(
    "INSERT INTO webhook_deliveries (endpoint, event, state, next_at, tries, attempts) VALUES (?, ?, 'pending', ?, 0, '[]')",
  );
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  database.transaction(() => {
    for (let n = 0; n < endpoints; n++) {
      const id = Bun.randomUUIDv7("hex", now);
      const owner = workspace.get(id, id, now, now)!.seq;
      const { seq } = endpoint.get(Bun.randomUUIDv7("hex", now), owner, url, secret, now, now, now)!;
      for (let told = 0; told < deliveriesEach; told++)
        delivery.run(seq, event.get(owner, now, Bun.randomUUIDv7("hex", now))!.seq, now);
    }
    database.run("UPDATE webhook_position SET event = (SELECT max(seq) FROM events)");
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close(true);
}

/** Events of the first user, as many leads would have left them. */
export function addEvents(home: Home, count: number): void {
  const database = openDatabase(databasePath(home));
  const insert = database.prepare(
    "INSERT INTO events (owner, type, at, lead_id, data) VALUES ((SELECT min(seq) FROM workspaces), 'lead.created', ?, ?, '{}')",
  );
  const now = Date.now();
  database.transaction(() => {
    for (let n = 0; n < count; n++) insert.run(now, Bun.randomUUIDv7("hex", now));
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close(true);
}

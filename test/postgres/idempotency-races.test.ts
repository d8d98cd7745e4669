import { describe, expect, test } from "bun:test";
import { createIdempotencyStore } from "../../src/adapters/storage/postgres/idempotency.ts";
import { createUserStore } from "../../src/adapters/storage/postgres/users.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { currentRequest } from "../../src/platform/base/current-request.ts";
import type { StoredRequest } from "../../src/platform/http/idempotency-store.ts";
import { executing } from "../support/current-request.ts";
import { openNodes } from "../support/postgres-nodes.ts";

const id = new Uint8Array(16).fill(1);
const fingerprint = { hash: null, bytes: 0 };
const response = { status: 200, headers: {}, body: "{}" };

/** Runs `work` as a request with the same Idempotency-Key. */
function keyed<T>(
  { idempotency }: Pick<Storage, "idempotency">,
  work: () => Promise<T>,
  replaced: StoredRequest | null = null,
  startedAt = 5,
): Promise<T> {
  const attempt = idempotency.begin({ id, startedAt, workspaceId: null, nodeId: null }, fingerprint, replaced);
  return currentRequest.run(executing(attempt), work);
}

describe("one Idempotency-Key on two nodes", () => {
  test("of two requests at the same time, the second one changes nothing and is told to repeat", async () => {
    await using nodes = await openNodes();
    const { second, make } = nodes;
    const [one, other] = [make.newUser(), make.newUser()];
    const refused = await nodes.whileOpen(
      (engine) => keyed({ idempotency: createIdempotencyStore(engine) }, () => createUserStore(engine).insert(one)),
      () => keyed(second, () => second.users.insert(other)).catch((error: { code?: string }) => error.code),
    );
    expect(refused).toBe("REQUEST_IN_PROGRESS");
    expect(await second.users.get(one.user.id)).not.toBeNull();
    expect(await second.users.get(other.user.id)).toBeNull();
  });

  test("a request is found with the node that executes it, until it has ended", async () => {
    await using nodes = await openNodes();
    const { first, second, make } = nodes;
    const about = { host: "a", pid: 1, role: "all", state: "running", version: "1", files: "f" } as const;
    await first.cluster!.join({
      id: "node-1",
      startedAt: 1,
      seenAt: 7,
      clockAheadMs: 0,
      keysVersion: 0,
      pool: null,
      ...about,
    });
    const key = { id, startedAt: 5, workspaceId: null, nodeId: "node-1" };
    const attempt = first.idempotency.begin(key, fingerprint, null);
    await currentRequest.run(executing(attempt), () => first.users.insert(make.newUser()));
    expect(await second.idempotency.find(id)).toMatchObject({ response: null, node: { id: "node-1", seenAt: 7 } });
    await attempt.end("unknown");
    expect(await second.idempotency.find(id)).toMatchObject({ response: null, node: null });
  });

  test("an expired request is replaced by one of two that repeat it", async () => {
    await using nodes = await openNodes();
    const { first, second, make } = nodes;
    await first.idempotency
      .begin({ id, startedAt: 1, workspaceId: null, nodeId: null }, fingerprint, null)
      .end(response);
    const expired = await second.idempotency.find(id);
    expect(await keyed(first, () => first.users.insert(make.newUser()), expired, 10)).toBe(true);
    const attempt = keyed(second, () => second.users.insert(make.newUser()), expired, 11);
    expect(await attempt.catch((error: { code?: string }) => error.code)).toBe("REQUEST_IN_PROGRESS");
    expect(await second.idempotency.find(id)).toMatchObject({ startedAt: 10, response: null });
  });

  test("a refusal that only locked what it was decided on has changed nothing", async () => {
    await using nodes = await openNodes();
    const { first, make, workspaceId } = nodes;
    await first.credits.add(make.grant(workspaceId, { amount: 1 }));
    const attempt = first.idempotency.begin({ id, startedAt: 5, workspaceId: null, nodeId: null }, fingerprint, null);
    await currentRequest.run(executing(attempt), async () => {
      const outcome = await first.credits.adjust(make.grant(workspaceId, { amount: -9 }));
      expect(outcome.kind).toBe("exhausted");
    });
    expect(attempt.hasChanged).toBe(false);
    expect(await first.idempotency.find(id)).toBeNull();
  });
});

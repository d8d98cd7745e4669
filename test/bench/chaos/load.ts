import { pick } from "../../support/random.ts";
import type { Node } from "./nodes.ts";
import type { Peers } from "./peers.ts";

export type User = { id: string; key: string; name: string };

/** What the service has acknowledged, and must not have lost. */
export type Acknowledged = {
  /** By lead: the last number that was written to it. A number that was sent without an answer may have been written. */
  leads: Map<string, { acknowledged: number; sent: number; isDeleted: boolean }>;
  actions: Set<string>;
  imports: Map<string, { user: User; rows: number }>;
  /** Idempotency-Keys with the response that they got. */
  keyed: Map<string, { user: User; email: string; leadId: string }>;
};

export const minSpacingMs = 1000;
export const dailyVisits = 100;
const timeoutMs = 3000;
/** How often a load balancer asks each node whether it is ready, and how long it waits for the answer. */
const probeMs = 1000;

/** Calls `path` of a node as a client without patience does. Null: no usable answer. */
async function ask<T>(port: number, key: string, method: string, path: string, body?: unknown, headers = {}) {
  const isText = typeof body === "string";
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": isText ? "text/csv" : "application/json", ...headers },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const json = JSON.parse(text) as { data: T; code?: string };
    return { status: response.status, ...json };
  } catch {
    return null;
  }
}

async function required<T>(port: number, key: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await ask<T>(port, key, method, path, body);
  if (answer === null || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

const allDay = [{ from: "00:00", to: "24:00" }];
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const permissions = [
  ...["leads:read", "leads:write", "leads:delete", "users:read", "users:write", "jobs:read", "events:read"],
  ...["webhooks:read", "webhooks:write", "network:read", "network:schedule"],
];

/** A user with an account that acts through `peers`, and an endpoint for events. */
export async function createUser(port: number, adminKey: string, n: number, peers: Peers): Promise<User> {
  const name = `user-${n}`;
  const { id } = await required<{ id: string }>(port, adminKey, "POST", "/users", { email: `${name}@chaos.example` });
  const made = await required<{ key: string }>(port, adminKey, "POST", "/keys", { name, permissions, userId: id });
  const user = { id, key: made.key, name };
  const { accounts } = await required<{ accounts: { id: string }[] }>(port, user.key, "GET", "/network/accounts");
  await required(port, user.key, "PATCH", `/network/accounts/${accounts[0]!.id}`, {
    connector: "webhook",
    connectorSettings: { url: peers.connectorUrl(name) },
    workingHours: Object.fromEntries(days.map((day) => [day, allDay])),
    ...{ sessions: null, warmUp: null, jitterPercent: 0 },
    spacing: { medianSeconds: minSpacingMs / 1000, minSeconds: minSpacingMs / 1000 },
    caps: { visits: { day: dailyVisits }, all: { day: null } },
  });
  await required(port, user.key, "POST", "/webhooks", { url: peers.webhookUrl(name), events: ["lead.created"] });
  return user;
}

/** Mixed requests at a steady rate to all nodes. */
export class Load {
  readonly acknowledged: Acknowledged = { leads: new Map(), actions: new Set(), imports: new Map(), keyed: new Map() };
  readonly statuses = new Map<string, number>();
  /** Lost and wrong answers, in words. */
  readonly problems: string[] = [];
  readonly #nodes: readonly Node[];
  readonly #users: readonly User[];
  readonly #random: () => number;
  /** Nodes that were ready when the load balancer last asked, and have not failed since. */
  readonly #ready: Set<Node>;
  readonly #leads: { id: string; user: User }[] = [];
  #serial = 0;
  #succeeded = 0;

  constructor(nodes: readonly Node[], users: readonly User[], random: () => number) {
    this.#nodes = nodes;
    this.#users = users;
    this.#random = random;
    this.#ready = new Set(nodes);
  }

  /** As a load balancer does, which sends requests only to nodes that are ready. */
  async #probe(node: Node, untilAt: number): Promise<void> {
    while (performance.now() < untilAt) {
      const url = `http://127.0.0.1:${node.port}/readyz`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(probeMs) }).catch(() => null);
      if (answer?.status === 200) this.#ready.add(node);
      else this.#ready.delete(node);
      await answer?.text().catch(() => null);
      await Bun.sleep(probeMs);
    }
  }

  /** Sends so many requests a second until `untilAt`. Returns how many succeeded a second. */
  async run(perSecond: number, untilAt: number): Promise<number> {
    const startedAt = performance.now();
    this.#succeeded = 0;
    const lanes = 20;
    const lane = async (n: number): Promise<void> => {
      let next = startedAt + (n * 1000) / perSecond;
      while (performance.now() < untilAt) {
        await Bun.sleep(Math.max(0, next - performance.now()));
        next = Math.max(next + (lanes * 1000) / perSecond, performance.now() - 1000);
        await this.#one();
      }
    };
    const probes = this.#nodes.map((node) => this.#probe(node, untilAt));
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all(probes);
    return this.#succeeded / seconds;
  }

  async #one(): Promise<void> {
    const user = pick(this.#users, this.#random);
    const chance = this.#random();
    if (chance < 0.35) return this.#createLead(user);
    if (chance < 0.5) return this.#changeLead();
    if (chance < 0.75) return this.#readLead();
    if (chance < 0.9) return void (await this.#send(user, "GET", "/leads?limit=20"));
    if (chance < 0.97) return this.#schedule(user);
    if (chance < 0.985) return this.#import(user);
    return this.#deleteLead();
  }

  async #send<T>(user: User, method: string, path: string, body?: unknown, headers = {}) {
    const ready = this.#nodes.filter((node) => this.#ready.has(node));
    const node = pick(ready.length > 0 ? ready : this.#nodes, this.#random);
    const answer = await ask<T>(node.port, user.key, method, path, body, headers);
    const name = answer === null ? "none" : `${answer.status}${answer.code === undefined ? "" : ` ${answer.code}`}`;
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    if (answer === null || answer.status >= 500) this.#ready.delete(node);
    if (answer !== null && answer.status < 300) this.#succeeded++;
    if (answer?.status === 500) this.problems.push(`${method} ${path} was answered 500 by ${node.name}`);
    return answer;
  }

  /** Repeats a request without an answer with the same Idempotency-Key, as clients should. */
  async #createLead(user: User): Promise<void> {
    const key = `lead-${this.#serial++}`;
    const email = `${key}@people.example`;
    for (let attempt = 0; attempt < 5; attempt++) {
      const answer = await this.#send<{ id: string }>(user, "POST", "/leads", { email }, { "idempotency-key": key });
      if (answer !== null && answer.status < 300) {
        const { id } = answer.data;
        this.acknowledged.leads.set(id, { acknowledged: 0, sent: 0, isDeleted: false });
        this.acknowledged.keyed.set(key, { user, email, leadId: id });
        this.#leads.push({ id, user });
        return;
      }
      if (answer?.code === "REQUEST_INTERRUPTED") return;
      await Bun.sleep(300);
    }
  }

  async #changeLead(): Promise<void> {
    const lead = this.#leads.length === 0 ? null : pick(this.#leads, this.#random);
    const state = lead && this.acknowledged.leads.get(lead.id);
    if (lead === null || !state || state.isDeleted) return;
    const number = ++state.sent;
    const answer = await this.#send(lead.user, "PATCH", `/leads/${lead.id}`, { customFields: { number: `${number}` } });
    if (answer?.status === 200) state.acknowledged = Math.max(state.acknowledged, number);
  }

  async #readLead(): Promise<void> {
    const lead = this.#leads.length === 0 ? null : pick(this.#leads, this.#random);
    if (lead === null || this.acknowledged.leads.get(lead.id)!.isDeleted) return;
    const answer = await this.#send(lead.user, "GET", `/leads/${lead.id}`);
    if (answer?.status === 404 && !this.acknowledged.leads.get(lead.id)!.isDeleted)
      this.problems.push(`lead ${lead.id} was not found after it was created`);
  }

  async #deleteLead(): Promise<void> {
    const lead = this.#leads.length === 0 ? null : pick(this.#leads, this.#random);
    if (lead === null) return;
    this.acknowledged.leads.get(lead.id)!.isDeleted = true;
    await this.#send(lead.user, "DELETE", `/leads/${lead.id}`);
  }

  async #schedule(user: User): Promise<void> {
    const serial = this.#serial++;
    const action = { actionType: "visitProfile", profileUrl: `https://network.example/in/p${serial}` };
    const key = { "idempotency-key": `action-${serial}` };
    const answer = await this.#send<{ jobId: string }>(user, "POST", "/network/scheduleNetworkAction", action, key);
    if (answer?.status === 200) this.acknowledged.actions.add(answer.data.jobId);
  }

  async #import(user: User): Promise<void> {
    const serial = this.#serial++;
    const rows = 30;
    const csv = `email\n${Array.from({ length: rows }, (_, n) => `i${serial}-${n}@people.example`).join("\n")}\n`;
    const answer = await this.#send<{ id: string }>(user, "POST", "/leads/import", csv);
    if (answer !== null && answer.status < 300) this.acknowledged.imports.set(answer.data.id, { user, rows });
  }
}

/* oxlint-disable unicorn/no-thenable -- the vendor names what follows an action so; it is data, never a function */
import { jsonIn, startLoopback, type Loopback } from "./loopback.ts";

type Workflow = { actionType: string; then?: Workflow } & Record<string, unknown>;
type Fault = { type: string; message: string };

type InboxMessage = {
  id: string;
  type: "st" | "nv";
  threadId: string;
  personUrl: string;
  sender: "us" | "them";
  text: string;
  time: string;
};

export type LinkedapiVendor = Loopback & {
  token: string;
  identifications: Record<string, string>;
  workflows: { id: string; identification: string; workflow: Workflow; state: object }[];
  /** How the next workflow ends; otherwise each action in it succeeds. */
  endNext(state: object): void;
  /** The innermost action of the next workflow fails with this error. */
  failNext(fault: Fault): void;
  /** The next request is refused as a whole. */
  refuseNext(status: number, fault: Fault, headers?: Record<string, string>): void;
  /** Conversations by the address of the person, once they are followed. */
  conversations: Map<string, { sender: "us" | "them"; time: string; text?: string }[]>;
  synced: Set<string>;
  /** What the account wrote and received since its inbox is monitored, newest first; null: it is not monitored. */
  inbox: InboxMessage[] | null;
  /** What the innermost action of the next workflows found. */
  findNext(data: object): void;
};

/**
 * Linked API (linkedapi.io/docs/executing-workflows): POST /workflows starts one, GET /workflows/{id} tells how it
 * stands; a completion nests as the workflow does, each action's result in the `then` of the data of the one before.
 */
export async function startLinkedapi(): Promise<LinkedapiVendor> {
  const [token, identifications] = ["linked-token-123", { ada: "identification-of-ada", bob: "identification-of-bob" }];
  const workflows: LinkedapiVendor["workflows"] = [];
  const conversations: LinkedapiVendor["conversations"] = new Map();
  const synced = new Set<string>();
  let data: object = {};
  let refusal: Response | null = null;
  let ending: object | null = null;
  let fault: Fault | null = null;

  const refuse = (status: number, error: Fault, headers: Record<string, string> = {}) =>
    Response.json({ success: false, error }, { status, headers });

  const loopback = await startLoopback((request) => {
    const identification = request.headers.get("identification-token") ?? "";
    if (request.headers.get("linked-api-token") !== token)
      return refuse(401, { type: "invalidLinkedApiToken", message: "Token is invalid." });
    if (!Object.values<string>(identifications).includes(identification))
      return refuse(401, { type: "invalidIdentificationToken", message: "Identification token is invalid." });
    if (refusal !== null) {
      const response = refusal;
      refusal = null;
      return response;
    }
    const [, path, id] = request.path.split("/");
    if (request.path === "/conversations/poll") {
      const asked = jsonIn(request) as unknown as { personUrl: string; since: string; type: string }[];
      if (asked.some(({ personUrl }) => !synced.has(personUrl)))
        return refuse(400, { type: "conversationsNotSynced", message: "Some conversations are not synced." });
      const result = asked.map((one) => ({
        ...one,
        messages: (conversations.get(one.personUrl) ?? []).filter(({ time }) => time >= one.since),
      }));
      return Response.json({ success: true, result });
    }
    if (request.path === "/inbox/poll") {
      const { since = "", type } = jsonIn(request) as { since?: string; type?: string };
      if (vendor.inbox === null) return refuse(400, { type: "inboxNotSynced", message: "The inbox is not monitored." });
      const messages = vendor.inbox.filter((one) => one.time >= since && (type === undefined || one.type === type));
      return Response.json({ success: true, result: { messages } });
    }
    if (path !== "workflows") return refuse(404, { type: "notFound", message: "There is no such route." });
    if (request.method === "POST") {
      const json: unknown = jsonIn(request);
      const all = (Array.isArray(json) ? json : [json]) as Workflow[]; // both are taken
      for (const { actionType, personUrl } of all)
        if (actionType === "st.syncConversation") synced.add(String(personUrl));
        else if (actionType === "st.syncInbox") vendor.inbox ??= [];
      const [workflow] = all as [Workflow];
      const done = { workflowStatus: "completed", completion: completionOf(workflow) };
      const workflowId = `wf-${workflows.length + 1}`;
      workflows.push({ id: workflowId, identification, workflow, state: ending ?? done });
      [ending, fault] = [null, null];
      return Response.json({ success: true, result: { workflowId, workflowStatus: "pending" } });
    }
    const found = workflows.find((each) => each.id === id && each.identification === identification);
    if (found === undefined) return refuse(404, { type: "workflowNotFound", message: "There is no such workflow." });
    return Response.json({ success: true, result: { workflowId: id, ...found.state } });
  });

  function completionOf({ actionType, then }: Workflow): object {
    if (then !== undefined) return { actionType, success: true, data: { then: completionOf(then) } };
    return fault === null ? { actionType, success: true, data } : { actionType, success: false, error: fault };
  }

  const vendor: LinkedapiVendor = Object.assign(loopback, {
    inbox: null,
    token,
    identifications,
    workflows,
    conversations,
    synced,
    findNext: (next: object) => void (data = next),
    endNext: (state: object) => void (ending = state),
    failNext: (next: Fault) => void (fault = next),
    refuseNext: (status: number, error: Fault, headers?: Record<string, string>) =>
      void (refusal = refuse(status, error, headers)),
  });
  return vendor;
}

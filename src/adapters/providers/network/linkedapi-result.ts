import { Type, type Static } from "@sinclair/typebox";
import type { ActionOrder, ConnectorOutcome } from "../../../features/network/connector.ts";
import type { Relation } from "../../../features/network/contact-model.ts";
import { refused, sent, unknownOutcome } from "./ending.ts";
import { Fault } from "./linkedapi-api.ts";
import { outcomeOfType } from "./linkedapi-errors.ts";
import { workflowOf, type Workflow } from "./linkedapi-workflow.ts";
import { quote, sentence } from "./quote.ts";
import { shaped } from "./vendor.ts";

/** A workflow at the vendor: pending or running, then completed with a completion or failed with a failure. */
export const WorkflowState = Type.Object({
  workflowStatus: Type.String(),
  completion: Type.Optional(Type.Unknown()),
  failure: Type.Optional(
    Type.Union([Type.Object({ reason: Type.String(), message: Type.Optional(Type.Unknown()) }), Type.Null()]),
  ),
});
export type WorkflowState = Static<typeof WorkflowState>;

export function isOpen({ workflowStatus }: WorkflowState): boolean {
  return workflowStatus === "pending" || workflowStatus === "running";
}

const ActionResult = Type.Object({
  actionType: Type.String(),
  success: Type.Optional(Type.Boolean()),
  error: Type.Optional(Type.Union([Fault, Type.Null()])),
  data: Type.Optional(Type.Unknown()),
});
type ActionResult = Static<typeof ActionResult>;

/** Returns the outcome of the order for a workflow that has ended. */
export function outcomeOfWorkflow(
  { workflowStatus, completion, failure }: WorkflowState,
  order: ActionOrder,
  reference: string,
  secrets: readonly string[],
): ConnectorOutcome {
  if (workflowStatus === "completed") return outcomeOfCompletion(resultsIn(completion), order, reference, secrets);
  const said = quote(failure?.message, secrets);
  const known = failure ? outcomeOfType({ type: failure.reason, said }, null) : null;
  return known ?? unknownOutcome(sentence(`Linked API ended the work as ${quote(workflowStatus) ?? "failed"}`, said));
}

function outcomeOfCompletion(
  results: readonly ActionResult[],
  order: ActionOrder,
  reference: string,
  secrets: readonly string[],
): ConnectorOutcome {
  const failed = results.find(({ success, error }) => success === false || (error ?? null) !== null);
  if (failed !== undefined) {
    const said = quote(failed.error?.message, secrets);
    const type = failed.error?.type ?? "";
    const reason = sentence("Linked API rejected it", said ?? quote(type, secrets));
    return outcomeOfType({ type, said }, null) ?? refused("invalid", reason);
  }
  const [first, last] = endsOf(workflowOf(order));
  const done = results.find(({ actionType }) => actionType === last);
  if (done !== undefined) return sent(reference, relationAfter(order, done));
  // It reached the person's page and found no post there.
  if (first !== last && results[0]?.actionType === first)
    return refused("postNotFound", "The person has no recent posts.");
  return unknownOutcome("Linked API reports that the action is completed, but not its outcome.");
}

/** Returns the results of a workflow and its nested actions, outermost first. */
function resultsIn(value: unknown, depth = 0): ActionResult[] {
  // Ours are nested five levels deep, each in the `then` of the previous one's data.
  if (depth > 16 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => resultsIn(item, depth + 1));
  const result = shaped(ActionResult, value);
  const inner = result === null ? ("then" in value ? value.then : undefined) : result.data;
  return [...(result === null ? [] : [result]), ...resultsIn(inner, depth + 1)];
}

/** The types of the outermost and the innermost action. */
function endsOf(workflow: Workflow): [string, string] {
  let last = workflow;
  while (last.then !== undefined) last = last.then;
  return [workflow.actionType, last.actionType];
}

const relations: Partial<Record<string, Relation>> = {
  connected: "connected",
  pending: "pending",
  notConnected: "none",
};

function relationAfter({ actionType }: ActionOrder, { data }: ActionResult): Relation | undefined {
  if (actionType === "sendConnectionRequest") return "pending";
  if (actionType === "withdrawConnectionRequest") return "none";
  const status = shaped(Type.Object({ connectionStatus: Type.String() }), data)?.connectionStatus;
  return actionType === "checkConnectionStatus" && status !== undefined ? relations[status] : undefined;
}

const Connections = Type.Array(Type.Object({ publicUrl: Type.String() }));

/** Returns the URLs of the people in a finished check of the connections; none if it failed. */
export function connectionsIn(state: WorkflowState | null): string[] {
  const [result] = resultsIn(state?.completion);
  return (shaped(Connections, result?.data) ?? []).map(({ publicUrl }) => publicUrl);
}

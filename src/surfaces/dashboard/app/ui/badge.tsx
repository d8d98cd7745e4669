import type { ComponentChildren } from "preact";
import type { LeadStatus } from "../../../../features/leads/model.ts";
import type { JobStatus } from "../../../../platform/jobs/model.ts";
import type { ActionState } from "../../../../features/network/action-model.ts";

export type Tone = "neutral" | "info" | "good" | "warn" | "bad";

/** A state as a label. The color only helps to find it. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

type Words<State extends string> = Record<State, { tone: Tone; label: string }>;

export const leadStatusLabels: Words<LeadStatus> = {
  new: { tone: "info", label: "New" },
  contacted: { tone: "neutral", label: "Contacted" },
  qualified: { tone: "good", label: "Qualified" },
  converted: { tone: "good", label: "Converted" },
  unqualified: { tone: "neutral", label: "Unqualified" },
};

export const jobStatusLabels: Words<JobStatus> = {
  pending: { tone: "neutral", label: "Pending" },
  running: { tone: "info", label: "Running" },
  completed: { tone: "good", label: "Completed" },
  failed: { tone: "bad", label: "Failed" },
};

export const actionStateLabels: Words<ActionState> = {
  awaitingApproval: { tone: "warn", label: "Needs approval" },
  scheduled: { tone: "info", label: "Scheduled" },
  sending: { tone: "info", label: "Sending" },
  awaiting: { tone: "warn", label: "Waiting for you" },
  completed: { tone: "good", label: "Completed" },
  skipped: { tone: "neutral", label: "Skipped" },
  failed: { tone: "bad", label: "Failed" },
  unknown: { tone: "bad", label: "Outcome unknown" },
  canceled: { tone: "neutral", label: "Canceled" },
};

/** Badge for a state, with its label from a table. */
export function StateBadge<State extends string>({ words, state }: { words: Words<State>; state: State }) {
  // A newer server may know states that this page does not.
  const { tone, label } = words[state] ?? { tone: "neutral", label: state };
  return <Badge tone={tone}>{label}</Badge>;
}

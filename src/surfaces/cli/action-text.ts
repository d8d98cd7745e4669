import type { ActionView, TaskView } from "../../features/network/action-model.ts";
import { formatCount } from "./progress.ts";
import { renderTable, shortTime } from "./table.ts";

export type ActionList = { actions: ActionView[]; total: number };

/** The path of an action below /api/v2. */
export function pathOfAction(jobId: string): string {
  return `/network/actions/${encodeURIComponent(jobId)}`;
}

export function actionsText({ actions, total }: ActionList): string {
  if (actions.length === 0) return "No actions.";
  const rows = actions.map(({ actionType, personName, profileUrl, state, status, scheduledFor, jobId }) => [
    ...[actionType, personName ?? profileUrl, state, scheduledFor === null ? "" : shortTime(scheduledFor)],
    ...[status.slice(0, 60), jobId],
  ]);
  const table = renderTable(["ACTION", "PERSON", "STATE", "PLANNED (UTC)", "STATUS", "ID"], rows);
  return total > actions.length ? `${table}\n\n${formatCount(actions.length)} of ${formatCount(total)}.` : table;
}

export function actionText({ details, error, message, ...action }: ActionView): string {
  const fields = { ...action, ...details, ...(error && { error: error.message }) };
  const rows = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, `${value}`]]));
  const table = renderTable(["FIELD", "VALUE"], rows);
  return message === null ? table : `${table}\n\n${message}`;
}

export function tasksText({ tasks, total }: { tasks: readonly TaskView[]; total: number }): string {
  if (tasks.length === 0) return "No tasks.";
  const shown = tasks.map(({ label, personName, profileUrl, message, details, jobId }) => {
    const { subject, postUrl, skill } = details;
    const lines = [postUrl, skill, subject && `Subject: ${subject}`, message].filter(Boolean);
    const heading = `${label}${personName ? ` for ${personName}` : ""}: ${profileUrl}`;
    return [heading, ...lines.map((line) => `  ${line!.replaceAll("\n", "\n  ")}`), `  (${jobId})`].join("\n");
  });
  const rest = total > tasks.length ? [`${formatCount(tasks.length)} of ${formatCount(total)}.`] : [];
  return [...shown, ...rest].join("\n\n");
}

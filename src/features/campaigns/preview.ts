import { isoTime, isoTimeOrNull } from "../../platform/base/clock.ts";
import type { Meter } from "../network/meter-model.ts";
import { metersOf } from "../network/action-kinds.ts";
import { earliestSlot, gapOf, type Governed } from "../network/governor/slot.ts";
import { MemoryTimeline } from "../network/governor/plan.ts";
import { localTime } from "../network/governor/zone.ts";
import type { PlanBasis } from "../network/store.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import type { PreviewView } from "./model.ts";
import { eachText } from "./variants.ts";
import { nextMove, type Instruction, type LeadFacts, type StepAction } from "./program.ts";

type Sender = { account: Governed; timeline: MemoryTimeline };
type SimulatedLead = { n: number; at: number; since: number; isDone: boolean; readyAt: number };
type ForecastAction = { step: number; actionType: string; at: number; date: string; lead: number };

/** Forecast horizon. Steps that do not run by then are reported as problems. */
const horizonMs = 366 * 86_400_000;
const maxSlotSteps = 1_000;

/**
 * Simulates a campaign for the first `leads` leads: accounts perform the actions they already have planned, and each
 * lead in turn gets the earliest remaining time slot. Yields to other work every few milliseconds.
 */
export async function previewOf(
  program: readonly Instruction[],
  bases: readonly PlanBasis[],
  leads: number,
  facts: LeadFacts,
  now: number,
): Promise<PreviewView> {
  const senders = bases.map((basis) => senderOf(basis, now));
  const sent: ForecastAction[] = [];
  const problems = new Set<string>();
  if (senders.length === 0) problems.add("The campaign has no account to send from.");
  for (const { account } of bases) if (account.state !== "active") problems.add(inactive(account));
  const firstStep = program.findIndex((instruction) => instruction !== undefined);
  const simulated = Array.from({ length: senders.length === 0 ? 0 : leads }, (_, n): SimulatedLead => {
    return { n, at: firstStep, since: now, isDone: false, readyAt: now };
  });
  let sliceStartedAt = performance.now();
  while (simulated.length > 0) {
    // The lead that is ready first goes first, as in `CampaignRunner`.
    const index = indexOfEarliest(simulated);
    const lead = simulated[index];
    const sender = lead && senders[lead.n % senders.length];
    if (lead === undefined || sender === undefined) break;
    if (!advanceLead(program, lead, sender, facts, now + horizonMs, sent, problems)) simulated.splice(index, 1);
    if (performance.now() - sliceStartedAt > 3) {
      await pause();
      sliceStartedAt = performance.now();
    }
  }
  return viewOf(program, sent, leads, [...problems]);
}

/** The times are still worth knowing: they are those of an account that sends again from now on. */
function inactive({ name, state }: PlanBasis["account"]): string {
  return state === "paused"
    ? `The account "${name}" is paused and sends nothing until it is resumed. The times assume that it is active.`
    : `The account "${name}" is signed out of the network and sends nothing until it is reconnected. The times assume that it is connected.`;
}

/** Advances a lead by one action or wait; false if it has completed. */
function advanceLead(
  program: readonly Instruction[],
  lead: SimulatedLead,
  { account, timeline }: Sender,
  facts: LeadFacts,
  end: number,
  sent: ForecastAction[],
  problems: Set<string>,
): boolean {
  const { readyAt } = lead;
  const move = nextMove(program, lead.at, lead.since, lead.isDone, facts, readyAt);
  if (move.kind === "complete") return false;
  if (move.kind === "sleep") {
    Object.assign(lead, { at: move.at, since: move.sinceAt, isDone: false, readyAt: move.until });
    return move.until < end;
  }
  const uses = usesOf(move.action);
  const request = { account, uses, notBefore: readyAt, gapMs: gapOf(account.spacing, 0.5) };
  const slot = earliestSlot(request, timeline, maxSlotSteps);
  if (slot.at === null || slot.at > end) {
    const outcome = slot.at === null ? "would never run" : "would not run within a year";
    problems.add(`Step ${move.at} (${move.action.actionType}) ${outcome}: ${slot.reason}.`);
    return false;
  }
  timeline.add(uses, slot.at);
  const date = isoTime(localTime(slot.at, account.timeZone).date).slice(0, 10);
  sent.push({ step: move.at, actionType: move.action.actionType, at: slot.at, date, lead: lead.n });
  Object.assign(lead, { at: move.at, since: slot.at, isDone: true, readyAt: slot.at });
  return true;
}

function usesOf(action: StepAction): readonly Meter[] {
  const hasNote = eachText(action).some(({ step: { message } }) => message !== undefined && message !== "");
  return metersOf(action.actionType, hasNote);
}

function senderOf({ account, coolDowns, history, queue }: PlanBasis, now: number): Sender {
  const timeline = new MemoryTimeline();
  for (const [meter, moments] of Object.entries(history) as [Meter, number[]][])
    for (const at of moments) timeline.add([meter], at);
  for (const { actionType, hasNote, slotAt } of queue)
    if (slotAt !== null) timeline.add(metersOf(actionType, hasNote), Math.max(slotAt, now));
  return { account: { ...account, coolDowns }, timeline };
}

function indexOfEarliest(leads: readonly SimulatedLead[]): number {
  let best = 0;
  for (let index = 1; index < leads.length; index++)
    if ((leads[index]?.readyAt ?? 0) < (leads[best]?.readyAt ?? 0)) best = index;
  return best;
}

function viewOf(
  program: readonly Instruction[],
  sent: ForecastAction[],
  leads: number,
  problems: string[],
): PreviewView {
  const days = new Map<string, number>();
  for (const { date } of sent) days.set(date, (days.get(date) ?? 0) + 1);
  const steps = program.flatMap((instruction, step) => {
    if (instruction.kind !== "action") return [];
    const moments = sent.filter((item) => item.step === step).map(({ at }) => at);
    const edge = (pick: (...values: number[]) => number) =>
      isoTimeOrNull(moments.length === 0 ? null : moments.reduce((a, b) => pick(a, b)));
    const { actionType } = instruction.action;
    return { step, actionType, count: moments.length, firstAt: edge(Math.min), lastAt: edge(Math.max) };
  });
  const last = sent.reduce((latest, { at }) => Math.max(latest, at), 0);
  return {
    leads,
    finishedAt: sent.length === 0 ? null : isoTime(last),
    steps,
    days: [...days].toSorted(([a], [b]) => a.localeCompare(b)).map(([date, actions]) => ({ date, actions })),
    first: sent
      .filter(({ lead }) => lead === 0)
      .map(({ step, actionType, at }) => ({ step, actionType, at: isoTime(at) })),
    problems,
  };
}

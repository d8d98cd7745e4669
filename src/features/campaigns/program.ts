import type { CampaignStep, Condition } from "./model.ts";
import type { Exit } from "./trail.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type StepAction = Extract<CampaignStep, { type: "action" }>;

/**
 * Compiled form of a step. Instructions are listed in reading order, and each one refers to its successors by index.
 */
export type Instruction =
  | { kind: "action"; action: StepAction; next: number }
  | { kind: "wait"; ms: number; next: number }
  | { kind: "branch"; condition: Condition; withinMs: number; yes: number; no: number };

/**
 * Compiles the steps of a campaign into a list, in which each step has its number as its index: `firstStep` is where
 * the list begins, without anything before it. A `next` past the end of the list means that the lead has completed.
 */
export function compile(steps: readonly CampaignStep[], firstStep = 0): Instruction[] {
  const program: Instruction[] = [];
  program.length = firstStep;
  compileInto(program, steps);
  // The end is known only after all steps have been compiled.
  return program.map((instruction) => withEnd(instruction, program.length));
}

const end = -1;

/** Appends steps. Returns setters for the exits that are still open; the following step resolves them to its index. */
function compileInto(program: Instruction[], steps: readonly CampaignStep[]): ((next: number) => void)[] {
  let unresolved: ((next: number) => void)[] = [];
  for (const step of steps) {
    const index = program.length;
    for (const resolve of unresolved) resolve(index);
    unresolved = [];
    if (step.type === "branch") {
      const branch = {
        kind: "branch" as const,
        condition: step.condition,
        withinMs: (step.withinDays ?? 0) * dayMs,
        yes: end,
        no: end,
      };
      program.push(branch);
      unresolved.push(...compileBranch(program, step.yes, (next) => (branch.yes = next)));
      unresolved.push(...compileBranch(program, step.no, (next) => (branch.no = next)));
    } else {
      const instruction =
        step.type === "wait"
          ? { kind: "wait" as const, ms: (step.days ?? 0) * dayMs + (step.hours ?? 0) * hourMs, next: end }
          : { kind: "action" as const, action: step, next: end };
      program.push(instruction);
      unresolved.push((next) => (instruction.next = next));
    }
  }
  return unresolved;
}

function compileBranch(
  program: Instruction[],
  steps: readonly CampaignStep[],
  enter: (next: number) => void,
): ((next: number) => void)[] {
  if (steps.length === 0) return [enter];
  enter(program.length);
  return compileInto(program, steps);
}

function withEnd(instruction: Instruction, last: number): Instruction {
  const resolve = (at: number): number => (at === end ? last : at);
  return instruction.kind === "branch"
    ? { ...instruction, yes: resolve(instruction.yes), no: resolve(instruction.no) }
    : { ...instruction, next: resolve(instruction.next) };
}

/** Facts about a lead that conditions test. */
export type LeadFacts = Record<Condition, boolean>;

/** The next move of a lead. `left`: the waits and branches that it leaves. */
export type Move = { left: { step: number; exit: Exit }[] } & (
  | /** Perform the action, and stay at this step until it has ended. */ { kind: "act"; at: number; action: StepAction }
  | { kind: "sleep"; at: number; sinceAt: number; until: number }
  | { kind: "complete" }
);

/**
 * Advances from step `at`, which the lead entered at `sinceAt`, to the next action or wait. `isDone`: the action of the
 * current step was performed or was not needed.
 */
export function nextMove(
  program: readonly Instruction[],
  at: number,
  sinceAt: number,
  isDone: boolean,
  facts: LeadFacts,
  now: number,
): Move {
  let index = at;
  let since = sinceAt;
  let done = isDone;
  const left: Move["left"] = [];
  const moveTo = (next: number): void => {
    index = next;
    since = now;
    done = false;
  };
  for (;;) {
    const instruction = program[index];
    if (instruction === undefined) return { kind: "complete", left };
    if (instruction.kind === "action") {
      if (!done) return { kind: "act", at: index, action: instruction.action, left };
      moveTo(instruction.next);
    } else if (instruction.kind === "wait") {
      const until = since + instruction.ms;
      if (until > now) return { kind: "sleep", at: index, sinceAt: since, until, left };
      left.push({ step: index, exit: "waited" });
      moveTo(instruction.next);
    } else {
      const until = since + instruction.withinMs;
      if (!facts[instruction.condition] && until > now)
        return { kind: "sleep", at: index, sinceAt: since, until, left };
      left.push({ step: index, exit: facts[instruction.condition] ? "yes" : "no" });
      moveTo(facts[instruction.condition] ? instruction.yes : instruction.no);
    }
  }
}

/** Total number of steps, including those nested in branches. */
export function countSteps(steps: readonly CampaignStep[]): number {
  return steps.reduce(
    (sum, step) => sum + 1 + (step.type === "branch" ? countSteps(step.yes) + countSteps(step.no) : 0),
    0,
  );
}

/** Numbers of steps in reading order, without the last one. */
export type StepRange = { from: number; end: number };
export type BranchSides = { yes: StepRange; no: StepRange };

/** By number of a branch: the steps of its sides, including those of branches within. */
export function branchSides(steps: readonly CampaignStep[], from = 0): Map<number, BranchSides> {
  const sides = new Map<number, BranchSides>();
  let at = from;
  for (const step of steps) {
    const next = at + 1;
    at = next;
    if (step.type !== "branch") continue;
    const yes = { from: next, end: next + countSteps(step.yes) };
    const no = { from: yes.end, end: yes.end + countSteps(step.no) };
    sides.set(next - 1, { yes, no });
    for (const inner of [branchSides(step.yes, yes.from), branchSides(step.no, no.from)])
      for (const [number, ranges] of inner) sides.set(number, ranges);
    at = no.end;
  }
  return sides;
}

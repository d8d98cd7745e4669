import type { CampaignStep, Condition } from "./model.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type StepAction = Extract<CampaignStep, { type: "action" }>;

/** What steps are compiled to: a list in reading order in which every instruction knows where it goes on. */
export type Instruction =
  | { kind: "action"; action: StepAction; next: number }
  | { kind: "wait"; ms: number; next: number }
  | { kind: "branch"; condition: Condition; withinMs: number; yes: number; no: number };

/** The steps of a campaign as a list; `next` behind its end means that a lead is through. */
export function compile(steps: readonly CampaignStep[]): Instruction[] {
  const program: Instruction[] = [];
  compileInto(program, steps);
  // Only now it is known where the end lies.
  return program.map((instruction) => withEnd(instruction, program.length));
}

const end = -1;

/** Appends steps; answers the places that go on behind them, to be filled in by whatever comes next. */
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

/** What is known of a lead at a moment. */
export type LeadFacts = Record<Condition, boolean>;

/** What a lead does next. */
export type Move =
  /** Carry this out, then stay here until it has ended. */
  | { kind: "act"; at: number; action: StepAction }
  | { kind: "sleep"; at: number; sinceAt: number; until: number }
  | { kind: "complete" };

/**
 * Goes on from `at`, where the lead has been since `sinceAt`, until something has to happen or to be waited for.
 * `isDone`: the action of this place has been carried out, or was not needed.
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
  const moveTo = (next: number): void => {
    index = next;
    since = now;
    done = false;
  };
  for (;;) {
    const instruction = program[index];
    if (instruction === undefined) return { kind: "complete" };
    if (instruction.kind === "action") {
      if (!done) return { kind: "act", at: index, action: instruction.action };
      moveTo(instruction.next);
    } else if (instruction.kind === "wait") {
      const until = since + instruction.ms;
      if (until > now) return { kind: "sleep", at: index, sinceAt: since, until };
      moveTo(instruction.next);
    } else {
      const until = since + instruction.withinMs;
      if (!facts[instruction.condition] && until > now) return { kind: "sleep", at: index, sinceAt: since, until };
      moveTo(facts[instruction.condition] ? instruction.yes : instruction.no);
    }
  }
}

/** The number of steps in all, branches with all that they hold. */
export function countSteps(steps: readonly CampaignStep[]): number {
  return steps.reduce(
    (sum, step) => sum + 1 + (step.type === "branch" ? countSteps(step.yes) + countSteps(step.no) : 0),
    0,
  );
}

import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";

export type Steps = readonly CampaignStep[];
export type BranchStep = Extract<CampaignStep, { type: "branch" }>;
type Side = "yes" | "no";

/** Place of a step, as in errors of the server after "steps.": "3", or "3.yes.0" for the first step if yes. */
export type Path = string;
/** A gap between steps: in the list at `list` ("" or "3.yes"), before the step with this index. */
export type Slot = { list: string; index: number };
/** A changed program, and the step to select. */
export type Edit = { steps: CampaignStep[]; selected: Path | null };

/** Maximum nesting of branches in the API schema. */
export const maxDepth = 5;

export function slotOf(path: Path): Slot {
  const parts = path.split(".");
  return { list: parts.slice(0, -1).join("."), index: Number(parts.at(-1)) };
}

export function pathOf({ list, index }: Slot): Path {
  return list === "" ? String(index) : `${list}.${index}`;
}

/** The branch that a list belongs to; null for the list of all steps. */
export function ownerOf(list: string): { path: Path; side: Side } | null {
  if (list === "") return null;
  const dot = list.lastIndexOf(".");
  return { path: list.slice(0, dot), side: list.slice(dot + 1) as Side };
}

export function listAt(steps: Steps, list: string): Steps {
  const owner = ownerOf(list);
  if (owner === null) return steps;
  const branch = stepAt(steps, owner.path);
  return branch?.type === "branch" ? branch[owner.side] : [];
}

export function stepAt(steps: Steps, path: Path): CampaignStep | null {
  const { list, index } = slotOf(path);
  return listAt(steps, list)[index] ?? null;
}

export function replace(steps: Steps, path: Path, step: CampaignStep): Edit {
  const { list, index } = slotOf(path);
  return { steps: withList(steps, list, (before) => before.with(index, step)), selected: path };
}

/** Whether a step can be placed in a list without nesting branches too deeply. */
export function fits(step: CampaignStep, list: string): boolean {
  return levelOf(list) + heightOf(step) <= maxDepth;
}

/** Null if branches would be nested too deeply. */
export function insert(steps: Steps, slot: Slot, step: CampaignStep): Edit | null {
  if (!fits(step, slot.list)) return null;
  const changed = withList(steps, slot.list, (before) => before.toSpliced(slot.index, 0, step));
  return { steps: changed, selected: pathOf(slot) };
}

/** Selects what comes next, or else what came before. */
export function remove(steps: Steps, path: Path): Edit {
  const { list, index } = slotOf(path);
  const changed = withList(steps, list, (before) => before.toSpliced(index, 1));
  const left = listAt(changed, list).length;
  const selected = left > 0 ? pathOf({ list, index: Math.min(index, left - 1) }) : (ownerOf(list)?.path ?? null);
  return { steps: changed, selected };
}

/** Inserts a copy behind the step. */
export function duplicate(steps: Steps, path: Path): Edit | null {
  const { list, index } = slotOf(path);
  const step = stepAt(steps, path);
  return step && insert(steps, { list, index: index + 1 }, structuredClone(step));
}

/** Null if nothing would change, or if the place is inside the step, or too deep for it. */
export function move(steps: Steps, from: Path, to: Slot): Edit | null {
  const { list, index } = slotOf(from);
  const step = stepAt(steps, from);
  const isInside = `${to.list}.`.startsWith(`${from}.`);
  const isSame = to.list === list && (to.index === index || to.index === index + 1);
  if (step === null || isInside || isSame || !fits(step, to.list)) return null;
  return insert(remove(steps, from).steps, afterRemoval(to, list, index), step);
}

export type Direction = "up" | "down" | "left" | "right";

/**
 * Moves a step by one: up and down also into and out of the yes side of branches, left and right to the other side.
 * Repeated, every place can be reached.
 */
export function moveBy(steps: Steps, path: Path, direction: Direction): Edit | null {
  const slot = neighborSlot(steps, path, direction);
  return slot && move(steps, path, slot);
}

function neighborSlot(steps: Steps, path: Path, direction: Direction): Slot | null {
  const { list, index } = slotOf(path);
  const owner = ownerOf(list);
  if (direction === "left" || direction === "right") {
    const side: Side = direction === "left" ? "yes" : "no";
    if (owner === null || owner.side === side) return null;
    const target = `${owner.path}.${side}`;
    return { list: target, index: Math.min(index, listAt(steps, target).length) };
  }
  const isDown = direction === "down";
  const next = index + (isDown ? 1 : -1);
  const sibling = listAt(steps, list)[next];
  const step = stepAt(steps, path);
  if (sibling !== undefined) {
    const yes = `${pathOf({ list, index: next })}.yes`;
    if (sibling.type === "branch" && step !== null && fits(step, yes))
      return { list: yes, index: isDown ? 0 : sibling.yes.length };
    return { list, index: isDown ? index + 2 : index - 1 };
  }
  if (owner === null) return null;
  const branch = slotOf(owner.path);
  return isDown ? { list: branch.list, index: branch.index + 1 } : branch;
}

/** The same gap after the step at `index` of `list` was removed. */
function afterRemoval(slot: Slot, list: string, index: number): Slot {
  if (slot.list === list) return { list, index: slot.index > index ? slot.index - 1 : slot.index };
  const prefix = list === "" ? "" : `${list}.`;
  if (!slot.list.startsWith(prefix)) return slot;
  const [first = "", ...rest] = slot.list.slice(prefix.length).split(".");
  const at = Number(first);
  return at > index ? { ...slot, list: `${prefix}${[at - 1, ...rest].join(".")}` } : slot;
}

function withList(
  steps: Steps,
  list: string,
  change: (list: readonly CampaignStep[]) => CampaignStep[],
): CampaignStep[] {
  const owner = ownerOf(list);
  if (owner === null) return change(steps);
  const branch = stepAt(steps, owner.path);
  if (branch?.type !== "branch") return [...steps];
  return replace(steps, owner.path, { ...branch, [owner.side]: change(branch[owner.side]) }).steps;
}

function levelOf(list: string): number {
  return list === "" ? 0 : list.split(".").length / 2;
}

/** How many branches are nested in a step, with itself. */
function heightOf(step: CampaignStep): number {
  return step.type === "branch" ? 1 + Math.max(0, ...[...step.yes, ...step.no].map(heightOf)) : 0;
}

/** Paths of all steps in the numbering of the server: a branch, its yes steps, its no steps, then the next step. */
export function pathsInOrder(steps: Steps, list = ""): Path[] {
  return steps.flatMap((step, index) => {
    const path = pathOf({ list, index });
    if (step.type !== "branch") return [path];
    return [path, ...pathsInOrder(step.yes, `${path}.yes`), ...pathsInOrder(step.no, `${path}.no`)];
  });
}

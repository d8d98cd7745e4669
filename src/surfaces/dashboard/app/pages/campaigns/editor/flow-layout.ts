import { pathOf, type Path, type Slot, type Steps } from "./program-edit.ts";

export type Point = { x: number; y: number };
export type Box = Point & { width: number; height: number };
/** `path`: "start" and "end" are the ends of the flow. */
export type FlowNode = Box & { path: Path };
/** A line with a gap in which a step can be inserted. `plus`: where. */
export type FlowGap = { slot: Slot; plus: Point; isEmptySide: boolean };
export type FlowLabel = Point & { text: "Yes" | "No"; path: Path };
export type FlowLayout = {
  nodes: FlowNode[];
  /** Path data of all lines. */
  lines: string[];
  gaps: FlowGap[];
  labels: FlowLabel[];
  width: number;
  height: number;
};

export const nodeSize = { width: 256, height: 64 };
const endSize = { width: 96, height: 36 };
/** Length of a line between two steps: room for the button to insert one. */
const lineLength = 52;
/** Height in which a line turns to a side of a branch and back. */
const bend = 40;
const sideGap = 48;
const radius = 12;

/**
 * Places a program from top to bottom: the sides of a branch beside each other, yes left, each as wide as it needs, and
 * the branch in the middle above. The same program always looks the same.
 */
export function layoutOf(steps: Steps): FlowLayout {
  const layout: FlowLayout = { nodes: [], lines: [], gaps: [], labels: [], width: widthOf(steps), height: 0 };
  const x = layout.width / 2;
  layout.nodes.push({ path: "start", x: x - nodeSize.width / 2, y: 0, ...nodeSize });
  const end = placeList(layout, steps, "", { x, y: nodeSize.height });
  layout.nodes.push({ path: "end", x: x - endSize.width / 2, y: end, ...endSize });
  layout.height = end + endSize.height;
  return layout;
}

/** Places a list below a point; returns where the line behind it ends. */
function placeList(layout: FlowLayout, steps: Steps, list: string, from: Point): number {
  const { x } = from;
  let { y } = from;
  for (const [index, step] of steps.entries()) {
    const path = pathOf({ list, index });
    y = placeGap(layout, { list, index }, { x, y });
    layout.nodes.push({ path, x: x - nodeSize.width / 2, y, ...nodeSize });
    y += nodeSize.height;
    if (step.type !== "branch") continue;
    const widths = [widthOf(step.yes), widthOf(step.no)] as const;
    const left = x - (widths[0] + sideGap + widths[1]) / 2;
    const centers = [left + widths[0] / 2, left + widths[0] + sideGap + widths[1] / 2] as const;
    const ends = (["yes", "no"] as const).map((side, n) => {
      const center = centers[n] ?? x;
      layout.lines.push(turn({ x, y }, { x: center, y: y + bend }));
      layout.labels.push({ x: center, y: y + bend, text: side === "yes" ? "Yes" : "No", path });
      return { x: center, y: placeList(layout, step[side], `${path}.${side}`, { x: center, y: y + bend }) };
    });
    const bottom = Math.max(...ends.map((end) => end.y));
    for (const end of ends) {
      if (end.y < bottom) layout.lines.push(`M${end.x} ${end.y}V${bottom}`);
      layout.lines.push(turn({ x: end.x, y: bottom }, { x, y: bottom + bend }));
    }
    y = bottom + bend;
  }
  return placeGap(layout, { list, index: steps.length }, { x, y }, list !== "" && steps.length === 0);
}

function placeGap(layout: FlowLayout, slot: Slot, { x, y }: Point, isEmptySide = false): number {
  layout.lines.push(`M${x} ${y}v${lineLength}`);
  layout.gaps.push({ slot, plus: { x, y: y + lineLength / 2 }, isEmptySide });
  return y + lineLength;
}

/** A line down, sideways, and down, with round corners. */
function turn(from: Point, to: Point): string {
  const middle = (from.y + to.y) / 2;
  const sign = Math.sign(to.x - from.x);
  if (sign === 0) return `M${from.x} ${from.y}V${to.y}`;
  const r = Math.min(radius, (to.y - from.y) / 2, Math.abs(to.x - from.x) / 2);
  return (
    `M${from.x} ${from.y}V${middle - r}Q${from.x} ${middle} ${from.x + sign * r} ${middle}` +
    `H${to.x - sign * r}Q${to.x} ${middle} ${to.x} ${middle + r}V${to.y}`
  );
}

function widthOf(steps: Steps): number {
  return steps.reduce(
    (width, step) => (step.type === "branch" ? Math.max(width, widthOf(step.yes) + sideGap + widthOf(step.no)) : width),
    nodeSize.width,
  );
}

/** What lies next in a direction: what is near, and more in that direction than beside it. */
export function nearest<Place extends Point>(
  places: readonly Place[],
  from: Point,
  direction: "up" | "down" | "left" | "right",
): Place | null {
  const isVertical = direction === "up" || direction === "down";
  const sign = direction === "down" || direction === "right" ? 1 : -1;
  let best: { place: Place; distance: number } | null = null;
  for (const place of places) {
    const along = (isVertical ? place.y - from.y : place.x - from.x) * sign;
    const beside = Math.abs(isVertical ? place.x - from.x : place.y - from.y);
    if (along < 8) continue;
    const distance = along + beside * (isVertical ? 0.5 : 3);
    if (best === null || distance < best.distance - 0.001) best = { place, distance };
  }
  return best?.place ?? null;
}

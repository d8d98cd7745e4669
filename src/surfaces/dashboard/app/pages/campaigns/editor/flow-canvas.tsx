import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icons.tsx";
import { AddMenu } from "./add-menu.tsx";
import { FlowNodeButton } from "./flow-node.tsx";
import { layoutOf, nearest, nodeSize, type FlowGap, type FlowNode, type Point } from "./flow-layout.ts";
import { useFlowView } from "./flow-view.ts";
import { move, pathsInOrder, slotOf, stepAt, type Direction, type Path, type Slot } from "./program-edit.ts";
import type { StepKind } from "./step-kinds.ts";

export type FlowCanvasProps = {
  steps: readonly CampaignStep[];
  /** A path, "start", or "end". */
  selected: string;
  /** By path: what is wrong with the step. */
  problems: ReadonlyMap<Path, string>;
  startText: string;
  isReadOnly: boolean;
  /** Grows when the selected step is to get the focus. */
  focusRequest: number;
  onSelect: (path: string) => void;
  onOpen: () => void;
  onAdd: (slot: Slot, kind: StepKind) => void;
  onMove: (from: Path, to: Slot) => void;
  onMoveBy: (path: Path, direction: Direction) => void;
  onRemove: (path: Path) => void;
  onDuplicate: (path: Path) => void;
};

type Drag = { path: Path; at: Point; gap: FlowGap | null };
/** A pointer that moves less than this is a click. */
const dragThreshold = 5;
/** How near to a gap a step must be dropped, in the measure of the canvas. */
const dropDistance = 150;
const arrows: Record<string, Direction> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** The steps as a diagram: pan, zoom, select, insert, and drag, by pointer and by keyboard. */
export function FlowCanvas(props: FlowCanvasProps) {
  const { steps, selected, problems, isReadOnly } = props;
  const frame = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutOf(steps), [steps]);
  const numbers = useMemo(() => new Map(pathsInOrder(steps).map((path, index) => [path, index + 1])), [steps]);
  const { view, pan, zoom, fit, reveal, isPinching } = useFlowView(frame, layout);
  const [adding, setAdding] = useState<FlowGap | null>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const gapKey = (gap: FlowGap) => `gap ${gap.slot.list} ${gap.slot.index}`;
  const places = [
    ...layout.nodes.map(({ path, ...box }) => ({ name: path, ...middle(box) })),
    ...layout.gaps.filter((gap) => gap.isEmptySide && !isReadOnly).map((gap) => ({ name: gapKey(gap), ...gap.plus })),
  ];

  const focus = (name: string) =>
    frame.current?.querySelector<HTMLElement>(`[data-flow="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });

  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (props.focusRequest > 0) focus(selected);
  }, [props.focusRequest]);
  useEffect(() => {
    const node = layout.nodes.find(({ path }) => path === selected);
    if (node !== undefined) reveal(node);
  }, [selected, layout]);

  function onKeyDown(event: KeyboardEvent) {
    const name = (event.target as HTMLElement).closest<HTMLElement>("[data-flow]")?.dataset["flow"];
    if (name === undefined) return;
    const handled = press(event, name);
    if (handled) event.preventDefault();
  }

  function press(event: KeyboardEvent, name: string): boolean {
    const direction = arrows[event.key];
    const isStep = numbers.has(name);
    if (direction !== undefined && event.altKey) {
      if (isStep && !isReadOnly) props.onMoveBy(name, direction);
      return isStep;
    }
    if (direction !== undefined) {
      const from = places.find((place) => place.name === name);
      const next = from && nearest(places, from, direction);
      if (next === undefined || next === null) return true;
      if (!next.name.startsWith("gap ")) props.onSelect(next.name);
      focus(next.name);
      return true;
    }
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key !== "d" || !isStep || isReadOnly) return false;
      props.onDuplicate(name);
      return true;
    }
    if (key === "enter" && !name.startsWith("gap ")) {
      props.onSelect(name);
      props.onOpen();
      return true;
    }
    if (key === "0") fit();
    else if (key === "+" || key === "=") zoom(1.25);
    else if (key === "-") zoom(0.8);
    else if (isReadOnly) return false;
    else if ((key === "delete" || key === "backspace") && isStep) props.onRemove(name);
    else if (key === "insert" || key === "a") setAdding(gapAfter(name));
    else return false;
    return true;
  }

  function gapAfter(name: string): FlowGap | null {
    if (name.startsWith("gap ")) return layout.gaps.find((gap) => gapKey(gap) === name) ?? null;
    const slot: Slot =
      name === "start"
        ? { list: "", index: 0 }
        : name === "end"
          ? { list: "", index: steps.length }
          : { list: slotOf(name).list, index: slotOf(name).index + 1 };
    return layout.gaps.find((gap) => gap.slot.list === slot.list && gap.slot.index === slot.index) ?? null;
  }

  const inCanvas = (event: PointerEvent): Point => {
    const bounds = frame.current?.getBoundingClientRect();
    return {
      x: (event.clientX - (bounds?.left ?? 0) - view.x) / view.scale,
      y: (event.clientY - (bounds?.top ?? 0) - view.y) / view.scale,
    };
  };

  function startDrag(event: PointerEvent, path: Path) {
    if (event.button !== 0 || isReadOnly) return;
    const ended = follow(event, (moved) => {
      if (isPinching()) return setDrag(null);
      const at = inCanvas(moved);
      setDrag({ path, at, gap: dropGap(path, at) });
    });
    void ended.then((last) => {
      setDrag(null);
      const gap = last && !isPinching() ? dropGap(path, inCanvas(last)) : null;
      if (gap !== null) props.onMove(path, gap.slot);
    });
  }

  function dropGap(path: Path, at: Point): FlowGap | null {
    const allowed = layout.gaps.filter((gap) => move(steps, path, gap.slot) !== null);
    const near = allowed.map((gap) => ({ gap, distance: Math.hypot(gap.plus.x - at.x, (gap.plus.y - at.y) * 1.5) }));
    const best = near.toSorted((a, b) => a.distance - b.distance)[0];
    return best !== undefined && best.distance < dropDistance ? best.gap : null;
  }

  function startPan(event: PointerEvent) {
    if (event.button !== 0 || (event.target as HTMLElement).closest("button, .flow-menu") !== null) return;
    let last = { x: event.clientX, y: event.clientY };
    void follow(event, (moved) => {
      if (!isPinching()) pan({ x: moved.clientX - last.x, y: moved.clientY - last.y });
      last = { x: moved.clientX, y: moved.clientY };
    });
  }

  const dragged = drag && stepAt(steps, drag.path);
  return (
    <div
      class={`flow ${drag === null ? "" : "is-dragging"}`}
      ref={frame}
      role="group"
      aria-label="Flow of the campaign"
      onKeyDown={onKeyDown}
      onPointerDown={startPan}
    >
      <div class="flow-world" style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}>
        <svg class="flow-lines" width={layout.width} height={layout.height} aria-hidden="true">
          {layout.lines.map((line, index) => (
            <path key={index} d={line} />
          ))}
        </svg>
        {layout.labels.map((label) => (
          <span
            key={label.path + label.text}
            class={`flow-label ${label.text === "Yes" ? "yes" : "no"}`}
            style={at(label)}
          >
            {label.text}
          </span>
        ))}
        {layout.nodes.map((node) => (
          <FlowNodeButton
            key={node.path}
            node={node}
            step={stepAt(steps, node.path)}
            number={numbers.get(node.path) ?? null}
            startText={props.startText}
            problem={problems.get(node.path) ?? null}
            isSelected={node.path === selected}
            isDragged={drag?.path === node.path}
            onSelect={() => props.onSelect(node.path)}
            onOpen={props.onOpen}
            onDragStart={(event) => startDrag(event, node.path)}
          />
        ))}
        {!isReadOnly &&
          layout.gaps.map((gap) => (
            <button
              key={gapKey(gap)}
              type="button"
              data-flow={gapKey(gap)}
              class={`flow-plus ${drag?.gap?.slot === gap.slot ? "is-target" : ""} ${gap.isEmptySide ? "is-empty" : ""}`}
              style={at(gap.plus)}
              tabIndex={-1}
              aria-label={gapLabel(gap, numbers)}
              aria-expanded={adding?.slot === gap.slot}
              onClick={() => setAdding(gap)}
            >
              <Icon name="plus" />
            </button>
          ))}
        {drag !== null && dragged !== null && (
          <FlowNodeButton
            node={{
              path: "ghost",
              x: drag.at.x - nodeSize.width / 2,
              y: drag.at.y - nodeSize.height / 2,
              ...nodeSize,
            }}
            step={dragged}
            number={numbers.get(drag.path) ?? null}
            startText=""
            problem={null}
            isSelected={false}
            isDragged={false}
            isGhost
          />
        )}
      </div>
      {adding !== null && (
        <AddMenu
          at={{ x: view.x + adding.plus.x * view.scale, y: view.y + adding.plus.y * view.scale }}
          frame={{ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 }}
          list={adding.slot.list}
          onChoose={(kind) => {
            setAdding(null);
            props.onAdd(adding.slot, kind);
          }}
          onClose={(returnFocus) => {
            setAdding(null);
            if (returnFocus)
              focus(numbers.has(selected) || selected === "start" || selected === "end" ? selected : gapKey(adding));
          }}
        />
      )}
      <div class="flow-zoom buttons">
        <Button kind="quiet" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(0.8)}>
          −
        </Button>
        <span class="number small" aria-live="off">
          {Math.round(view.scale * 100)} %
        </span>
        <Button kind="quiet" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.25)}>
          +
        </Button>
        <Button kind="quiet" title="Show the whole flow (0)" onClick={fit}>
          Fit
        </Button>
      </div>
    </div>
  );
}

function middle({ x, y, width, height }: Omit<FlowNode, "path">): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

function at({ x, y }: Point) {
  return { left: `${x}px`, top: `${y}px` };
}

function gapLabel({ slot, isEmptySide }: FlowGap, numbers: ReadonlyMap<Path, number>): string {
  const parts = slot.list.split(".");
  const side = parts.at(-1);
  const branch = numbers.get(parts.slice(0, -1).join("."));
  const where = slot.list === "" ? "" : ` if ${side} of step ${branch}`;
  if (isEmptySide || slot.index === 0) return `Add the first step${where}`;
  const before = numbers.get(slot.list === "" ? String(slot.index - 1) : `${slot.list}.${slot.index - 1}`);
  return `Add a step after step ${before}`;
}

/** Reports the moves of a pointer that is dragged; resolves with its last event, or null if it was a click or canceled. */
function follow(start: PointerEvent, onMove: (event: PointerEvent) => void): Promise<PointerEvent | null> {
  return new Promise((resolve) => {
    let isDrag = false;
    const moved = (event: PointerEvent) => {
      if (event.pointerId !== start.pointerId) return;
      isDrag ||= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > dragThreshold;
      if (isDrag) onMove(event);
    };
    const end = (event: PointerEvent | KeyboardEvent) => {
      if (event instanceof KeyboardEvent ? event.key !== "Escape" : event.pointerId !== start.pointerId) return;
      removeEventListener("pointermove", moved);
      for (const type of ["pointerup", "pointercancel", "keydown"] as const) removeEventListener(type, end, true);
      // The click at the end of a drag selects nothing.
      if (isDrag) {
        const swallow = (click: Event) => click.stopPropagation();
        addEventListener("click", swallow, { capture: true, once: true });
        setTimeout(() => removeEventListener("click", swallow, true));
      }
      resolve(isDrag && event.type === "pointerup" ? (event as PointerEvent) : null);
    };
    addEventListener("pointermove", moved);
    for (const type of ["pointerup", "pointercancel", "keydown"] as const) addEventListener(type, end, true);
  });
}

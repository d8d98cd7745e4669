import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Point } from "./flow-layout.ts";

export const zoomRange = { least: 0.3, most: 1.5 };
const padding = 24;
/** What is shown must not lie below the buttons in the corner. */
const zoomBarHeight = 48;

/** What part of the canvas is shown: `scale`, and where its origin is on the screen. */
export type FlowView = Point & { scale: number };
type Size = { width: number; height: number };

/** The whole content in the middle, at most in its natural size. */
export function fitted(content: Size, frame: Size): FlowView {
  const scale = Math.min(1, (frame.width - 2 * padding) / content.width, (frame.height - 2 * padding) / content.height);
  return centered(content, frame, clamp(scale));
}

/** Legible: as wide as the frame allows, and from the top. */
export function readable(content: Size, frame: Size): FlowView {
  return centered(content, frame, clamp(Math.min(1, Math.max(0.6, (frame.width - 2 * padding) / content.width))));
}

/** Changes the scale, and keeps the point of the frame where it is. */
export function zoomed(view: FlowView, factor: number, at: Point): FlowView {
  const scale = clamp(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Follows two fingers: what was between them stays between them. */
export function pinched(view: FlowView, [a, b]: [Point, Point], [c, d]: [Point, Point]): FlowView {
  const middle = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
  const apart = (one: Point, other: Point): number => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  const [from, to] = [middle(a, b), middle(c, d)];
  const { scale, x, y } = zoomed(view, apart(c, d) / apart(a, b), from);
  return { scale, x: x + to.x - from.x, y: y + to.y - from.y };
}

/** Moves the view as little as needed to show a box. */
export function showing(view: FlowView, box: Point & Size, frame: Size): FlowView {
  const shift = (start: number, length: number, frameLength: number): number => {
    if (start < padding) return padding - start;
    const over = start + length - (frameLength - padding);
    return over > 0 ? -Math.min(over, start - padding) : 0;
  };
  return {
    scale: view.scale,
    x: view.x + shift(view.x + box.x * view.scale, box.width * view.scale, frame.width),
    y: view.y + shift(view.y + box.y * view.scale, box.height * view.scale, frame.height),
  };
}

function centered(content: Size, frame: Size, scale: number): FlowView {
  const y = Math.max(padding, (frame.height - content.height * scale) / 2);
  return { scale, x: (frame.width - content.width * scale) / 2, y };
}

function clamp(scale: number): number {
  return Math.min(zoomRange.most, Math.max(zoomRange.least, scale));
}

/** The view of a canvas in a frame, which wheels and fingers pan and zoom. */
export function useFlowView(frame: RefObject<HTMLDivElement | null>, content: Size) {
  const [view, setView] = useState<FlowView>({ x: 0, y: 0, scale: 1 });
  const hasMoved = useRef(false);
  const fingers = useRef(new Map<number, Point>());
  const sizeOf = (): Size => ({ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 });

  // Until somebody moves it, the view follows the size of the frame and of the content.
  useEffect(() => {
    const place = () => {
      if (!hasMoved.current) setView(readable(content, sizeOf()));
    };
    place();
    if (frame.current === null || typeof ResizeObserver === "undefined") return undefined;
    const sizes = new ResizeObserver(place);
    sizes.observe(frame.current);
    return () => sizes.disconnect();
  }, [content.width, content.height]);

  const change = (next: (before: FlowView) => FlowView): void => {
    hasMoved.current = true;
    setView(next);
  };

  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const at = (event: PointerEvent): Point => {
      const bounds = element.getBoundingClientRect();
      return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
    };
    const both = (): [Point, Point] | null => {
      const [one, other, third] = fingers.current.values();
      return one === undefined || other === undefined || third !== undefined ? null : [one, other];
    };
    const down = (event: PointerEvent) => {
      if (event.pointerType === "touch") fingers.current.set(event.pointerId, at(event));
    };
    const moved = (event: PointerEvent) => {
      if (!fingers.current.has(event.pointerId)) return;
      const before = both();
      fingers.current.set(event.pointerId, at(event));
      const after = both();
      if (before !== null && after !== null) change((view) => pinched(view, before, after));
    };
    const up = (event: PointerEvent) => void fingers.current.delete(event.pointerId);
    element.addEventListener("pointerdown", down);
    addEventListener("pointermove", moved);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
    return () => {
      element.removeEventListener("pointerdown", down);
      removeEventListener("pointermove", moved);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
    };
  }, []);

  // Not passive, so that the page does not scroll or zoom with the canvas.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const bounds = element.getBoundingClientRect();
      const at = { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
      if (event.ctrlKey || event.metaKey) change((before) => zoomed(before, Math.exp(-event.deltaY / 300), at));
      else change((before) => ({ ...before, x: before.x - event.deltaX, y: before.y - event.deltaY }));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);

  return {
    view,
    /** Two fingers zoom, so that neither of them pans or drags. */
    isPinching: () => fingers.current.size > 1,
    pan: (by: Point) => change((before) => ({ ...before, x: before.x + by.x, y: before.y + by.y })),
    zoom: (factor: number) =>
      change((before) => {
        const { width, height } = sizeOf();
        return zoomed(before, factor, { x: width / 2, y: height / 2 });
      }),
    fit: () => {
      setView(fitted(content, sizeOf()));
      hasMoved.current = true;
    },
    reveal: (box: Point & Size) => {
      const size = sizeOf();
      if (size.width === 0) return;
      setView((before) => {
        const next = showing(before, box, { ...size, height: size.height - zoomBarHeight });
        if (next.x === before.x && next.y === before.y) return before;
        // The frame reports its size a moment later, which would take the view back to the top.
        hasMoved.current = true;
        return next;
      });
    },
  };
}

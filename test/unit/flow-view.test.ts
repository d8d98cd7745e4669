import { expect, test } from "bun:test";
import {
  fitted,
  pinched,
  showing,
  zoomRange,
} from "../../src/surfaces/dashboard/app/pages/campaigns/editor/flow-view.ts";

const view = { x: 10, y: 20, scale: 1 };

test("two fingers keep what is between them, within the range of zoom", () => {
  const spread = pinched(
    view,
    [
      { x: 90, y: 100 },
      { x: 110, y: 100 },
    ],
    [
      { x: 85, y: 100 },
      { x: 115, y: 100 },
    ],
  );
  expect(spread.scale).toBe(1.5);
  // The point of the canvas under the middle of the fingers.
  expect([(100 - spread.x) / spread.scale, (100 - spread.y) / spread.scale]).toEqual([90, 80]);
  const moved = pinched(
    view,
    [
      { x: 0, y: 0 },
      { x: 10, y: 0 },
    ],
    [
      { x: 30, y: 5 },
      { x: 40, y: 5 },
    ],
  );
  expect(moved).toEqual({ x: 40, y: 25, scale: 1 });
  const far = pinched(
    view,
    [
      { x: 0, y: 0 },
      { x: 0, y: 0 },
    ],
    [
      { x: 0, y: 0 },
      { x: 900, y: 0 },
    ],
  );
  expect(far.scale).toBe(zoomRange.most);
});

test("a step outside of the frame is shown with the least movement, and one inside moves nothing", () => {
  const frame = { width: 400, height: 300 };
  const box = { width: 100, height: 50 };
  expect(showing(view, { x: 100, y: 100, ...box }, frame)).toEqual(view);
  const below = showing(view, { x: 100, y: 500, ...box }, frame);
  expect(below.y + 550).toBe(300 - 24);
  expect(below.x).toBe(view.x);
  expect(fitted({ width: 4000, height: 10 }, frame).scale).toBe(zoomRange.least);
});

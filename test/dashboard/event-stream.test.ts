import { expect, test } from "bun:test";
import { createParser, type LiveEvent } from "../../src/surfaces/dashboard/app/event-stream.ts";

function parse(pieces: readonly string[]): LiveEvent[] {
  const found: LiveEvent[] = [];
  const parser = createParser((event) => found.push(event));
  for (const piece of pieces) parser(piece);
  return found;
}

const stream =
  'id: 7\nevent: job.completed\ndata: {"type":"job.completed","data":{"id":"j"}}\n\n: still here\n\ndata: {"a":\ndata: 1}\n\n';

test("parses events with the ID to resume from", () => {
  expect(parse([stream])).toEqual([
    { id: "7", type: "job.completed", data: { type: "job.completed", data: { id: "j" } } },
    { id: "7", type: "message", data: { a: 1 } },
  ]);
});

test("parses events that are split anywhere", () => {
  const whole = parse([stream]);
  for (let at = 1; at < stream.length; at++) expect(parse([stream.slice(0, at), stream.slice(at)])).toEqual(whole);
  expect(parse(stream.replaceAll("\n", "\r\n").split(""))).toEqual(whole);
});

test("accepts an event name alone, and data that is not JSON", () => {
  expect(parse(["event: ping\ndata: hello\n\n"])).toEqual([{ id: null, type: "ping", data: "hello" }]);
});

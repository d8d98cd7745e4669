import { Elysia } from "elysia";
import type { Core } from "../http/core.ts";
import { body } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
import { requireAdmin } from "../keys/caller.ts";
import { Advanced, ClockInput, SimulationView } from "./model.ts";
import type { Simulator } from "./simulator.ts";

/** Only a server that was started with --simulate has these. */
export function simulationRoutes(core: Core, simulator: Simulator) {
  return new Elysia({ prefix: "/api/v2/simulation" })
    .use(core)
    .get("/", () => ok(simulator.view()), {
      callerOnly: null,
      detail: answersJson(success(SimulationView), { tag: "Simulation", summary: "What time it is" }),
    })
    .post(
      "/clock",
      async ({ caller, body: input, request, server }) => {
        requireAdmin(caller);
        // A year takes longer than a connection may be silent.
        server?.timeout(request, 0);
        return ok(await simulator.advance(input, request.signal));
      },
      {
        callerOnly: "users:write",
        body: body(ClockInput),
        detail: answersJson(success(Advanced), {
          tag: "Simulation",
          summary: "Move the clock on",
          description:
            "For admins. Everything that is due until then happens, in order and at its moment, before the answer comes, which tells what it was. A client that goes away stops the clock where it is.",
          errors: ["CONFLICT"],
        }),
      },
    );
}

import { ApiError } from "../../platform/base/errors.ts";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { givenUp } from "../../platform/http/idempotency.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { requireAdmin } from "../../platform/auth/caller.ts";
import { Advanced, ClockInput, SimulationView } from "./model.ts";
import type { Simulator } from "./simulator.ts";

/** `simulator` is null on a real server, where these routes answer NOT_FOUND. */
export function simulationRoutes(core: Core, simulator: Simulator | null) {
  function simulated(): Simulator {
    if (simulator !== null) return simulator;
    throw new ApiError("NOT_FOUND", {
      message: "This server is real. Start one with --simulate, on a data directory of its own.",
      details: { resource: "simulation", id: "" },
    });
  }
  return feature(core, "/api/v2/simulation")
    .get("/", () => ok(simulated().view()), {
      callerOnly: "users:read",
      detail: answersJson(success(SimulationView), {
        tag: "Simulation",
        summary: "What time it is",
        errors: ["NOT_FOUND"],
      }),
    })
    .post(
      "/clock",
      async ({ caller, body: input, request, server }) => {
        requireAdmin(caller);
        // A year takes longer than a connection may be silent.
        server?.timeout(request, 0);
        return ok(await simulated().advance(input, givenUp(request)));
      },
      {
        callerOnly: "users:write",
        body: body(ClockInput),
        detail: answersJson(success(Advanced), {
          tag: "Simulation",
          summary: "Move the clock on",
          description:
            "For admins. Everything that is due until then happens, in order and at its moment, before the answer comes, which tells what it was. A client that goes away stops the clock where it is, unless it sent an Idempotency-Key: then it comes back for the answer.",
          errors: ["CONFLICT", "NOT_FOUND"],
        }),
      },
    );
}

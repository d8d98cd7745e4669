import { ApiError } from "../../platform/base/errors.ts";
import { routes } from "../../platform/http/route.ts";
import { body } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { requireAdmin } from "../../platform/auth/caller.ts";
import { Advanced, ClockInput, SimulationView } from "./model.ts";
import type { Simulator } from "./simulator.ts";

/** `simulator` is null on a real server, where these routes return NOT_FOUND. */
export function simulationRoutes(simulator: Simulator | null) {
  function simulated(): Simulator {
    if (simulator !== null) return simulator;
    throw new ApiError("NOT_FOUND", {
      message: "This server is not a simulation. Start one with --simulate and a separate data directory.",
      details: { resource: "simulation", id: "" },
    });
  }
  return routes("/api/v2/simulation")
    .get("/", () => ok(simulated().view()), {
      callerOnly: "users:read",
      docs: answersJson(success(SimulationView), {
        tag: "Simulation",
        summary: "Get the simulated clock",
        errors: ["NOT_FOUND"],
      }),
    })
    .post(
      "/clock",
      async ({ caller, body: input, signal, setIdleTimeout }) => {
        requireAdmin(caller);
        // Advancing by a year outlasts the idle timeout of a connection.
        setIdleTimeout(0);
        return ok(await simulated().advance(input, signal));
      },
      {
        callerOnly: "users:write",
        body: body(ClockInput),
        docs: answersJson(success(Advanced), {
          tag: "Simulation",
          summary: "Advance the simulated clock",
          description:
            "Admins only. Runs everything that is due until then, in order and at its scheduled time, and returns a summary. If the client disconnects, the clock stops where it is, unless the request has an Idempotency-Key: then the clock advances to the end, and repeating the request returns the result.",
          errors: ["CONFLICT", "NOT_FOUND"],
        }),
      },
    );
}

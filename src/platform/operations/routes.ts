import type { Core } from "../http/core.ts";
import { feature } from "../http/feature.ts";
import { body } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/responses.ts";
import { MaintenanceInput, OperationsView } from "./model.ts";
import type { Operations } from "./operations.ts";

export function operationsRoutes(core: Core, operations: Operations) {
  return feature(core, "/api/v2/operations")
    .get("/", ({ caller }) => ok(operations.view(caller)), {
      callerOnly: "users:read",
      detail: answersJson(success(OperationsView), {
        tag: "Operations",
        summary: "Get maintenance mode and clock",
        description: "For admins.",
      }),
    })
    .put("/maintenance", async ({ caller, body: input }) => ok(await operations.setMaintenance(caller, input)), {
      callerOnly: "users:write",
      body: body(MaintenanceInput),
      detail: answersJson(success(OperationsView), {
        tag: "Operations",
        summary: "Turn maintenance mode on or off",
        description:
          "For admins. While it is on, requests that change something get 503 with Retry-After, reads work, no job begins, and the health status is `maintenance`. It survives a restart.",
      }),
    });
}

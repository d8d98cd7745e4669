import { routes } from "../http/route.ts";
import { body } from "../http/input.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";
import { MaintenanceInput, OperationsView } from "./model.ts";
import type { Operations } from "./operations.ts";

export function operationsRoutes(operations: Operations) {
  return routes("/api/v2/operations")
    .get("/", ({ caller }) => ok(operations.view(caller)), {
      callerOnly: "users:read",
      docs: answersJson(success(OperationsView), {
        tag: "Operations",
        summary: "Get the operations status",
        description: "Admins only. Returns maintenance mode and the state of the clock.",
      }),
    })
    .put("/maintenance", async ({ caller, body: input }) => ok(await operations.setMaintenance(caller, input)), {
      callerOnly: "users:write",
      body: body(MaintenanceInput),
      docs: answersJson(success(OperationsView), {
        tag: "Operations",
        summary: "Enable or disable maintenance mode",
        description:
          "Admins only. In maintenance mode, write requests return 503 with Retry-After, read requests work, no jobs start, and the health status is `maintenance`. The mode persists across restarts.",
      }),
    });
}

import { routes } from "../http/route.ts";
import { answersJson, success } from "../http/openapi.ts";
import { ok } from "../http/request-context.ts";
import { NodeList } from "./model.ts";
import type { NodeService } from "./node-service.ts";

export function nodeRoutes(nodes: NodeService) {
  return routes("/api/v2/nodes").get("/", async ({ caller }) => ok(await nodes.list(caller)), {
    callerOnly: "users:read",
    docs: answersJson(success(NodeList), {
      tag: "Operations",
      summary: "List nodes",
      description:
        "Admins only. Returns the processes that share the database, as each last reported, and which of them has the lead. A node that stops leaves the list; one that was killed is `gone` and leaves it after an hour. With the embedded database, the list contains this process only.",
    }),
  });
}

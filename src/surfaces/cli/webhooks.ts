import { setTimeout as sleep } from "node:timers/promises";
import { Option, type Command } from "commander";
import {
  deliveryStates,
  type DeliveryView,
  type EndpointView,
  type NewEndpointView,
} from "../../features/webhooks/model.ts";
import type { Api } from "./api.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { countOf } from "./progress.ts";
import type { ConnectionFlags } from "./session.ts";
import {
  deliveriesText,
  deliveryText,
  endpointsText,
  endpointText,
  newSecretText,
  type DeliveryList,
} from "./webhook-text.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ContentFlags = UserFlags & { event?: string[]; description?: string };
type UpdateFlags = ContentFlags & { postTo?: string; enable?: boolean; disable?: boolean };
type RangeFlags = UserFlags & { from?: string; to?: string; all?: boolean };

export function addWebhookCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("webhooks")
    .description("Manage the URLs that receive events, and look at and repeat their deliveries.");
  addReading(group, context);
  addChanges(group, context);
  addDeliveries(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  const list = group.command("list").description("List webhook endpoints, newest first.");
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const endpoints = await api.getAll<EndpointView>("/webhooks", "endpoints", { userId });
      await present(context, { endpoints }, endpointsText(endpoints));
    }),
  );

  const show = group.command("show <ENDPOINT_ID>").description("Show a webhook endpoint and its state.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const endpoint = await api.get<EndpointView>(pathOf(id), { userId });
      await present(context, endpoint, endpointText(endpoint));
    }),
  );
}

function addChanges(group: Command, context: CommandContext): void {
  const create = group
    .command("create <URL>")
    .description("Create a webhook endpoint, and show its signing secret once.");
  addConnectionFlags(addUserFlag(addContentFlags(create))).action((url: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { event: events, description } = flags;
      const created = await api.post<NewEndpointView>("/webhooks", { url, events, description, userId });
      await present(context, created, `Created the endpoint ${created.id}.\n\n${newSecretText(created)}`);
    }),
  );

  const update = group
    .command("update <ENDPOINT_ID>")
    .description("Change, enable, or disable a webhook endpoint.")
    .option("--post-to <URL>", "New URL that events are posted to.")
    .addOption(new Option("--enable", "Deliver events again, pending ones first.").conflicts("disable"))
    .option("--disable", "Deliver nothing until it is enabled again.");
  addConnectionFlags(addUserFlag(addContentFlags(update))).action((id: string, flags: UpdateFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { postTo: url, event: events, description, enable, disable } = flags;
      const isEnabled = enable === true ? true : disable === true ? false : undefined;
      const change = { url, events, description, isEnabled };
      if (Object.values(change).every((value) => value === undefined))
        throw new CommandError(
          exitCodes.usage,
          "Nothing to change: send --post-to, --event, --description, --enable, or --disable.",
        );
      const changed = await api.patch<EndpointView>(pathOf(id), { ...change, userId });
      await present(context, changed, endpointText(changed));
    }),
  );

  const remove = group
    .command("delete <ENDPOINT_ID>")
    .description("Delete a webhook endpoint and its deliveries permanently.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      await api.delete(pathOf(id), { userId });
      await present(context, { deleted: id }, `Deleted the endpoint ${id}.`);
    }),
  );

  const rotate = group
    .command("rotate <ENDPOINT_ID>")
    .description("Replace the signing secret, and show the new one once.")
    .option(
      "--overlap-hours <HOURS>",
      "Hours during which deliveries are also signed with the old secret. Default: 24.",
      wholeNumberFlag(0, 168),
    );
  addConnectionFlags(addUserFlag(rotate)).action((id: string, flags: UserFlags & { overlapHours?: number }) =>
    forUser(context, flags, async (api, userId) => {
      const { overlapHours } = flags;
      const changed = await api.post<NewEndpointView>(`${pathOf(id)}/rotate`, { overlapHours, userId });
      await present(context, changed, newSecretText(changed));
    }),
  );
}

function addDeliveries(group: Command, context: CommandContext): void {
  const test = group
    .command("test <ENDPOINT_ID>")
    .description("Send a test event, and show what the endpoint responded. Exits with 1 if it failed.");
  addConnectionFlags(addUserFlag(test)).action((id: string, flags: UserFlags) =>
    forUser(
      context,
      flags,
      async (api, userId) => {
        const sent = await api.post<DeliveryView>(`${pathOf(id)}/test`, { userId });
        const ended = await outcomeOf(api, sent, userId);
        await present(context, ended, deliveryText(ended));
        if (ended.state !== "delivered") context.exitCode = exitCodes.failed;
      },
      { runsJobs: true },
    ),
  );

  const list = group
    .command("deliveries <ENDPOINT_ID>")
    .description("List deliveries of an endpoint, newest event first, with the last response.")
    .addOption(new Option("--state <STATE>", "Only deliveries in this state.").choices(deliveryStates))
    .option("--event <TYPE>", "Only this event type, or group such as lead.*. Repeat it for several.", repeated)
    .option("--limit <NUMBER>", "Number of deliveries.", wholeNumberFlag(1, 100), 25);
  addConnectionFlags(addUserFlag(list)).action(
    (id: string, flags: UserFlags & { state?: string; event?: string[]; limit: number }) =>
      forUser(context, flags, async (api, userId) => {
        const { state, event: type, limit } = flags;
        const found = await api.get<DeliveryList>(`${pathOf(id)}/deliveries`, { state, type, limit, userId });
        await present(context, found, deliveriesText(found));
      }),
  );

  const show = group
    .command("delivery <ENDPOINT_ID> <DELIVERY_ID>")
    .description("Show a delivery: its attempts, and the body that is posted.");
  addConnectionFlags(addUserFlag(show)).action((id: string, deliveryId: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const delivery = await api.get<DeliveryView>(deliveryPath(id, deliveryId), { userId });
      await present(context, delivery, deliveryText(delivery));
    }),
  );

  const replay = group
    .command("redeliver <ENDPOINT_ID> [DELIVERY_IDS...]")
    .description("Deliver events again: some by ID, or those of a time range. Each keeps its webhook-id.")
    .option("--from <TIME>", "Start of the time range, such as 2030-01-31T10:00:00Z.")
    .option("--to <TIME>", "End of the time range. Default: now.")
    .option("--all", "Every event in the range, not only those that were not delivered.");
  addConnectionFlags(addUserFlag(replay)).action((id: string, deliveryIds: string[], flags: RangeFlags) => {
    if (deliveryIds.length > 0 === (flags.from !== undefined))
      throw new CommandError(
        exitCodes.usage,
        "Specify IDs, which `outreachd webhooks deliveries` shows, or --from TIME.",
      );
    return forUser(context, flags, async (api, userId) => {
      const replayed =
        flags.from === undefined
          ? await redeliver(api, id, deliveryIds, userId)
          : await redeliverRange(api, id, flags, userId);
      await present(context, { replayed }, `Queued ${countOf(replayed, "event")} again.`);
    });
  });
}

function addContentFlags(command: Command): Command {
  return command
    .option(
      "--event <TYPE>",
      "Event type, or group such as lead.*. Repeat it for several. Default: all; * selects all again.",
      repeated,
    )
    .option("--description <TEXT>", "What the endpoint is for.");
}

/** A test is sent at once and not retried; an endpoint has 15 seconds to respond. */
async function outcomeOf(api: Api, sent: DeliveryView, userId: string | undefined): Promise<DeliveryView> {
  let delivery = sent;
  for (let waited = 0; delivery.state === "pending" && waited < longestTestMs; waited += pauseMs) {
    await sleep(pauseMs);
    delivery = await api.get<DeliveryView>(deliveryPath(sent.endpointId, sent.id), { userId });
  }
  return delivery;
}

async function redeliver(api: Api, id: string, deliveryIds: readonly string[], userId: string | undefined) {
  for (const deliveryId of deliveryIds) await api.post(`${deliveryPath(id, deliveryId)}/replay`, { userId });
  return deliveryIds.length;
}

async function redeliverRange(
  api: Api,
  id: string,
  { from, to, all }: RangeFlags,
  userId: string | undefined,
): Promise<number> {
  type Part = { replayed: number; nextCursor: string | null };
  let total = 0;
  let after: string | undefined;
  const range = { from, to, include: all === true ? "all" : undefined };
  do {
    const part: Part = await api.post<Part>(`${pathOf(id)}/replay`, { ...range, after, userId });
    total += part.replayed;
    after = part.nextCursor ?? undefined;
  } while (after !== undefined);
  return total;
}

const pathOf = (id: string) => `/webhooks/${encodeURIComponent(id)}`;
const deliveryPath = (id: string, deliveryId: string) => `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}`;

const pauseMs = 500;
const longestTestMs = 20_000;

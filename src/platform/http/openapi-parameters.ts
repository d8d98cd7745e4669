import type { TSchema } from "@sinclair/typebox";

export type Parameter = { name: string; in?: string; description?: string; schema?: TSchema };

/** What parameters mean wherever they occur, unless the schema of a route describes them itself. */
const common: Record<string, string> = {
  accountId: "Only what belongs to this network account.",
  actionType: "Only actions of this type.",
  by: "Count jobs by the time of their creation or of their execution.",
  days: "Number of days, up to and including today.",
  facet: "Field whose values to count.",
  field: "Field whose values to list.",
  format: "Format of the response.",
  kind: "Only entries of this kind.",
  label: "Only conversations with this label.",
  leadId: "Only what belongs to this lead.",
  limit: "Items per page.",
  offset: "Items to skip. For long lists, `cursor` is faster where it is offered.",
  onDuplicate: "What happens to people who are stored already.",
  order: "Order of the items.",
  outcome: "Only rows with this outcome.",
  profileUrl: "Only what belongs to the person with this profile.",
  scope: "Whether entries are the user's own or apply to the whole workspace.",
  snoozed: "Whether snoozed conversations are excluded, included, or the only ones.",
  sort: "Field by which to sort; descending with a leading `-`.",
  state: "Only items in this state.",
  status: "Only items with this status.",
  tagMatch: "Whether a lead must have all of the tags or any of them.",
  type: "Only items of this type.",
};

const inPaths: Record<string, string> = {
  accountId: "ID of the network account.",
  endpointId: "ID of the webhook endpoint.",
  name: "Name of the backup.",
  provider: "Name of the provider.",
  sampleId: "ID of the recording.",
  searchId: "ID of the saved search.",
  suppressionId: "ID of the entry.",
  voiceId: "ID of the voice clone.",
};

/** A parameter with its description where tools look for one: beside its schema, not in it. */
export function describedParameter(parameter: Parameter): Parameter {
  const { description: ofSchema, ...schema } = parameter.schema ?? {};
  const description = parameter.description ?? ofSchema ?? descriptionOf(parameter);
  return { ...parameter, ...(description !== undefined && { description, schema: schema as TSchema }) };
}

/** IDs in paths are named after what they identify: `campaignId` is the ID of the campaign. */
function descriptionOf({ name, in: place }: Parameter): string | undefined {
  if (place !== "path") return common[name];
  return inPaths[name] ?? (name.endsWith("Id") ? `ID of the ${name.slice(0, -2)}.` : undefined);
}

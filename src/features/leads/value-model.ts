import { Type, type Static } from "@sinclair/typebox";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import { leadSearchFields, type LeadSearchField } from "./model.ts";

export const valueFields = [...leadSearchFields, "tag", "list", "customField"] as const;
export type ValueField = (typeof valueFields)[number];

/** Names of custom fields are collected from this many of the newest leads that have any. */
export const sampledForNames = 20_000;

/** Which values to look for. `text`: part of the value, in any case; "" matches all. */
export type ValuesRequest = {
  workspaceId: WorkspaceId;
  of:
    | { kind: "field"; field: LeadSearchField }
    /** Tags that start with the prefix, or, if it is not `isIncluded`, all others. In lower case. */
    | { kind: "tag"; prefix: string; isIncluded: boolean }
    | { kind: "customFieldNames" }
    | { kind: "customField"; name: string };
  text: string;
  limit: number;
};

/** A value, and how many leads have it. */
export type LeadValue = { value: string; leads: number };

export const LeadValues = Type.Object(
  {
    values: Type.Array(
      Type.Object({ value: Type.String(), leads: Type.Integer({ description: "Number of leads that have it." }) }),
      { description: "The most frequent ones first." },
    ),
  },
  { $id: "LeadValues" },
);
export type LeadValues = Static<typeof LeadValues>;

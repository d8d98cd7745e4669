import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { CompanyContent, Prospect, ProspectContent } from "./model.ts";
import { prospectId } from "./prospect-id.ts";

export type StoredProspect = {
  number: number;
  content: ProspectContent;
  /** `content` as it is stored. */
  json: string;
  leadId: string | null;
  createdAt: number;
  updatedAt: number;
};

export function prospectOf(workspaceId: WorkspaceId, row: StoredProspect): Prospect {
  const { number, content, leadId, createdAt, updatedAt } = row;
  return { ...content, id: prospectId(workspaceId, number), workspaceId, leadId, createdAt, updatedAt };
}

/** The content of a row, depending on its kind. */
export function contentIn<T extends ProspectContent | CompanyContent>({ content }: { content: Uint8Array }): T {
  return JSON.parse(decoder.decode(content)) as T;
}

const decoder = new TextDecoder();

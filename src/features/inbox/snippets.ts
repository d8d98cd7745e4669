import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, requireFields } from "../../platform/base/errors.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import { isBlank, multiLine, singleLine } from "../../platform/base/text.ts";
import { fillTemplate } from "../network/template.ts";
import type { Snippet, SnippetInput, SnippetUpdate } from "./model.ts";
import type { InboxStore, SnippetOutcome } from "./store.ts";

/** Texts for replies, which all members of a workspace share. */
export class SnippetService {
  readonly #store: InboxStore;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(store: InboxStore, clock: Clock, ids: Ids) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Throws VALIDATION_ERROR for unknown variables, and CONFLICT if the name is taken. */
  async create(workspaceId: WorkspaceId, input: SnippetInput): Promise<Snippet> {
    const now = this.#clock.now();
    const content = { name: nameOf(input.name), text: textOf(input.text) };
    const snippet = { id: this.#ids.next(now), workspaceId, ...content, createdAt: now, updatedAt: now };
    return stored(await this.#store.addSnippet(snippet), snippet);
  }

  /** By name. `next`: the name after which the next page starts; null on the last page. */
  async page(
    workspaceId: WorkspaceId,
    limit: number,
    after: string | null,
  ): Promise<{ snippets: Snippet[]; total: number; next: string | null }> {
    const [found, total] = await Promise.all([
      this.#store.snippets(workspaceId, limit + 1, after),
      this.#store.countSnippets(workspaceId),
    ]);
    const snippets = found.slice(0, limit);
    return { snippets, total, next: found.length > limit ? (snippets.at(-1)?.name ?? null) : null };
  }

  async find(workspaceId: WorkspaceId, id: string): Promise<Snippet> {
    const snippet = await this.#store.snippet(workspaceId, id);
    if (snippet === null) throw notFound("snippet", id);
    return snippet;
  }

  /** Throws NOT_FOUND, and the same errors as `create`. */
  async update(workspaceId: WorkspaceId, id: string, { name, text }: SnippetUpdate): Promise<Snippet> {
    const content = {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(text !== undefined && { text: textOf(text) }),
    };
    requireFields(content);
    const change = { ...content, updatedAt: this.#clock.now() };
    return stored(await this.#store.updateSnippet(workspaceId, id, change), { id, name: name ?? "" });
  }

  async remove(workspaceId: WorkspaceId, id: string): Promise<void> {
    if (!(await this.#store.removeSnippet(workspaceId, id))) throw notFound("snippet", id);
  }
}

function nameOf(text: string): string {
  const name = singleLine(text);
  if (isBlank(name)) throw invalid([{ path: "name", message: "Must not be empty." }]);
  return name;
}

/** Variables are checked as if none had a value: the lead of a reply is unknown. */
function textOf(written: string): string {
  const text = multiLine(written).trim();
  if (isBlank(text)) throw invalid([{ path: "text", message: "Must not be empty." }]);
  const filled = fillTemplate(text.replace(/\{\{([^{}|]*)(\|[^{}]*)?\}\}/g, "{{$1|-}}"), null, "text");
  if ("errors" in filled) throw invalid(filled.errors);
  return text;
}

function stored(outcome: SnippetOutcome, { id, name }: Pick<Snippet, "id" | "name">): Snippet {
  if (outcome.kind === "stored") return outcome.snippet;
  if (outcome.kind === "absent") throw notFound("snippet", id);
  throw new ApiError("CONFLICT", {
    message: `A snippet named "${name}" already exists. Choose another name, or update the existing one.`,
    details: { reason: "nameTaken", name },
  });
}

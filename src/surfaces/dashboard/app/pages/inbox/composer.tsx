import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationView, SnippetView } from "../../../../../features/inbox/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { CloneView } from "../../../../../features/voice/model.ts";
import { messageLength } from "../../../../../lib/message-text/message-text.ts";
import { api, getAll, RequestError } from "../../api.ts";
import { count, withoutRequests } from "../../format.ts";
import { fillForLead } from "../../lead-variables.ts";
import { MessagePreview, MessageProblems } from "../../message-preview.tsx";
import { useResource } from "../../resource.ts";
import { here, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { commandKey } from "../../shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { nameOfPerson } from "./labels.ts";

/** Limits of the network, in UTF-16 units, as it counts. */
const maxText = 8000;
const maxSpeech = 1000;

/** What was written and not sent, by conversation, until the page is reloaded. */
const drafts = new Map<string, string>();

// Other pages of the dashboard keep them; a reload would not.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault();
});

type ComposerProps = { conversation: ConversationView; onSent: () => void };

/** Writes a reply, with snippets, or as a voice message. */
export function Composer({ conversation, onSent }: ComposerProps) {
  const { id, label } = conversation;
  const [text, setText] = useState(drafts.get(id) ?? "");
  const [voiceId, setVoiceId] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // The same for every attempt to send this text: a second click, or a retry after a lost response, sends nothing more.
  const requestKey = useRef(crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const most = voiceId === "" ? maxText : maxSpeech;
  const { filled, isFilled } = useFilled(conversation, text);
  const length = messageLength(filled.text);
  const isTooLong = length > most;

  useEffect(() => void (text.trim() === "" ? drafts.delete(id) : drafts.set(id, text)), [text]);

  function write(written: string): void {
    setText(written);
    setError(null);
    requestKey.current = crypto.randomUUID();
  }

  async function send(): Promise<void> {
    if (isBusy || text.trim() === "" || isTooLong) return;
    setIsBusy(true);
    setError(null);
    try {
      const body = { message: text, ...(voiceId !== "" && { voiceId }) };
      const headers = { "idempotency-key": requestKey.current };
      await api.post(`/inbox/conversations/${id}/reply`, body, { headers });
      write("");
      onSent();
    } catch (thrown) {
      setError(thrown instanceof RequestError ? withoutRequests(thrown.message) : "The reply was not sent. Try again.");
    } finally {
      setIsBusy(false);
      field.current?.focus();
    }
  }

  if (!can("network:schedule")) return <p class="faint composer">Your role can read conversations, but not reply.</p>;
  if (label === "doNotContact")
    return <p class="faint composer">{`${nameOfPerson(conversation)} must not be contacted again.`}</p>;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error !== null && (
        <p id="reply-error" class="field-error" role="alert">
          {error}
        </p>
      )}
      <textarea
        id="reply"
        ref={field}
        rows={3}
        dir="auto"
        aria-label={`Reply to ${nameOfPerson(conversation)}`}
        aria-describedby="reply-count"
        aria-invalid={isTooLong || error !== null || undefined}
        placeholder={voiceId === "" ? "Write a reply" : "Write what the voice says"}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      <div aria-live="polite">
        <MessageProblems problems={filled.problems} whose={leadWords(conversation)} />
        {text.includes("{{") && isFilled && <MessagePreview name={nameOfPerson(conversation)} text={filled.text} />}
      </div>
      <div class="composer-foot">
        <Snippets onChoose={(snippet) => write(text === "" ? snippet : `${text}\n${snippet}`)} />
        <Voices chosen={voiceId} choose={setVoiceId} />
        <span class="composer-send">
          <span id="reply-count" class={isTooLong ? "field-error" : "faint"}>
            {`${count(length)} / ${count(most)}`}
          </span>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={text.trim() === "" || isTooLong}>
            Send
            <kbd>{`${commandKey}↵`}</kbd>
          </Button>
        </span>
      </div>
    </form>
  );
}

/** The text with the values of the lead, who is only read if the text has variables. `isFilled`: it can be sent like this. */
function useFilled({ leadId }: ConversationView, text: string) {
  const mayHaveValues = leadId !== null && text.includes("{{") && can("leads:read");
  const load = (signal: AbortSignal) =>
    mayHaveValues ? api.get<LeadView>(`/leads/${leadId}`, { signal }) : Promise.resolve(null);
  const { data: lead } = useResource(load, [mayHaveValues, leadId]);
  const filled = fillForLead(text, lead ?? null);
  // Whether a value is missing is only known with the lead.
  const isUnknown = leadId !== null && !lead;
  const problems = filled.problems.filter(({ kind }) => kind !== "missing" || !isUnknown);
  return { filled: { ...filled, problems }, isFilled: problems.length === 0 && !isUnknown };
}

function leadWords({ leadId }: ConversationView): string {
  return leadId === null ? "This person is no lead and has" : "This lead has";
}

const editing = "edit";

function Snippets({ onChoose }: { onChoose: (text: string) => void }) {
  // Again when the dialog that changes them opens and closes.
  const isEditing = here.value.query.get("snippets") !== null;
  const load = (signal: AbortSignal) => getAll<SnippetView>("/inbox/snippets", "snippets", { signal });
  const list = useResource(load, [isEditing]).data ?? [];
  if (list.length === 0) return null;
  return (
    <select
      aria-label="Insert a snippet"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        const found = list.find(({ id }) => id === value);
        event.currentTarget.value = "";
        if (value === editing) setQuery({ snippets: "open" });
        if (found !== undefined) onChoose(found.text);
      }}
    >
      <option value="">Insert a snippet</option>
      {list.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      <option value={editing}>Edit snippets…</option>
    </select>
  );
}

function Voices({ chosen, choose }: { chosen: string; choose: (voiceId: string) => void }) {
  const isAllowed = can("network:voice") && can("voice:read");
  const voices = useResource(
    (signal) =>
      isAllowed
        ? api.get<{ voiceClones: CloneView[] }>("/voice-clones", { query: { status: "ready", limit: 100 }, signal })
        : Promise.resolve({ voiceClones: [] }),
    [],
  );
  const list = voices.data?.voiceClones ?? [];
  if (list.length === 0) return null;
  return (
    <select aria-label="Send as" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">As text</option>
      {list.map(({ voiceId, name }) => (
        <option key={voiceId} value={voiceId}>
          {`Voice message: ${name}`}
        </option>
      ))}
    </select>
  );
}

import { useState } from "preact/hooks";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { api } from "../../api.ts";
import { dateTime } from "../../format.ts";
import { useAccounts } from "../../network.ts";
import { RecordNews, type NewsEvent } from "../../record-news.tsx";
import { Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { memberChoices, useMembers } from "../../team.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { showError, showUndo } from "../../ui/toast.tsx";
import { NewLeadDialog } from "../leads/new-lead.tsx";
import { labelList, labelNames, namesOf, nameOfPerson, type Label } from "./labels.ts";
import { SnoozeDialog } from "./snooze-dialog.tsx";
import { morningIn, tomorrowMorning } from "./times.ts";

type HeadProps = { conversation: ConversationView; onChange: (changed: ConversationView) => void; reload: () => void };

/** Who it is, and what was decided about the conversation. */
export function ThreadHead({ conversation, onChange, reload }: HeadProps) {
  const { id, leadId, profileUrl, accountId, label, assignedTo, snoozedUntil } = conversation;
  const [dialog, setDialog] = useState<"block" | "addLead" | "snooze" | NewsEvent | null>(null);
  const members = useMembers();
  const accounts = useAccounts().data?.accounts ?? [];
  const account = accounts.find((one) => one.id === accountId);
  const mayChange = can("network:schedule");
  const name = nameOfPerson(conversation);

  type Undo = { done: string; before: object };
  async function save(body: object, undo?: Undo): Promise<void> {
    onChange(await api.patch<ConversationView>(`/inbox/conversations/${id}`, body));
    if (undo === undefined) return;
    showUndo(undo.done, async () => {
      await api.patch(`/inbox/conversations/${id}`, undo.before);
      reload();
    });
  }
  const change = (body: object, undo?: Undo) => save(body, undo).catch(showError);
  const saveSnooze = (until: string | null) =>
    save(
      { snoozedUntil: until },
      {
        done: until === null ? "Snooze ended." : `Snoozed until ${dateTime(until)}.`,
        before: { snoozedUntil },
      },
    );
  const snooze = (until: string | null) => void saveSnooze(until).catch(showError);
  // To take a person off the do-not-contact list is a decision of its own, so that label has no undo.
  const setLabel = (chosen: Label | null) =>
    void change(
      { label: chosen },
      label === "doNotContact"
        ? undefined
        : { done: chosen === null ? "Label removed." : `Labeled ${labelNames[chosen].label}.`, before: { label } },
    );

  return (
    <header class="thread-head">
      <div>
        <h2>{leadId === null ? name : <Link to={`/leads/${leadId}`}>{name}</Link>}</h2>
        <p class="faint">
          <OutsideLink href={profileUrl}>Profile</OutsideLink>
          {leadId === null && can("leads:write") && (
            <Button kind="quiet" icon="plus" onClick={() => setDialog("addLead")}>
              Add to leads
            </Button>
          )}
          {accounts.length > 1 && account !== undefined && <span>{`Account: ${account.name}`}</span>}
          {account?.state === "needsReconnect" && <Badge tone="bad">Account needs reconnecting</Badge>}
          {account?.state === "paused" && <Badge tone="warn">Account is paused</Badge>}
          {snoozedUntil !== null && <Badge>{`Snoozed until ${dateTime(snoozedUntil)}`}</Badge>}
        </p>
      </div>
      <div class="buttons">
        <select
          id="label"
          aria-label="Label"
          disabled={!mayChange}
          value={label ?? ""}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            if (chosen === "doNotContact") {
              event.currentTarget.value = label ?? "";
              setDialog("block");
            } else setLabel(chosen === "" ? null : (chosen as Label));
          }}
        >
          <option value="">No label</option>
          {labelList.map((one) => (
            <option key={one} value={one}>
              {labelNames[one].label}
            </option>
          ))}
        </select>
        <select
          aria-label="Assigned to"
          disabled={!mayChange}
          value={assignedTo ?? ""}
          onChange={(event) => {
            const chosen = event.currentTarget.value || null;
            const done = chosen === null ? "Unassigned." : "Assigned.";
            void change({ assignedTo: chosen }, { done, before: { assignedTo } });
          }}
        >
          <option value="">Unassigned</option>
          {memberChoices(members, assignedTo).map(({ value, label: member }) => (
            <option key={value} value={value}>
              {member}
            </option>
          ))}
        </select>
        {mayChange && (
          <Menu label="More" icon="more">
            <button type="button" onClick={() => snooze(tomorrowMorning())}>
              Snooze until tomorrow
            </button>
            <button type="button" onClick={() => snooze(morningIn(3))}>
              Snooze for 3 days
            </button>
            <button type="button" onClick={() => snooze(morningIn(7))}>
              Snooze for a week
            </button>
            <button type="button" onClick={() => setDialog("snooze")}>
              Snooze until…
            </button>
            {snoozedUntil !== null && (
              <button type="button" onClick={() => snooze(null)}>
                End snooze
              </button>
            )}
            <button type="button" onClick={() => void change({ isRead: false }).then(() => setQuery({ c: null }))}>
              Mark as unread
            </button>
            <button type="button" onClick={() => setDialog("replied")}>
              Record a reply
            </button>
            <button type="button" onClick={() => setDialog("accepted")}>
              Mark as accepted
            </button>
          </Menu>
        )}
      </div>
      {dialog === "block" && (
        <ConfirmDialog
          title={`Never contact ${name} again?`}
          confirm="Do not contact"
          onClose={() => setDialog(null)}
          onConfirm={() => change({ label: "doNotContact" })}
        >
          <p>The person is added to the do-not-contact list. What is scheduled for them is not sent.</p>
        </ConfirmDialog>
      )}
      {dialog === "snooze" && <SnoozeDialog onSnooze={saveSnooze} onClose={() => setDialog(null)} />}
      {dialog === "addLead" && (
        <NewLeadDialog
          known={{ ...namesOf(conversation), networkUrl: profileUrl }}
          onClose={() => setDialog(null)}
          onAdded={() => {
            setDialog(null);
            reload();
          }}
        />
      )}
      {(dialog === "replied" || dialog === "accepted") && (
        <RecordNews
          event={dialog}
          person={{ name, profileUrl }}
          accountId={accountId}
          onClose={() => setDialog(null)}
          onRecorded={reload}
        />
      )}
    </header>
  );
}

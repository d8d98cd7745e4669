import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CampaignStep, CampaignView } from "../../../../../features/campaigns/model.ts";
import { api, RequestError } from "../../api.ts";
import { counted } from "../../format.ts";
import { useAccounts } from "../../network.ts";
import { can } from "../../session.ts";
import { commandKey, useShortcutHelp } from "../../shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { showError, showSuccess } from "../../ui/toast.tsx";
import { FlowCanvas } from "./editor/flow-canvas.tsx";
import { adjusted, edited, historyOf, redone, undone, type History } from "./editor/history.ts";
import { LeaveGuard } from "./editor/leave-guard.tsx";
import * as program from "./editor/program-edit.ts";
import type { Edit, Path } from "./editor/program-edit.ts";
import { SettingsPanel, type Details } from "./editor/settings-panel.tsx";
import { newStep } from "./editor/step-kinds.ts";
import { StepPanel } from "./editor/step-panel.tsx";
import { problemOf } from "./editor/step-problems.ts";
import { useTextValues } from "./editor/text-values.ts";
import type { Tier } from "./editor/texts.ts";

/** What can be undone: steps and settings, and what was selected with them. */
type Draft = { steps: CampaignStep[]; details: Details; selected: string };

type EditorProps = {
  campaign: CampaignView | null;
  /** For a new campaign. */
  initial?: { name: string; steps: CampaignStep[] };
  onSaved: (campaign: CampaignView) => void;
};

export const editorShortcuts = [
  { keys: "↑ ↓ ← →", label: "Select another step" },
  { keys: "Enter", label: "Edit the selected step" },
  { keys: "A", label: "Add a step after the selected one" },
  { keys: "Delete", label: "Remove the selected step" },
  { keys: "Alt ↑ ↓ ← →", label: "Move the selected step" },
  { keys: `${commandKey}D`, label: "Duplicate the selected step" },
  { keys: `${commandKey}Z`, label: "Undo" },
  { keys: `${commandKey}⇧ Z`, label: "Redo" },
  { keys: `${commandKey}S`, label: "Save" },
  { keys: "0", label: "Show the whole flow" },
] as const;

/** Creates or edits a campaign: the flow of its steps, with the selected one at the side. */
export function CampaignEditor({ campaign, initial, onSaved }: EditorProps) {
  const accounts = useAccounts();
  const { customFields, lead, setLead } = useTextValues();
  const [base, setBase] = useState(campaign);
  const [saved, setSaved] = useState(() => draftOf(campaign, initial));
  const [history, setHistory] = useState<History<Draft>>(() => historyOf(saved));
  const [problem, setProblem] = useState<{ errors: Record<string, string>; message: string | null }>(noProblem);
  const [conflict, setConflict] = useState<CampaignView | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [focusRequest, setFocusRequest] = useState(0);
  const panel = useRef<HTMLElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const isSaved = useRef(false);
  useShortcutHelp("Campaign editor", editorShortcuts);

  const { steps, details, selected } = history.present;
  const state = base?.state ?? "draft";
  const canWrite = can("network:schedule");
  const canEditSteps = canWrite && (state === "draft" || state === "paused");
  const canEditDetails = canWrite && state !== "canceled";
  const isDirty = !isSame(history.present, saved);
  const accountList = accounts.data?.accounts ?? [];
  const tier = strictestTier(
    details.accountIds.length > 0
      ? accountList.filter(({ id }) => details.accountIds.includes(id))
      : accountList.slice(0, 1),
  );
  const problems = useMemo(() => problemsOf(steps, problem.errors, tier), [steps, problem, tier]);
  const step = program.stepAt(steps, selected);
  const number = program.pathsInOrder(steps).indexOf(selected) + 1;

  // Another tab or user has edited the campaign: without changes of our own, theirs are shown; otherwise a person decides.
  useEffect(() => {
    // A response that was under way while we saved is older than what was saved.
    if (campaign === null || base === null || campaign.version < base.version) return;
    if (campaign.version === base.version) return setBase(campaign);
    if (isDirty) setConflict(campaign);
    else load(campaign);
  }, [campaign]);

  function load(loaded: CampaignView) {
    const draft = draftOf(loaded);
    setBase(loaded);
    setSaved(draft);
    setHistory(historyOf(draft));
    setProblem(noProblem);
    setConflict(null);
  }

  function change(draft: Partial<Draft>, key: string | null = null) {
    isSaved.current = false;
    setHistory((before) => edited(before, { ...before.present, ...draft }, key));
    // What the server reported is about the steps that were sent.
    if (draft.steps !== undefined) setProblem(noProblem);
  }

  function apply(edit: Edit | null, isFocused = true) {
    if (edit === null) return;
    change({ steps: edit.steps, selected: edit.selected ?? "start" });
    if (isFocused) setFocusRequest((n) => n + 1);
  }

  function select(path: string) {
    setHistory((before) =>
      before.present.selected === path ? before : adjusted(before, { ...before.present, selected: path }),
    );
  }

  /** The text first: most steps are opened to write it. */
  function openPanel() {
    requestAnimationFrame(() => {
      const field = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
      (field("textarea") ?? field("input, select"))?.focus();
    });
  }

  function travel(to: (history: History<Draft>) => History<Draft>) {
    setHistory(to);
    setProblem(noProblem);
    if (root.current?.querySelector(".flow")?.contains(document.activeElement)) setFocusRequest((n) => n + 1);
  }

  /** `version`: on which the change is based. Returns whether it was saved. */
  async function save(version = base?.version): Promise<boolean> {
    if (isBusy) return false;
    const { present } = history;
    if (present.steps.length === 0) return (showError(new RequestError("Add at least one step.")), false);
    setIsBusy(true);
    try {
      const input = inputOf(present, saved, campaign === null, canEditSteps);
      const stored =
        campaign === null
          ? await api.post<CampaignView>("/campaigns", input)
          : await api.patch<CampaignView>(`/campaigns/${campaign.id}`, { ...input, version });
      // What was typed meanwhile is kept as a change.
      isSaved.current = true;
      setBase(stored);
      setSaved(present);
      setProblem(noProblem);
      setConflict(null);
      showSuccess("Saved.");
      onSaved(stored);
      return true;
    } catch (error) {
      await explain(error);
      return false;
    } finally {
      setIsBusy(false);
    }
  }

  async function explain(error: unknown) {
    if (!(error instanceof RequestError)) return showError(error);
    if (error.status === 409 && campaign !== null) {
      const current = await api.get<CampaignView>(`/campaigns/${campaign.id}`);
      if (current.version !== base?.version) return setConflict(current);
    }
    const errors = Object.fromEntries(error.fields.map(({ path, message }) => [path, message]));
    setProblem({ errors, message: error.fields.length > 0 ? null : error.message });
    const wrong = program.pathsInOrder(steps).findLast((path) => error.fields.some((field) => isOf(field.path, path)));
    select(wrong ?? "start");
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  }

  function onKeyDown(event: KeyboardEvent) {
    const isField = (event.target as HTMLElement).closest("input, textarea, select") !== null;
    const key = event.key.toLowerCase();
    if (key === "escape" && panel.current?.contains(event.target as Node)) return setFocusRequest((n) => n + 1);
    if (!event.ctrlKey && !event.metaKey) return;
    const isUndo = key === "z" && !isField;
    if (isUndo) travel(event.shiftKey ? redone : undone);
    else if (key === "y" && !isField) travel(redone);
    else if (key === "s" && canEditDetails) void save();
    else return;
    event.preventDefault();
  }

  return (
    <div class="editor" ref={root} onKeyDown={onKeyDown}>
      <LeaveGuard isDirty={isDirty && canEditDetails} isSaved={isSaved} onSave={() => save()} />
      <div class="editor-bar">
        <div class="buttons">
          <Button
            kind="quiet"
            disabled={history.past.length === 0}
            title={`Undo (${commandKey}Z)`}
            onClick={() => travel(undone)}
          >
            Undo
          </Button>
          <Button
            kind="quiet"
            disabled={history.future.length === 0}
            title={`Redo (${commandKey}⇧ Z)`}
            onClick={() => travel(redone)}
          >
            Redo
          </Button>
        </div>
        <p class="faint small editor-state" role="status">
          {stateText(state, canWrite, isDirty, campaign === null)}
        </p>
        {canEditDetails && (
          <Button kind="primary" isBusy={isBusy} disabled={campaign !== null && !isDirty} onClick={() => void save()}>
            {campaign === null ? "Save draft" : "Save"}
          </Button>
        )}
      </div>
      {conflict !== null && (
        <div class="notice warn" role="alert">
          <p>The campaign was edited in another tab or by somebody else. What should be kept?</p>
          <div class="buttons">
            <Button onClick={() => load(conflict)}>Load their version</Button>
            <Button onClick={() => void save(conflict.version)}>Overwrite with mine</Button>
          </div>
        </div>
      )}
      {problem.message !== null && (
        <p class="notice danger" role="alert">
          {problem.message}
        </p>
      )}
      <div class="editor-split">
        <FlowCanvas
          steps={steps}
          selected={selected}
          problems={problems}
          startText={startText(details, accountList)}
          isReadOnly={!canEditSteps}
          focusRequest={focusRequest}
          onSelect={select}
          onOpen={openPanel}
          onAdd={(slot, kind) => apply(program.insert(steps, slot, newStep(kind)))}
          onMove={(from, to) => apply(program.move(steps, from, to))}
          onMoveBy={(path, direction) => apply(program.moveBy(steps, path, direction))}
          onRemove={(path) => apply(program.remove(steps, path))}
          onDuplicate={(path) => apply(program.duplicate(steps, path))}
        />
        <section class="card flow-panel" ref={panel} aria-label="Selected step">
          {step === null ? (
            <SettingsPanel
              details={details}
              accounts={accountList}
              errors={problem.errors}
              isReadOnly={!canEditDetails}
              canChangeAccounts={canEditSteps}
              onChange={(changed) => change({ details: changed }, "details")}
            />
          ) : (
            <StepPanel
              key={selected}
              steps={steps}
              step={step}
              path={selected}
              number={number}
              errors={problem.errors}
              context={{ tier, customFields, lead, onLead: setLead }}
              isReadOnly={!canEditSteps}
              onChange={(changed, field) =>
                change({ steps: program.replace(steps, selected, changed).steps }, `${selected} ${field}`)
              }
              onMoveBy={(direction) => apply(program.moveBy(steps, selected, direction), false)}
              onRemove={() => apply(program.remove(steps, selected))}
              onDuplicate={() => apply(program.duplicate(steps, selected), false)}
            />
          )}
        </section>
      </div>
    </div>
  );
}

const noProblem = { errors: {}, message: null };

function draftOf(campaign: CampaignView | null, initial?: { name: string; steps: CampaignStep[] }): Draft {
  const settings = campaign?.settings ?? {
    ...{ stopOnReply: true, excludeOtherCampaigns: true, excludeContactedDays: null, allowOverlap: false },
  };
  const name = campaign?.name ?? initial?.name ?? "";
  const steps = campaign?.steps ?? initial?.steps ?? [];
  return { steps, details: { name, accountIds: campaign?.accountIds ?? [], settings }, selected: "start" };
}

function isSame(a: Draft, b: Draft): boolean {
  return JSON.stringify([a.steps, a.details]) === JSON.stringify([b.steps, b.details]);
}

/** Only what has changed, so that an edit of the settings does not need steps that may be changed. */
function inputOf({ steps, details }: Draft, saved: Draft, isNew: boolean, canEditSteps: boolean) {
  const { name, settings, accountIds } = details;
  const hasChanged = (a: unknown, b: unknown) => isNew || JSON.stringify(a) !== JSON.stringify(b);
  return {
    name,
    settings,
    ...(canEditSteps && hasChanged(steps, saved.steps) && { steps }),
    ...(canEditSteps && accountIds.length > 0 && hasChanged(accountIds, saved.details.accountIds) && { accountIds }),
  };
}

/** Whether the path of an error is in a step: the deepest such step is the one it is about. */
function isOf(errorPath: string, path: Path): boolean {
  return `${errorPath}.`.startsWith(`steps.${path}.`);
}

function problemsOf(steps: CampaignStep[], errors: Record<string, string>, tier: Tier): Map<Path, string> {
  const found = new Map<Path, string>();
  const paths = program.pathsInOrder(steps);
  for (const path of paths) {
    const step = program.stepAt(steps, path);
    const problem = step && problemOf(step, tier);
    if (problem !== null) found.set(path, problem);
  }
  for (const [errorPath, message] of Object.entries(errors)) {
    const path = paths.findLast((each) => isOf(errorPath, each));
    if (path !== undefined) found.set(path, message);
  }
  return found;
}

/** Texts must fit the lowest limits of the accounts that may send them. */
function strictestTier(accounts: readonly { tier: Tier }[]): Tier {
  return accounts.some(({ tier }) => tier === "free") ? "free" : (accounts[0]?.tier ?? "premium");
}

function startText({ accountIds }: Details, accounts: readonly { id: string; name: string }[]): string {
  if (accountIds.length === 1) return accounts.find(({ id }) => id === accountIds[0])?.name ?? "1 account";
  return accountIds.length === 0 ? (accounts[0]?.name ?? "No account yet") : counted(accountIds.length, "account");
}

function stateText(state: CampaignView["state"], canWrite: boolean, isDirty: boolean, isNew: boolean): string {
  if (!canWrite) return "You can view this campaign, but not change it.";
  if (state === "canceled") return "Canceled campaigns cannot be changed. Duplicate it to use its steps again.";
  if (state === "running") return "Running. Pause the campaign to change its steps.";
  if (isDirty) return "Unsaved changes";
  if (state === "paused") return "Leads that have begun finish the steps they began; others get the changed ones.";
  return isNew ? "Nothing is sent until you start the campaign." : "All changes are saved.";
}

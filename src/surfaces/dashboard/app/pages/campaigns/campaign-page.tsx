import { useState } from "preact/hooks";
import type { CampaignStep, CampaignView } from "../../../../../features/campaigns/model.ts";
import type { PageProps } from "../../page-props.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { here, navigate, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { AccountNotices } from "./account-notices.tsx";
import { CampaignEditor } from "./campaign-editor.tsx";
import { CampaignPreview } from "./campaign-preview.tsx";
import { EnrollDialog } from "./enroll-dialog.tsx";
import { FollowCampaign } from "./follow-campaign.tsx";
import { Insight } from "./insight/insight.tsx";
import { TemplateGallery } from "./editor/template-gallery.tsx";
import { campaignStateLabels } from "./labels.ts";

const back = { to: "/campaigns", label: "Campaigns" };

export function NewCampaignPage() {
  const [initial, setInitial] = useState<{ name: string; steps: CampaignStep[] } | null>(null);
  return (
    <PageFrame
      title="New campaign"
      back={back}
      lead={
        initial === null
          ? "Choose a sequence to start from. You can change every step."
          : "A campaign starts as a draft. Nothing is sent until you start it."
      }
    >
      {initial === null ? (
        <TemplateGallery onChoose={setInitial} />
      ) : (
        <CampaignEditor
          campaign={null}
          initial={initial}
          onSaved={({ id }) => navigate(`/campaigns/${id}?part=preview`, { replace: true })}
        />
      )}
    </PageFrame>
  );
}

const parts = [
  { name: "follow", label: "Overview" },
  { name: "insight", label: "Insight" },
  { name: "steps", label: "Steps" },
  { name: "preview", label: "Preview" },
] as const;
type Part = (typeof parts)[number]["name"];

/**
 * A campaign: its statistics and results, its steps, and a preview of when each step would run. Opens on the results, or on
 * the steps of a campaign that has not started.
 */
export function CampaignPage({ params }: PageProps) {
  const path = `/campaigns/${encodeURIComponent(params["id"] ?? "")}`;
  const campaign = useResource((signal) => api.get<CampaignView>(path, { signal }), [path], {
    pollMs: 20_000,
    events: ["campaign."],
  });
  const [enrollments, setEnrollments] = useState(0);
  const { data } = campaign;
  const requested = here.value.query.get("part");
  const chosen: Part =
    parts.find(({ name }) => name === requested)?.name ?? (data?.startedAt === null ? "steps" : "insight");
  return (
    <PageFrame
      title={data?.name ?? "Campaign"}
      back={back}
      lead={data && <StateLine campaign={data} />}
      actions={
        data &&
        can("network:schedule") && (
          <CampaignActions
            campaign={data}
            path={path}
            onChanged={campaign.replace}
            onEnrolled={() => {
              setEnrollments((n) => n + 1);
              setQuery({ part: "follow" });
            }}
          />
        )
      }
    >
      <Loaded resource={campaign} lines={6}>
        {(loaded) => (
          <Tabs label="Campaign" tabs={parts} chosen={chosen} choose={(part) => setQuery({ part })}>
            {/* The preview has the same among its problems. */}
            {chosen !== "preview" && loaded.state !== "canceled" && <AccountNotices campaign={loaded} />}
            {chosen === "follow" && <FollowCampaign key={enrollments} campaign={loaded} path={path} />}
            {chosen === "insight" && <Insight campaign={loaded} path={path} />}
            {chosen === "steps" && <CampaignEditor key={loaded.id} campaign={loaded} onSaved={campaign.replace} />}
            {chosen === "preview" && <CampaignPreview campaign={loaded} path={path} />}
          </Tabs>
        )}
      </Loaded>
    </PageFrame>
  );
}

function StateLine({ campaign: { state, startedAt } }: { campaign: CampaignView }) {
  return (
    <>
      <StateBadge words={campaignStateLabels} state={state} />{" "}
      {startedAt !== null && (
        <>
          Started <RelativeTime at={startedAt} />
        </>
      )}
    </>
  );
}

type Turn = "start" | "pause";
type OpenDialog = "enroll" | "start" | "cancel" | "delete";

type ActionsProps = {
  campaign: CampaignView;
  path: string;
  onChanged: (campaign: CampaignView) => void;
  onEnrolled: () => void;
};

function CampaignActions({ campaign, path, onChanged, onEnrolled }: ActionsProps) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { state, name } = campaign;

  async function turn(to: Turn) {
    setIsBusy(true);
    try {
      onChanged(await api.post<CampaignView>(`${path}/${to}`));
      showSuccess(to === "pause" ? "Paused. Every lead stays at its current step." : "Resumed.");
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  async function duplicate() {
    setIsBusy(true);
    try {
      const copy = await api.post<CampaignView>(`${path}/duplicate`, {});
      showSuccess(`${copy.name} was created as a draft.`);
      navigate(`/campaigns/${copy.id}?part=steps`);
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <>
      <Button isBusy={isBusy} onClick={() => void duplicate()}>
        Duplicate
      </Button>
      {state !== "canceled" && <Button onClick={() => setOpenDialog("enroll")}>Enroll leads</Button>}
      {state === "draft" && <Button onClick={() => setOpenDialog("delete")}>Delete…</Button>}
      {(state === "running" || state === "paused") && <Button onClick={() => setOpenDialog("cancel")}>Cancel…</Button>}
      {state === "running" && (
        <Button isBusy={isBusy} onClick={() => void turn("pause")}>
          Pause
        </Button>
      )}
      {state === "paused" && (
        <Button kind="primary" isBusy={isBusy} onClick={() => void turn("start")}>
          Resume
        </Button>
      )}
      {state === "draft" && (
        <Button kind="primary" onClick={() => setOpenDialog("start")}>
          Start
        </Button>
      )}
      {openDialog === "enroll" && (
        <EnrollDialog campaign={campaign} path={path} onClose={() => setOpenDialog(null)} onEnrolled={onEnrolled} />
      )}
      {openDialog === "start" && (
        <ConfirmDialog
          title={`Start ${name}?`}
          kind="primary"
          confirm="Start campaign"
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            onChanged(await api.post<CampaignView>(`${path}/start`));
            showSuccess(`${name} has started.`);
            setQuery({ part: "follow" });
          }}
        >
          <p>
            The first actions are queued, each at the next free time of its account. You can pause the campaign at any
            time, also to change its steps.
          </p>
        </ConfirmDialog>
      )}
      {openDialog === "cancel" && (
        <ConfirmDialog
          title={`Cancel ${name}?`}
          confirm="Cancel campaign"
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            onChanged(await api.post<CampaignView>(`${path}/cancel`));
            showSuccess(`${name} was canceled.`);
          }}
        >
          <p>
            The campaign ends for all leads in progress, and their pending actions are canceled. It can’t be restarted.
          </p>
        </ConfirmDialog>
      )}
      {openDialog === "delete" && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          confirm="Delete draft"
          onClose={() => setOpenDialog(null)}
          onConfirm={async () => {
            await api.delete(path);
            showSuccess(`${name} was deleted.`);
            navigate("/campaigns");
          }}
        >
          <p>The draft and its enrollments are deleted. The leads themselves are not.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

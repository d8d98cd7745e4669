import type { Clock, Ids } from "../../platform/base/clock.ts";
import { BackgroundWork } from "../../lib/concurrency/background-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { actionContent, type ProfileHosts } from "../network/action-input.ts";
import type { ActionState, Objection } from "../network/action-model.ts";
import { jobOf, newAction } from "../network/new-action.ts";
import type { NetworkStore } from "../network/store.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { extended } from "./trail.ts";
import { compile, nextMove, type Instruction, type StepAction } from "./program.ts";
import { variantFor, withTexts } from "./variants.ts";
import type { EnrollmentChange } from "./change-model.ts";
import type { CampaignStore, DueEnrollment } from "./store.ts";
import { positionOf, type StepsVersion } from "./steps-version.ts";

const dueBatchSize = 50;
/** Delay before retrying an action that has no possible time slot: the account settings may change. */
const retryMs = 6 * 3_600_000;
const maxSleepMs = 30_000;

export type RunnerParts = {
  store: CampaignStore;
  network: NetworkStore;
  clock: Clock;
  ids: Ids;
  log: Log;
  profileHosts: ProfileHosts;
  /** Called after actions were scheduled. */
  onScheduled: () => void;
};

/** `version`: the steps that the enrollment follows. */
type PositionedEnrollment = DueEnrollment & { version: StepsVersion };

/** Advances leads through their campaigns. The store determines what is due; the timer is only a hint. */
export class CampaignRunner {
  readonly #parts: RunnerParts;
  readonly #programs = new WeakMap<object, Instruction[]>();
  readonly #background: BackgroundWork;
  #isStarted = false;
  #cancelTimer = (): void => {};

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#background = new BackgroundWork(
      () => this.#advanceDue(),
      (error) => {
        parts.log.error({ err: error }, "could not advance campaigns");
        this.#sleep(maxSleepMs);
      },
    );
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#cancelTimer();
    await this.#background.stop();
    this.#cancelTimer();
  }

  /** Checks for due enrollments as soon as possible. Cheap to call often. */
  wake(): void {
    if (this.#isStarted) this.#background.wake();
  }

  get isBusy(): boolean {
    return this.#background.isBusy;
  }

  /** Resolves when nothing is due. */
  async idle(): Promise<void> {
    await this.#background.idle();
  }

  async #advanceDue(): Promise<void> {
    const { store, clock, onScheduled } = this.#parts;
    this.#cancelTimer();
    // The request that calls `wake` may not commit its changes until the next turn of the event loop.
    await pause();
    for (;;) {
      const due = await store.due(clock.now(), dueBatchSize);
      await Promise.all(
        due.map((item) => this.#advance({ ...item, ...positionOf(item.enrollment, item.campaign, item.earlier) })),
      );
      if (due.length > 0) onScheduled();
      if (due.length < dueBatchSize || this.#background.isStopped) break;
    }
    const dueAt = await store.nextDueAt();
    if (dueAt !== null) this.#sleep(dueAt - clock.now());
  }

  #sleep(ms: number): void {
    if (this.#background.isStopped) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(Math.min(Math.max(ms, 0), maxSleepMs), () => this.wake());
  }

  async #advance(due: PositionedEnrollment): Promise<void> {
    const { store, clock } = this.#parts;
    const { enrollment, campaign, version, lead, action } = due;
    const now = clock.now();
    const write = (change: Omit<EnrollmentChange, "updatedAt">) =>
      store.move(enrollment, { ...change, updatedAt: now }, null);
    const end = (state: "completed" | "stopped" | "failed", reason: string | null) =>
      write({ state, reason, wakeAt: null });
    if (lead === null) return void (await end("stopped", "leadGone"));
    if (campaign.settings.stopOnReply && enrollment.repliedAt !== null) return void (await end("stopped", "replied"));
    const stepStatus = action === null ? "none" : stepStatusOf(action.state);
    if (stepStatus === "waiting") return void (await write({ wakeAt: null }));
    if (stepStatus === "failed") return void (await end("failed", action?.state ?? null));
    const facts = {
      connected: due.contact?.relation === "connected",
      replied: enrollment.repliedAt !== null,
      hasEmail: lead.email !== null,
      hasPhone: lead.phone !== null,
    };
    const program = this.#programOf(version);
    const move = nextMove(program, enrollment.atStep, enrollment.sinceAt, stepStatus === "completed", facts, now);
    const trail = extended(enrollment.trail, ...move.left.map(({ step, exit }) => [step, now, exit] as const));
    if (move.kind === "complete")
      await write({ state: "completed", atStep: program.length, sinceAt: now, wakeAt: null, jobId: null, trail });
    else if (move.kind === "sleep")
      await write({ atStep: move.at, sinceAt: move.sinceAt, wakeAt: move.until, jobId: null, trail });
    else await this.#scheduleAction({ ...due, enrollment: { ...enrollment, trail } }, move.at, move.action, now);
  }

  /** Schedules the action of a step. */
  async #scheduleAction(due: PositionedEnrollment, at: number, step: StepAction, now: number): Promise<void> {
    const { store, network, ids, profileHosts } = this.#parts;
    const { enrollment, campaign, lead } = due;
    const { trail } = enrollment;
    const end = (reason: string) =>
      store.move(enrollment, { state: "failed", reason, atStep: at, wakeAt: null, trail, updatedAt: now }, null);
    const account = await network.account(enrollment.workspaceId, enrollment.accountId);
    if (account === null || lead === null) return void (await end("accountGone"));
    const variant = variantFor(step, at, enrollment, campaign.winners);
    const sent = {
      ...withTexts(step, variant),
      profileUrl: lead.networkUrl ?? "",
      // Campaigns of version 0.1.0 do not have the setting.
      allowOverlap: campaign.settings.allowOverlap ?? false,
    };
    const content = actionContent(sent, account.tier, lead, profileHosts);
    if ("errors" in content) return void (await end(content.errors[0]?.message ?? "invalid"));
    const action = newAction(content.content, account, lead.id, ids, { notBefore: now, now });
    Object.assign(action, { enrollmentId: enrollment.id, campaignId: campaign.id, campaignStep: at });
    if (account.requiresApproval) action.state = "awaitingApproval";
    const assigned = variant === null ? {} : { variants: { ...enrollment.variants, [at]: variant.name } };
    const change = { atStep: at, sinceAt: now, wakeAt: null, jobId: action.jobId, trail, ...assigned, updatedAt: now };
    const outcome = await store.move(enrollment, change, { action, job: jobOf(action, account, null) });
    if (outcome?.kind === "never")
      await store.move(enrollment, { atStep: at, wakeAt: now + retryMs, jobId: null, trail, updatedAt: now }, null);
    else if (outcome?.kind === "accountGone") await end("accountGone");
    else if (outcome?.kind === "objected") await this.#handleObjection(due, at, outcome.objection, now);
  }

  /** The action is not allowed or no longer necessary. */
  async #handleObjection(
    { enrollment, version }: PositionedEnrollment,
    at: number,
    objection: Objection,
    now: number,
  ): Promise<void> {
    const { trail } = enrollment;
    const move = (change: Omit<EnrollmentChange, "updatedAt">) =>
      this.#parts.store.move(enrollment, { atStep: at, trail, ...change, updatedAt: now }, null);
    const step = this.#programOf(version)[at];
    const isFulfilled = objection.kind === "alreadyConnected" || objection.kind === "alreadyPending";
    if (isFulfilled && step?.kind === "action") {
      // The goal of the step has already been reached.
      const left = extended(trail, [at, now, "skipped"]);
      await move({ atStep: step.next, sinceAt: now, wakeAt: now, jobId: null, trail: left });
    } else if (objection.kind === "cannotResendYet") await move({ jobId: null, wakeAt: objection.until });
    else await move({ state: "stopped", reason: objection.kind, wakeAt: null });
  }

  #programOf({ steps, firstStep }: StepsVersion): Instruction[] {
    let program = this.#programs.get(steps);
    if (program === undefined) this.#programs.set(steps, (program = compile(steps, firstStep)));
    return program;
  }
}

/** Maps the state of an action to the status of its step. An unknown outcome waits until a user reports it. */
function stepStatusOf(state: ActionState): "waiting" | "completed" | "failed" {
  if (state === "completed" || state === "skipped") return "completed";
  return state === "failed" || state === "canceled" ? "failed" : "waiting";
}

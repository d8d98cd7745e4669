import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import { Icon } from "../../../ui/icons.tsx";
import { actionLabels } from "../../../network.ts";
import { stepLabel } from "../labels.ts";
import type { FlowNode } from "./flow-layout.ts";
import { kindOf, stepIcons } from "./step-kinds.ts";

type FlowNodeProps = {
  node: FlowNode;
  /** Null for the ends of the flow. */
  step: CampaignStep | null;
  number: number | null;
  startText: string;
  problem: string | null;
  isSelected: boolean;
  isDragged: boolean;
  /** The picture of a step under the pointer that drags it. */
  isGhost?: boolean;
  onSelect?: () => void;
  onOpen?: () => void;
  onDragStart?: (event: PointerEvent) => void;
};

/** A step in the diagram, or one of the ends of the flow. */
export function FlowNodeButton(props: FlowNodeProps) {
  const { node, step, number, problem, isSelected, isGhost = false } = props;
  const style = {
    left: `${node.x}px`,
    top: `${node.y}px`,
    width: `${node.width}px`,
    height: `${node.height}px`,
  };
  const classes = [
    "flow-node",
    isSelected ? "is-selected" : "",
    props.isDragged ? "is-dragged" : "",
    isGhost ? "is-ghost" : "",
    problem === null ? "" : "has-problem",
    step === null ? `is-${node.path}` : `is-${groupOf(step)}`,
  ].join(" ");
  const content =
    step === null ? (
      <EndContent path={node.path} text={props.startText} />
    ) : (
      <StepContent {...{ step, number, problem, path: node.path }} />
    );
  if (isGhost)
    return (
      <div class={classes} style={style} aria-hidden="true">
        {content}
      </div>
    );
  return (
    <button
      type="button"
      class={classes}
      style={style}
      data-flow={node.path}
      tabIndex={isSelected ? 0 : -1}
      aria-current={isSelected ? "true" : undefined}
      onClick={props.onSelect}
      onFocus={props.onSelect}
      onDblClick={props.onOpen}
      onPointerDown={step === null ? undefined : props.onDragStart}
    >
      {content}
    </button>
  );
}

type StepContentProps = { step: CampaignStep; number: number | null; problem: string | null; path: string };

function StepContent({ step, number, problem, path }: StepContentProps) {
  const side = path.split(".").at(-2);
  const detail = problem ?? detailOf(step);
  return (
    <>
      <span class="flow-icon" aria-hidden="true">
        <svg class="icon" viewBox="0 0 20 20">
          <path d={stepIcons[kindOf(step)]} />
        </svg>
      </span>
      <span class="flow-text">
        <span class="visually-hidden">{`Step ${number}${side === undefined ? "" : `, if ${side}`}: `}</span>
        <strong>{titleOf(step)}</strong>
        {detail !== "" && (
          <span class="flow-detail" dir="auto">
            {problem !== null && <Icon name="warning" />}
            {detail}
          </span>
        )}
      </span>
      <span class="flow-number" aria-hidden="true">
        {number}
      </span>
    </>
  );
}

function EndContent({ path, text }: { path: string; text: string }) {
  if (path === "end") return <span>End</span>;
  return (
    <>
      <span class="flow-icon" aria-hidden="true">
        <Icon name="play" />
      </span>
      <span class="flow-text">
        <strong>Start</strong>
        <span class="flow-detail">{text}</span>
      </span>
    </>
  );
}

function titleOf(step: CampaignStep): string {
  if (step.type !== "branch") return stepLabel(step);
  const titles = {
    connected: "Connected?",
    replied: "Replied?",
    hasEmail: "Has an email?",
    hasPhone: "Has a phone number?",
  };
  return titles[step.condition];
}

/** The start of the text, or what else tells steps of the same kind apart. */
function detailOf(step: CampaignStep): string {
  if (step.type === "wait") return "";
  if (step.type === "branch") {
    const days = step.withinDays ?? 0;
    if (step.condition === "hasEmail" || step.condition === "hasPhone") return "Checked immediately";
    return days === 0 ? "Checked immediately" : `Within ${days} ${days === 1 ? "day" : "days"}`;
  }
  const { variants, message, subject, skill, postUrl } = step;
  if (variants !== undefined) return `${variants.length} variants: ${variants.map(({ name }) => name).join(", ")}`;
  const text = [subject, message ?? skill ?? postUrl].filter(Boolean).join(" · ");
  if (text !== "") return text.slice(0, 160);
  return actionLabels[step.actionType].text === "optional" ? "Without a note" : "";
}

export function groupOf(step: CampaignStep): "contact" | "flow" | "notice" {
  if (step.type !== "action") return "flow";
  return actionLabels[step.actionType].text === "none" || step.actionType === "commentPost" ? "notice" : "contact";
}

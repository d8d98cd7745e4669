import type { VariableProblem } from "../../../lib/message-text/message-text.ts";

/** What is wrong with the variables of a text. `whose`: who lacks a value, such as "This lead has". */
export function MessageProblems({ problems, whose }: { problems: readonly VariableProblem[]; whose: string }) {
  return (
    <>
      {problems.map((problem, index) => (
        <p key={index} class="message-problem small">
          {textOf(problem, whose)}
        </p>
      ))}
    </>
  );
}

function textOf(problem: VariableProblem, whose: string): string {
  if (problem.kind === "unmatched") return "Unmatched double braces. Variables are written as {{firstName|there}}.";
  const { kind, name } = problem;
  if (kind === "unknown") return `There is no variable {{${name}}}.`;
  return `${whose} no value for {{${name}}}. Add a fallback: {{${name}|there}}.`;
}

/** A text with the values of a lead. */
export function MessagePreview({ name, text }: { name: string; text: string }) {
  return (
    <figure class="message-preview">
      <figcaption class="faint small">What {name} receives</figcaption>
      <blockquote dir="auto">{text.trim()}</blockquote>
    </figure>
  );
}

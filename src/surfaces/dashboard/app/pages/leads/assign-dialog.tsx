import { counted } from "../../format.ts";
import { memberChoices, useMembers } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, SelectField, useForm } from "../../ui/form.tsx";

type AssignProps = {
  size: number;
  onClose: () => void;
  /** ID of a member, `roundRobin`, or null for nobody. */
  onAssign: (assignedTo: string | null) => void;
};

/** Chooses who works on leads: one member, all in turn, or nobody. */
export function AssignDialog({ size, onClose, onAssign }: AssignProps) {
  const members = useMembers();
  const form = useForm({ assignedTo: "roundRobin" }, async ({ assignedTo }) =>
    onAssign(assignedTo === "" ? null : assignedTo),
  );
  const choices = [
    { value: "roundRobin", label: "All members in turn" },
    ...memberChoices(members),
    { value: "", label: "Unassigned" },
  ];
  return (
    <Dialog title={`Assign ${counted(size, "lead")}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <SelectField form={form} name="assignedTo" label="Owner" choices={choices} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Assign
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

import { PageFrame } from "../ui/page.tsx";

export function HomePage() {
  return <PageFrame title="Home">{null}</PageFrame>;
}

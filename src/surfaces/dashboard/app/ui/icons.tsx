/** Drawn on a 20 × 20 grid with a stroke width of 1.6. */
const paths = {
  home: "M3.5 9 10 3.8 16.5 9v7.2h-4.3v-4.4H7.8v4.4H3.5z",
  inbox: "M3.500 11.500 6 4.500h8l2.500 7v4h-13zM3.500 11.500h4l1 2h3l1-2h4",
  leads: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 16.5c.7-2.9 3-4.3 6-4.3s5.300 1.400 6 4.300",
  queue: "M4 5.500h12M4 10h12M4 14.500h7",
  work: "M4 10.500l3.800 3.800L16 6",
  bell: "M5.500 13.500V9a4.500 4.500 0 0 1 9 0v4.500l1.500 1.500H4zM8.300 17h3.400",
  campaigns: "M4 5h4v4H4zM12 11h4v4h-4zM8 7h3.500v6H12",
  prospects: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM13 13l3.800 3.800",
  enrichment: "M10 3.500l1.700 4.800 4.800 1.700-4.800 1.700L10 16.500l-1.700-4.800L3.500 10l4.800-1.700z",
  voice:
    "M10 12a2.500 2.500 0 0 0 2.500-2.500v-4a2.500 2.500 0 0 0-5 0v4A2.500 2.500 0 0 0 10 12ZM5 9.500a5 5 0 0 0 10 0M10 14.500v2.500",
  settings: "M4 6h6m4 0h2M4 14h2m4 0h6M12 4.300v3.400M8 12.300v3.400",
  menu: "M3.500 6h13M3.500 10h13M3.500 14h13",
  close: "M5.500 5.500l9 9M14.500 5.500l-9 9",
  left: "M12 4.500 6.500 10l5.500 5.500",
  right: "M8 4.500 13.500 10 8 15.500",
  up: "M10 15.500v-11M5.500 9 10 4.500 14.500 9",
  down: "M10 4.500v11M5.500 11 10 15.500 14.500 11",
  external: "M8.500 5H5v10h10v-3.500M11.500 4.500h4v4M15 5l-6 6",
  copy: "M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3",
  upload: "M10 13V4.500M6.500 7.500 10 4l3.500 3.500M4.500 12.500v3h11v-3",
  download: "M10 4v8.500M6.500 9.500 10 13l3.500-3.500M4.500 12.500v3h11v-3",
  plus: "M10 4.500v11M4.500 10h11",
  warning: "M10 4 17 16H3zM10 8.500v3.500M10 14v.200",
  check: "M4.500 10.500l3.500 3.500 7.500-8",
  skip: "M5 5.500v9l6-4.500zM14 5.500v9",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  play: "M7 4.500v11l8.500-5.500z",
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon beside a label, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** Files of docs/images by their name, also in the executable. Filled by imports with `type: "file"`. */
export const images: Record<string, string> = {};

/** Tags as labels. Shows at most `atMost` of them, and the number of the others. */
export function TagList({ tags, atMost = 100 }: { tags: readonly string[]; atMost?: number }) {
  const hidden = tags.slice(atMost);
  return (
    <span class="tags">
      {tags.slice(0, atMost).map((tag) => (
        <span key={tag} class="tag">
          {tag.replace(/^list:/, "List: ")}
        </span>
      ))}
      {hidden.length > 0 && (
        <span class="faint small" title={hidden.join(", ")}>
          +{hidden.length}
        </span>
      )}
    </span>
  );
}

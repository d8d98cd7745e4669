import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { showError } from "../../ui/toast.tsx";

/** A player that loads the audio on demand. */
export function Player({ label, load }: { label: string; load: () => Promise<Blob> }) {
  const [url, setUrl] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);

  async function play() {
    setIsBusy(true);
    try {
      setUrl(URL.createObjectURL(await load()));
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  if (url !== null) return <Sound label={label} url={url} />;
  return <Button icon="play" isBusy={isBusy} aria-label={`Play ${label}`} onClick={() => void play()} />;
}

/** Plays automatically, because the user has just requested it. */
export function Sound({ label, url }: { label: string; url: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    // Rejected if the browser requires another click; the user can use the controls.
    audio.current?.play().catch(() => {});
    audio.current?.focus();
  }, [url]);
  return <audio ref={audio} controls src={url} aria-label={label} />;
}

import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { showError, showProblem } from "../../ui/toast.tsx";
import { minutesAndSeconds } from "../../format.ts";
import { asWav } from "./sound.ts";

type RecorderProps = {
  /** Label of the button that starts recording. */
  label: string;
  /** Name of the recorded file. */
  fileName: string;
  onRecorded: (file: File) => void;
};

/** Keeps a recording under the server's limit of 50 MB. */
const maxSeconds = 300;

/** Records from the microphone. Nothing leaves the browser until the user submits it. */
export function Recorder({ label, fileName, onRecorded }: RecorderProps) {
  const [seconds, setSeconds] = useState<number | null>(null);
  const [level, setLevel] = useState(0);
  const [isBusy, setIsBusy] = useState(false);
  const running = useRef<MediaRecorder | null>(null);
  useEffect(() => () => stop(running.current), []);

  useEffect(() => {
    if (seconds === null) return undefined;
    if (seconds >= maxSeconds) stop(running.current);
    const timer = setTimeout(() => setSeconds(seconds + 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);

  async function start() {
    const stream = await microphone();
    if (stream === null) return;
    const recorder = new MediaRecorder(stream);
    const pieces: Blob[] = [];
    const unwatch = watchLevel(stream, setLevel);
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.onstop = () => {
      unwatch();
      for (const track of stream.getTracks()) track.stop();
      running.current = null;
      setSeconds(null);
      setIsBusy(true);
      asWav(new Blob(pieces, { type: recorder.mimeType }))
        .then((wav) => onRecorded(new File([wav], fileName, { type: "audio/wav" })))
        .catch(showError)
        .finally(() => setIsBusy(false));
    };
    running.current = recorder;
    recorder.start();
    setSeconds(0);
  }

  if (seconds === null)
    return (
      <Button icon="voice" isBusy={isBusy} onClick={() => void start()}>
        {label}
      </Button>
    );
  return (
    <div class="recorder">
      <Button kind="danger" onClick={() => stop(running.current)}>
        Stop
      </Button>
      <span role="timer" class="number">
        {minutesAndSeconds(seconds)}
      </span>
      <span class="meter-bar level" aria-hidden="true">
        <span class="meter-used" style={{ width: `${level * 100}%` }} />
      </span>
    </div>
  );
}

function stop(recorder: MediaRecorder | null): void {
  if (recorder !== null && recorder.state !== "inactive") recorder.stop();
}

/** The raw signal: processing that makes calls clearer removes what cloning needs. */
async function microphone(): Promise<MediaStream | null> {
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  if (mediaDevices === undefined) {
    showProblem("Browsers allow recording only over HTTPS or on localhost. Drop files instead.");
    return null;
  }
  try {
    return await mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
  } catch {
    showProblem("Microphone not available. Allow access in the address bar, or drop files instead.");
    return null;
  }
}

/** Reports the volume, from 0 to 1, so that users see that they are being recorded. */
function watchLevel(stream: MediaStream, onLevel: (level: number) => void): () => void {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const wave = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(wave);
    const power = wave.reduce((sum, value) => sum + value * value, 0) / wave.length;
    // From -60 dB, which is a quiet room, to full scale.
    onLevel(Math.max(0, Math.min(1, 1 + Math.log10(power + 1e-9) / 6)));
  }, 100);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}

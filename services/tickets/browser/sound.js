// What a result sounds and feels like: without a look at the screen, three that nobody mistakes.

/** Tones as [frequency in Hz, length in seconds], and vibration in milliseconds. */
const SIGNALS = {
  green: { wave: 'sine', tones: [[1_320, 0.12]], vibration: [60] },
  amber: {
    wave: 'triangle',
    tones: [
      [740, 0.12],
      [0, 0.06],
      [740, 0.12],
    ],
    vibration: [80, 60, 80],
  },
  red: { wave: 'square', tones: [[196, 0.5]], vibration: [400] },
};

let audio;

/** Allows sound; browsers want that within a touch or a key. */
export function allowSound() {
  audio ??= new AudioContext();
  void audio.resume().catch(() => {});
}

/** Plays the signal of a colour. */
export function signal(colour) {
  const { wave, tones, vibration } = SIGNALS[colour];
  navigator.vibrate?.(vibration);
  if (audio?.state !== 'running') return;
  let at = audio.currentTime;
  for (const [frequency, seconds] of tones) {
    if (frequency > 0) {
      const [oscillator, volume] = [audio.createOscillator(), audio.createGain()];
      oscillator.type = wave;
      oscillator.frequency.value = frequency;
      volume.gain.setValueAtTime(0.3, at);
      // Without an abrupt end, which clicks.
      volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
      oscillator.connect(volume).connect(audio.destination);
      oscillator.start(at);
      oscillator.stop(at + seconds);
    }
    at += seconds;
  }
}

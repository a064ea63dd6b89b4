import type { Call, Reply } from '../../client.ts';
import type { Api } from './api.ts';
import { isBusy } from './busy.ts';

/** What came of a request that was sent as often as its sender's patience allowed, always under one key. */
export interface Asked {
  /** The last answer; undefined when none came. */
  readonly reply: Reply | undefined;
  /** What came in turn; what came several times in a row stands there once. */
  readonly story: readonly string[];
  /** How many of the requests were answered with nothing to rely on. */
  readonly unknownTries: number;
  /** The longest time for which the answer was that the first request is still running. */
  readonly busyMs: number;
  readonly tookMs: number;
}

/** How long somebody asks who insists on knowing. */
const PERSISTENCE_MS = 25_000;
/** How long anyone waits for a request that is still being worked on: longer than the mark of a dead process lives. */
const BUSY_MS = 25_000;

const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 800;

/** Waits before the n-th repeat, longer each time: many who wait for the same crash leave the machine to those who mend it. */
export const patience = (repeats: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** repeats)));

/** Sends the request until its answer is final; who does not insist gives up when he hears nothing reliable. */
export const ask = async (api: Api, path: string, call: Call, insists: boolean): Promise<Asked> => {
  const begun = performance.now();
  const passed = () => performance.now() - begun;
  const story: string[] = [];
  let unknownTries = 0;
  let busySince: number | undefined;
  let busyMs = 0;
  for (let repeats = 0; ; repeats++) {
    const reply = await api(path, call).catch(() => undefined);
    const said = reply === undefined ? 'nothing' : `${reply.status} ${reply.body?.status}`;
    if (!story.at(-1)?.endsWith(said)) story.push(`after ${Math.round(passed())} ms ${said}`);
    const unknown = reply === undefined || reply.status >= 500;
    const busy = reply !== undefined && isBusy(reply);
    if (unknown) unknownTries += 1;
    busySince = busy ? (busySince ?? passed()) : undefined;
    if (busySince !== undefined) busyMs = Math.max(busyMs, passed() - busySince);
    const goesOn = (unknown && insists && passed() < PERSISTENCE_MS) || (busy && passed() < BUSY_MS);
    if (!goesOn) return { reply, story, unknownTries, busyMs, tookMs: passed() };
    await patience(repeats);
  }
};

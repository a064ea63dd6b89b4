import type { Call, Client, Reply } from '@boxoffice/testkit';
import { isBusy } from './busy.ts';

/** The result of a request that was repeated under one key until it was final or its sender's patience ended. */
export interface Asked {
  /** The last response; undefined when none arrived. */
  readonly reply: Reply | undefined;
  /** The responses in order; a sequence of equal ones appears once. */
  readonly story: readonly string[];
  /** The number of tries with an inconclusive response. */
  readonly unknownTries: number;
  /**
   * The longest time for which the response was that the first request is still running, and when it began
   * (`performance.now`; 0 without one).
   */
  readonly busyMs: number;
  readonly busyFrom: number;
  readonly tookMs: number;
}

/** How long an insistent client repeats a request. */
const PERSISTENCE_MS = 25_000;
/** How long a client waits for a request in progress: longer than the lease of a dead process. */
const BUSY_MS = 25_000;

const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 800;

/** Waits before the n-th repeat, longer each time: repeats during a crash leave the CPU to the recovery. */
export const patience = (repeats: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** repeats)));

/** A response in the story of its request; a failure with its reason, since nobody can ask for it later. */
const saidIn = ({ status, body }: Reply): string =>
  `${status} ${body?.status}${status >= 500 && body?.details ? ` (${JSON.stringify(body.details)})` : ''}`;

/** Sends the request until its response is final; a client that does not insist stops at an inconclusive one. */
export const ask = async (api: Client, path: string, call: Call, insists: boolean): Promise<Asked> => {
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  const story: string[] = [];
  let unknownTries = 0;
  let busySince: number | undefined;
  let busyMs = 0;
  let busyFrom = 0;
  for (let repeats = 0; ; repeats++) {
    const reply = await api(path, call).catch(() => undefined);
    const said = reply === undefined ? 'nothing' : saidIn(reply);
    if (!story.at(-1)?.endsWith(said)) story.push(`after ${Math.round(passed())} ms ${said}`);
    const unknown = reply === undefined || reply.status >= 500;
    const busy = reply !== undefined && isBusy(reply);
    if (unknown) unknownTries += 1;
    busySince = busy ? (busySince ?? passed()) : undefined;
    if (busySince !== undefined && passed() - busySince > busyMs) {
      busyMs = passed() - busySince;
      busyFrom = startedAt + busySince;
    }
    const goesOn = (unknown && insists && passed() < PERSISTENCE_MS) || (busy && passed() < BUSY_MS);
    if (!goesOn) return { reply, story, unknownTries, busyMs, busyFrom, tookMs: passed() };
    await patience(repeats);
  }
};

import type { Call, Client, Reply } from '@boxoffice/testkit';

/** The result of a request that was repeated under one key until it was final or its sender's patience ended. */
export interface Asked {
  /** The last response; undefined when none arrived. */
  readonly reply: Reply | undefined;
  /** The responses in order; a sequence of equal ones appears once. */
  readonly story: readonly string[];
  /** The number of tries with an inconclusive response. */
  readonly unknownTries: number;
  readonly tookMs: number;
}

/** How long a client repeats a request without a final response. */
const PERSISTENCE_MS = 25_000;

const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 800;

/** Waits before the n-th repeat, longer each time: repeats during a crash leave the CPU to the recovery. */
export const patience = (repeats: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** repeats)));

/** Whether the response tells the client to repeat the request later. */
export const isBusy = ({ status, body, headers }: Reply): boolean =>
  status === 429 ||
  (status === 409 && body?.status === 'idempotency_in_progress') ||
  (status === 409 && body?.status === 'conflict' && headers['idempotency-replayed'] === undefined);

/** A response in the story of its request; a failure with its reason, since nobody can ask for it later. */
const saidIn = ({ status, body }: Reply): string =>
  `${status} ${body?.status}${status >= 500 && body?.details ? ` (${JSON.stringify(body.details)})` : ''}`;

/** Sends the request until its response is final; a client that does not insist stops at one that never comes or is a 5xx. */
export const ask = async (api: Client, path: string, call: Call, insists: boolean): Promise<Asked> => {
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  const story: string[] = [];
  let unknownTries = 0;
  for (let repeats = 0; ; repeats++) {
    const reply = await api(path, call).catch(() => undefined);
    const said = reply === undefined ? 'nothing' : saidIn(reply);
    if (!story.at(-1)?.endsWith(said)) story.push(`after ${Math.round(passed())} ms ${said}`);
    const unknown = reply === undefined || reply.status >= 500;
    if (unknown) unknownTries += 1;
    const goesOn = unknown ? insists : isBusy(reply);
    if (!goesOn || passed() > PERSISTENCE_MS) return { reply, story, unknownTries, tookMs: passed() };
    await patience(repeats);
  }
};

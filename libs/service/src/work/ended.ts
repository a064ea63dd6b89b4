import type { Logger } from '@boxoffice/runtime';
import type { EndedWork, Outbox } from '@boxoffice/store';

/** How long an end waits for the next write of the outbox: shorter than until the work is due. Milliseconds. */
const GATHERED_MS = 500;

export type EndedWorkRecorder = ReturnType<typeof createEndedWorkRecorder>;

/** Records the ends of work that requests have done themselves, many at once and with what the outbox writes anyway. */
export function createEndedWorkRecorder(outbox: Pick<Outbox, 'done'>, logger: Pick<Logger, 'warn'>) {
  let waiting: EndedWork[] = [];
  let timer: NodeJS.Timeout | undefined;

  const take = (): readonly EndedWork[] => {
    clearTimeout(timer);
    timer = undefined;
    const ends = waiting;
    waiting = [];
    return ends;
  };
  const flush = async (): Promise<void> => {
    const ends = take();
    if (ends.length === 0) return;
    await outbox
      .done([], ends)
      .catch((error: unknown) => logger.warn('the end of work could not be recorded', { count: ends.length, error }));
  };

  return {
    /** Returns at once. Where the end is lost, the work is done again. */
    record(end: EndedWork): void {
      waiting.push(end);
      timer ??= setTimeout(() => void flush(), GATHERED_MS).unref();
    },
    /** What waits, for the caller to write. */
    take,
    flush,
  };
}

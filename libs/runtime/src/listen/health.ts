import { settleWithin } from '../time.ts';

interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body:
    | { readonly status: 'ok' }
    | { readonly status: 'starting' | 'stopping'; readonly waitingFor: string[] };
}

/** A condition of readiness: rejects while it does not hold. */
export type Check = () => Promise<void>;

export interface Health {
  readonly version: string | undefined;
  /** Ready whenever every check passes; each is called for each request, for one second at most. */
  ready(checks?: Readonly<Record<string, Check>>): void;
  stopping(): void;
  answer(path: string): Promise<HealthAnswer> | undefined;
}

const CHECK_MS = 1_000;

const ok: HealthAnswer = { status: 200, body: { status: 'ok' } };

/** The header of health answers that names the version of a program which describes no operations of its own. */
export const VERSION_HEADER = 'X-Boxoffice-Version';

/** Creates the health of a program that is starting. `waitingFor` names what it waits for until `ready` is called. */
export function createHealth(waitingFor: () => readonly string[] = () => ['start'], version?: string): Health {
  let state: 'starting' | 'started' | 'stopping' = 'starting';
  let conditions: Readonly<Record<string, Check>> = {};

  const readiness = async (): Promise<HealthAnswer> => {
    if (state === 'stopping') return { status: 503, body: { status: 'stopping', waitingFor: [] } };
    if (state === 'starting') return { status: 503, body: { status: 'starting', waitingFor: [...waitingFor()] } };
    const names = Object.keys(conditions);
    const results = await Promise.allSettled(Object.values(conditions).map(inTime));
    const failing = names.filter((_, index) => results[index]?.status === 'rejected');
    return failing.length === 0 ? ok : { status: 503, body: { status: 'starting', waitingFor: failing } };
  };

  return {
    version,
    ready(checks = {}) {
      conditions = checks;
      if (state === 'starting') state = 'started';
    },
    stopping() {
      state = 'stopping';
    },
    answer(path) {
      if (path === '/health/live') return Promise.resolve(ok);
      return path === '/health/ready' ? readiness() : undefined;
    },
  };
}

/** Settles like the check, or rejects after a second, so that a probe does not hang with an unresponsive store. */
const inTime = async (check: Check): Promise<void> =>
  settleWithin(check(), CHECK_MS, () => {
    throw new Error('too slow');
  });

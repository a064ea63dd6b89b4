import { COUNTED, SWEPT_SECONDS } from './backlog.ts';
import { isUnseen, type Overview } from './overview.ts';

/** An event that waits longer is not being published. */
const OUTBOX_SECONDS = 60;

/** The limit of a cancellation: it settles within seconds, retries of a message take some minutes. */
const CANCELLATION_SECONDS = 300;

const plural = (count: number, one: string, many: string): string =>
  `${count >= COUNTED ? `at least ${count}` : count} ${count === 1 ? one : many}`;

const ofProcesses = ({ addresses, processes, notAsked, data }: Overview): string[] => {
  if (addresses === 'nowhere') {
    const settings = notAsked.map(({ setting }) => setting).join(', ');
    return settings === ''
      ? [`boxoffice is not running on ${data}`]
      : [`no process could be reached: none of ${settings} is set`];
  }
  if (processes.length === 0) return ['boxoffice is still starting'];
  return processes.flatMap(({ service, at, state }) =>
    at === null || state === 'ready' ? [] : [`${service} at ${at} is ${state}`],
  );
};

const ofMessages = ({ queues, outboxes }: Overview): string[] => {
  const dead = isUnseen(queues) ? 0 : queues.reduce((sum, queue) => sum + queue.dead, 0);
  const ageing = isUnseen(outboxes) ? [] : outboxes.filter(({ oldestSeconds }) => oldestSeconds > OUTBOX_SECONDS);
  return [
    ...(isUnseen(queues) ? [`queues: ${queues.unreachable}`] : []),
    ...(isUnseen(outboxes) ? [`outboxes: ${outboxes.unreachable}`] : []),
    ...(dead > 0 ? [`${plural(dead, 'dead letter', 'dead letters')} (dead-letters list)`] : []),
    ...ageing.map(
      ({ service, events, oldestSeconds }) =>
        `${plural(events, 'event', 'events')} of ${service} not published, the oldest for ${oldestSeconds} s`,
    ),
  ];
};

const ofOrders = ({ orders }: Overview): string[] => {
  if (isUnseen(orders)) return [];
  const { openCancellations, oldestCancellationSeconds, expiredUnswept, stuckSteps } = orders;
  const many = 'orders';
  return [
    ...(oldestCancellationSeconds > CANCELLATION_SECONDS
      ? [
          `${plural(openCancellations, 'cancellation', 'cancellations')} open, the oldest for ${oldestCancellationSeconds} s`,
        ]
      : []),
    ...(expiredUnswept > 0
      ? [`${plural(expiredUnswept, 'order', many)} expired over ${SWEPT_SECONDS} s ago and not swept`]
      : []),
    ...(stuckSteps > 0
      ? [`${plural(stuckSteps, 'order', many)} paid in full and not confirmed for over ${SWEPT_SECONDS} s`]
      : []),
  ];
};

/** The problems of an installation, as far as it was probed, each in words. */
export const problemsOf = (overview: Overview): string[] => [
  ...(overview.servicesFile === null ? [] : [overview.servicesFile]),
  ...ofProcesses(overview),
  ...ofMessages(overview),
  ...ofOrders(overview),
];

/** The last line: the problems, and the processes not probed; all is well only if everything was probed. */
export const verdictOf = (overview: Overview, problems: readonly string[]): string => {
  const { addresses, notAsked } = overview;
  const wrong = problems.length > 0 ? `WRONG: ${problems.join('; ')}` : undefined;
  // A lack of any probe is among the problems.
  if (notAsked.length === 0 || addresses === 'nowhere') return wrong ?? 'all is well';
  const unasked = notAsked.map(({ service, setting }) => `${service} (${setting})`).join(', ');
  return `${wrong ?? 'no problem in the processes that were reached'}; not asked: ${unasked}`;
};

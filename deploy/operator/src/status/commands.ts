// The status of an installation: its processes, backlogs and problems.

import { type Command, printed, type Report } from '../command.ts';
import { isUnseen, lookAt, type Overview } from './overview.ts';
import { problemsOf, verdictOf } from './problems.ts';

const section = (name: string, part: object): string =>
  isUnseen(part) ? `${name}: unreachable: ${part.unreachable}` : `${name}\n${printed(part, false)}`;

const processesOf = ({ addresses, processes }: Overview): string => {
  if (processes.length === 0) return 'processes: none';
  return `processes${addresses === 'nowhere' ? '' : ` (from ${addresses})`}\n${printed(processes, false)}`;
};

const reportOf = (overview: Overview): Report => {
  const { at, data, engines, servicesFile, queues, outboxes, orders } = overview;
  const problems = problemsOf(overview);
  return {
    kind: 'report',
    wrong: problems.length > 0,
    text: [
      `${at}  ${data}  ${engines.store}, ${engines.bus}`,
      ...(servicesFile === null ? [] : [`services of teams: not looked at: ${servicesFile}`]),
      processesOf(overview),
      section('queues', queues),
      section('outboxes', outboxes),
      section('orders', orders),
      verdictOf(overview, problems),
    ].join('\n\n'),
    json: { ...overview, problems },
  };
};

export const status: readonly Command[] = [
  {
    name: 'status',
    usage: '',
    about:
      'every process’s version and readiness (at GATEWAY_URL, AUTHORIZER_URL, CATALOG_URL, CONTACTS_URL, ORDERS_URL, TICKETS_URL, EVENTS_URL, POS_URL, the origin of its health: each instance that a name stands for; those that are not set where npm start recorded them in the data directory; what neither tells is not asked, which the last line says), queues, dead letters, outboxes, open cancellations, expired orders; exit status 1 when something is wrong or no process could be asked, and the last line says what',
    run: async (installation) => reportOf(await lookAt(installation)),
  },
];

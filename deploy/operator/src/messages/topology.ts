import { declaredOf, declareRabbitmqTopology, rightsOf } from '@boxoffice/messaging';
import { amqpUrl, createLogger, readSettings, StartFault, tlsCaFile } from '@boxoffice/runtime';
import { presentRows } from '@boxoffice/runtime/services';
import type { Command } from '../command.ts';
import { Refused } from '../installation.ts';

/** The timeout of RabbitMQ's responses. */
const CONNECT_MS = 30_000;

export const topology: readonly Command[] = [
  {
    name: 'topology declare',
    usage: '',
    about:
      'declares the exchanges and queues of this release, and of the services in SERVICES_FILE, in RabbitMQ; before its processes start, if their users have no right to declare (repeating it changes nothing)',
    data: 'unneeded',
    async run() {
      const { url } = readSettings({ url: amqpUrl, tlsCaFile });
      if (url === undefined) throw new Refused('AMQP_URL is not set; the bus of a single process needs no topology');
      const rows = presentRows();
      const logger = createLogger({ service: 'operator', level: 'error' });
      const { queues } = await declareRabbitmqTopology({
        url,
        logger,
        connectTimeoutMs: CONNECT_MS,
        declared: declaredOf(rows),
      }).catch((error: Error) => {
        throw new StartFault(`AMQP_URL: ${error.message}`);
      });
      return `declared: ${queues.map(({ name }) => name).join(', ')}, with their exchanges, retry and dead-letter queues`;
    },
  },
  {
    name: 'topology rights',
    usage: '',
    about: 'prints the least rights of each process’s RabbitMQ user in the virtual host (configure, write, read)',
    data: 'unneeded',
    run: async () => rightsOf(presentRows()),
  },
];

import { chromiumPath } from './chromium.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An optional engine of the tests: how its presence is detected, and how to install it. */
interface Engine {
  readonly name: string;
  readonly isThere: (env: Environment) => boolean;
  readonly how: string;
}

const engines: readonly Engine[] = [
  {
    name: 'MongoDB',
    isThere: ({ TEST_MONGODB_URL }) => Boolean(TEST_MONGODB_URL),
    how: 'start a MongoDB server and set TEST_MONGODB_URL=mongodb://127.0.0.1:27017',
  },
  {
    name: 'RabbitMQ',
    isThere: ({ TEST_AMQP_URL }) => Boolean(TEST_AMQP_URL),
    how: 'start a RabbitMQ node (3.10 or newer) and set TEST_AMQP_URL=amqp://127.0.0.1:5672',
  },
  {
    name: 'a RabbitMQ node that may be killed',
    isThere: ({ TEST_RABBITMQ_CONTROL }) => Boolean(TEST_RABBITMQ_CONTROL),
    how: 'install rabbitmq-server and set TEST_RABBITMQ_CONTROL=.ci/rabbitmq (it starts private nodes)',
  },
  {
    name: 'a browser',
    isThere: (env) => chromiumPath(env) !== undefined,
    how: 'install chromium, or set TEST_CHROMIUM to the path of one',
  },
];

/** The engines that this run cannot exercise, each as a sentence with the way to install it. */
export const missingEngines = (env: Environment): string[] =>
  engines.filter(({ isThere }) => !isThere(env)).map(({ name, how }) => `not exercised: ${name}; ${how}`);

/** An engine that tests use only when it is there: the setting that names it, and how to get one. */
interface Engine {
  readonly name: string;
  readonly settings: readonly string[];
  readonly how: string;
}

const engines: readonly Engine[] = [
  {
    name: 'MongoDB',
    settings: ['TEST_MONGODB_URL'],
    how: 'start a MongoDB server and set TEST_MONGODB_URL=mongodb://127.0.0.1:27017',
  },
  {
    name: 'RabbitMQ',
    settings: ['TEST_AMQP_URL'],
    how: 'start a RabbitMQ node (3.10 or newer) and set TEST_AMQP_URL=amqp://127.0.0.1:5672',
  },
  {
    name: 'a RabbitMQ node that may be killed',
    settings: ['TEST_RABBITMQ_CONTROL'],
    how: 'install rabbitmq-server and set TEST_RABBITMQ_CONTROL=.ci/rabbitmq (it starts private nodes)',
  },
];

/** The engines that this run cannot exercise, each as a sentence that says how to get it. */
export const missingEngines = (env: Readonly<Record<string, string | undefined>>): string[] =>
  engines
    .filter(({ settings }) => settings.some((name) => !env[name]))
    .map(({ name, how }) => `not exercised: ${name}; ${how}`);

import { readFileSync, writeFileSync } from 'node:fs';
import { createPlan, nameExchange } from '@boxoffice/messaging';
import { stringify } from 'yaml';
import { processes } from './processes.ts';

const plan = createPlan({});
const bindingVersion = '0.3.0';

/** The body of every message, as libs/messaging writes it (`Message` of its port). */
const Fact = {
  type: 'object',
  required: ['id', 'type', 'key', 'version', 'institution', 'occurredAt', 'data'],
  properties: {
    id: { type: 'string', description: 'The same in every delivery of the fact: what was handled once is ignored.' },
    type: { type: 'string', description: 'The name of the fact, and its routing key.' },
    key: { type: 'string', description: 'The resource. Facts of one key are published in the order of its versions.' },
    version: { type: 'integer', minimum: 0, description: 'The version of the resource; consumers ignore older ones.' },
    institution: { type: 'string', description: 'The tenant.' },
    occurredAt: { type: 'string', format: 'date-time', description: 'UTC.' },
    traceparent: { type: 'string', description: 'W3C trace context of the request; absent without one.' },
    data: { type: 'object', description: 'What the fact says. Members may be added: ignore unknown ones.' },
  },
};

const headers = {
  type: 'object',
  required: ['version'],
  properties: {
    version: Fact.properties.version,
    traceparent: Fact.properties.traceparent,
    attempt: {
      type: 'integer',
      minimum: 2,
      description: 'Of a delivery that a consumer of the product tries again; absent in the first.',
    },
  },
};

const DESCRIPTION = `\
What the processes of an installation tell one another, over RabbitMQ. A fact is published to the topic exchange of its
first word (\`order.confirmed\` to \`boxoffice.order\`) with its type as routing key, at least once, and arrives in every
queue that is bound to it. The AMQP properties repeat \`id\` (message-id), \`type\` and \`occurredAt\` (timestamp).

A consumer acknowledges what it has handled. What fails in one of the product's own consumers is tried again after 5 s,
30 s, 5 min and 5 min, and goes then to the dead letters of the queue (\`<queue>.dlq\`); so does, of any consumer, what it
rejects without requeueing. \`operator topology declare\` makes exchanges, queues and bindings.

\`npm run asyncapi\` writes this document from the schemas and examples of the services.`;

const reference = (...path: readonly string[]) => ({ $ref: `#/${path.join('/')}` });

const facts = processes.flatMap(({ name, publishes }) =>
  Object.entries(publishes).map(([type, published]) => ({ process: name, type, ...published })),
);

const INSTITUTION = 'opera';

/** The id of the resource: of an order before that of a part of it, as the facts of an order have one key. */
const keyIn = (data: Readonly<Record<string, unknown>>): unknown => {
  const { event, orderId } = data as {
    readonly event?: { readonly resource: { readonly id: string } };
    orderId?: string;
  };
  const [first] = Object.keys(data).filter((member) => /(Id|Number)$/.test(member));
  return event?.resource.id ?? orderId ?? (first === undefined ? INSTITUTION : data[first]);
};

const exampleOf = (type: string, data: object) => {
  const fact = {
    id: '01981f3e-6f8a-7c42-9d3b-2b1f0c5a7e10',
    type,
    key: keyIn({ ...data }),
    version: 3,
    institution: INSTITUTION,
    occurredAt: '2027-01-03T18:13:20.000Z',
    data,
  };
  return { name: type, headers: { version: fact.version }, payload: fact };
};

const messageOf = ({ type, schema, example }: (typeof facts)[number]) => ({
  name: type,
  title: type,
  summary: schema.description,
  contentType: 'application/json',
  headers: reference('components', 'schemas', 'Headers'),
  payload: {
    allOf: [
      reference('components', 'schemas', 'Fact'),
      { type: 'object', properties: { type: { const: type }, data: reference('components', 'schemas', type) } },
    ],
  },
  bindings: { amqp: { contentEncoding: 'UTF-8', messageType: type, bindingVersion } },
  examples: [exampleOf(type, example)],
});

const messagesOf = (types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, reference('components', 'messages', type)]));

const exchangeChannel = (type: string) => ({
  address: type,
  messages: messagesOf([type]),
  bindings: {
    amqp: {
      is: 'routingKey',
      exchange: { name: nameExchange(type, plan), type: 'topic', durable: true, autoDelete: false, vhost: '/' },
      bindingVersion,
    },
  },
});

/** A durable queue of a service. */
const queueChannel = (queue: string, types: readonly string[]) => ({
  address: queue,
  messages: messagesOf(types),
  bindings: {
    amqp: {
      is: 'queue',
      queue: { name: queue, durable: true, exclusive: false, autoDelete: false, vhost: '/' },
      bindingVersion,
    },
  },
});

const queues = processes.flatMap((process) =>
  Object.entries(process.consumes).map(([id, types]) => ({ id, process, types, channel: queueChannel(id, types) })),
);

const inChannel = (channel: string, types: readonly string[]) =>
  types.map((type) => reference('channels', channel, 'messages', type));

const asyncApiDocument = (): object => ({
  asyncapi: '3.0.0',
  info: {
    title: 'boxoffice facts',
    version: processes[0]?.version,
    description: DESCRIPTION,
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    tags: processes.map(({ name }) => ({ name })),
  },
  defaultContentType: 'application/json',
  servers: {
    broker: {
      host: '{broker}',
      protocol: 'amqps',
      protocolVersion: '0.9.1',
      description: 'RabbitMQ of the installation: AMQP_URL of every service, each with a user and rights of its own.',
      variables: { broker: { default: 'rabbitmq:5671', description: 'Host and port of AMQP_URL.' } },
      security: [reference('components', 'securitySchemes', 'user')],
    },
  },
  channels: Object.fromEntries([
    ...facts.map(({ type }) => [type, exchangeChannel(type)]),
    ...queues.map(({ id, channel }) => [id, channel]),
  ]),
  operations: Object.fromEntries([
    ...facts.map(({ process, type, schema }) => [
      `${process}.send.${type}`,
      {
        action: 'send',
        channel: reference('channels', type),
        summary: schema.description,
        tags: [{ name: process }],
        messages: inChannel(type, [type]),
      },
    ]),
    ...queues.map(({ id, process, types }) => [
      `${process.name}.receive.${id}`,
      {
        action: 'receive',
        channel: reference('channels', id),
        summary: `${process.name} reacts to ${types.join(', ')}`,
        tags: [{ name: process.name }],
        messages: inChannel(id, types),
      },
    ]),
  ]),
  components: {
    securitySchemes: { user: { type: 'userPassword', description: 'The user of the process.' } },
    messages: Object.fromEntries(facts.map((fact) => [fact.type, messageOf(fact)])),
    schemas: {
      Fact,
      Headers: headers,
      ...Object.fromEntries(facts.map(({ type, schema }) => [type, schema])),
    },
  },
});

// npm run asyncapi [-- check]: writes docs/asyncapi.yaml from the code, or says that it differs.
if (import.meta.main) {
  const FILE = new URL('../../../docs/asyncapi.yaml', import.meta.url);
  const made = stringify(asyncApiDocument(), {
    lineWidth: 120,
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
    // Quotes what a reader of YAML 1.1 takes for another type: a date-time is a text.
    compat: 'yaml-1.1',
  });
  if (process.argv[2] !== 'check') writeFileSync(FILE, made);
  else if (readFileSync(FILE, 'utf8') !== made) {
    process.stdout.write('docs/asyncapi.yaml differs from the facts of the code: npm run asyncapi writes it\n');
    process.exitCode = 1;
  }
}

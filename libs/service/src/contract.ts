import type { ServiceDefinition } from './definition.ts';

/** What a process needs of the others and gives them, beside its operations. */
export interface Contract {
  /** The facts that it publishes, by type. */
  readonly 'x-publishes': Readonly<Record<string, { readonly schema: object; readonly example: object }>>;
  /** The types of the facts that it consumes, by queue. */
  readonly 'x-consumes': Readonly<Record<string, readonly string[]>>;
  /** The operations that it calls, by service. */
  readonly 'x-calls': Readonly<Record<string, readonly string[]>>;
  /** The calls that the authorizer permits the product's own processes, by caller and service. */
  readonly 'x-permits'?: ServiceDefinition['permits'];
}

/** Every process proves itself to the authorizer, and gets the identities for its calls there. */
const OF_AUTHORIZER = 'identifyService';

/** The contract of a service, which it serves with the description of its internal operations. */
export const contractOf = ({
  name,
  facts = { schemas: {}, examples: {} },
  queues = [],
  calls = [],
  permits,
}: Pick<ServiceDefinition, 'name' | 'facts' | 'queues' | 'calls' | 'permits'>): Contract => {
  const called = Object.fromEntries(calls.map(({ service, operations }) => [service, Object.keys(operations)]));
  const { authorizer = [], ...others } = called;
  return {
    'x-publishes': Object.fromEntries(
      Object.entries(facts.schemas).map(([type, schema]) => [type, { schema, example: facts.examples[type] ?? {} }]),
    ),
    'x-consumes': Object.fromEntries(queues.map((queue) => [queue.name, queue.types])),
    ...(permits && { 'x-permits': permits }),
    'x-calls': name === 'authorizer' ? called : { authorizer: [OF_AUTHORIZER, ...authorizer], ...others },
  };
};

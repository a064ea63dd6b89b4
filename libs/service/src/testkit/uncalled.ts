import { type ServiceClient, ServiceRefusal } from '../client/client.ts';
import type { Operations, ServiceApi } from '../client/operations.ts';

/**
 * The operations of a generated client that `callAll` does not call; it gets a client that refuses every call. The
 * authorizer permits exactly the generated operations, so one that is no longer called must leave its list.
 */
export const uncalledOf = async <All extends Operations<All>>(
  { service, operations }: ServiceApi<All>,
  callAll: (client: ServiceClient<All>) => readonly Promise<unknown>[],
): Promise<string[]> => {
  const called = new Set<string>();
  const refuse = async (...[, operation]: readonly unknown[]) => {
    called.add(String(operation));
    throw new ServiceRefusal(service, 403, 'forbidden', null);
  };
  await Promise.allSettled(callAll({ call: refuse, find: refuse }));
  return Object.keys(operations).filter((id) => !called.has(id));
};

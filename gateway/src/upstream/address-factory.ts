import { createInstances, type InstancesOptions, type Logger } from '@boxoffice/runtime';
import { type Addresses, createAddresses } from './addresses.ts';
import { targetOf } from './target-address.ts';

/** Makes the addresses of a service, for one kind of traffic. */
export type AddressFactory = (service: string, url: string) => Addresses;

/** Makes addresses that log when a breaker opens and when it closes. */
export const createAddressFactory =
  (logger: Pick<Logger, 'warn' | 'info'>, resolve?: InstancesOptions['resolve']): AddressFactory =>
  (upstream, url) =>
    createAddresses({
      host: targetOf(url).hostname,
      instances: createInstances(resolve && { resolve }),
      onChange: (peer, state) => {
        if (state === 'open') logger.warn('circuit breaker open: an address of a service fails', { upstream, peer });
        else logger.info('circuit breaker closed: an address of a service answers again', { upstream, peer });
      },
    });

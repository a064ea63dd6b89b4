import { createInstances, type InstancesOptions, type Logger } from '@boxoffice/runtime';
import { type Addresses, createAddresses } from './addresses.ts';
import { targetOf } from './target-address.ts';

/** Makes the addresses that one use of a service reaches it by. */
export type AddressFactory = (service: string, url: string) => Addresses;

/** Makes them with a line in the log when requests are kept from an address, and when it answers again. */
export const createAddressFactory =
  (logger: Pick<Logger, 'warn' | 'info'>, resolve?: InstancesOptions['resolve']): AddressFactory =>
  (upstream, url) =>
    createAddresses({
      host: targetOf(url).hostname,
      instances: createInstances(resolve && { resolve }),
      onChange: (peer, state) => {
        if (state === 'open')
          logger.warn('an address of a service fails; requests are kept from it', { upstream, peer });
        else logger.info('an address of a service answers again', { upstream, peer });
      },
    });

// Which addresses webhooks may connect to: no internal ones unless they are allowed, and never the own listeners.

import { isIP } from 'node:net';
import { hostOf, type OwnListeners, portOf } from './listeners.ts';
import { createAllowed, internalNetworkOf } from './networks.ts';
import { type Resolve, Unresolvable } from './resolve.ts';

/** Decides about addresses. Refusals are reasons in words, for the person who registers a webhook. */
export type AddressPolicy = ReturnType<typeof createAddressPolicy>;

interface AddressPolicyOptions {
  /** Internal networks that may be connected to, also with http (CIDRs), as of the call. */
  readonly allowed: () => readonly string[];
  readonly own: OwnListeners;
  readonly resolve: Resolve;
}

// Neither which address nor why: whoever registers webhooks could read the private DNS, name by name.
const REFUSED = 'its address is not allowed';

/** Makes the policy of an installation. */
export const createAddressPolicy = ({ allowed, own, resolve }: AddressPolicyOptions) => {
  let known = { cidrs: allowed(), holds: createAllowed(allowed()) };

  const isAllowed = (address: string): boolean => {
    const cidrs = allowed();
    if (cidrs !== known.cidrs) known = { cidrs, holds: createAllowed(cidrs) };
    return known.holds(address);
  };

  /** Why nothing may connect to this address with the scheme of the URL; undefined if it may. */
  const refusalOf = (url: URL, address: string): string | undefined => {
    if (own.isNamed(hostOf(url), portOf(url)) || own.isAt(address, portOf(url))) return REFUSED;
    if (isAllowed(address)) return undefined;
    if (url.protocol !== 'https:') return 'it is not https';
    return internalNetworkOf(address) === undefined ? undefined : REFUSED;
  };

  /** The addresses of the URL's host, as of now. @throws {Unresolvable} if there is none */
  const addressesOf = async (url: URL): Promise<readonly string[]> => {
    const host = hostOf(url);
    await own.look();
    return isIP(host) > 0 ? [host] : resolve(host);
  };

  return {
    refusalOf,
    addressesOf,
    /** Why the URL cannot be registered; undefined if it can, with https also if its name does not resolve yet. */
    async refusalToRegister(url: URL): Promise<string | undefined> {
      if (own.isNamed(hostOf(url), portOf(url))) return REFUSED;
      if (url.protocol !== 'https:' && allowed().length === 0) return 'it is not https';
      try {
        const addresses = await addressesOf(url);
        return addresses.map((address) => refusalOf(url, address)).find((reason) => reason !== undefined);
      } catch (error) {
        if (!(error instanceof Unresolvable)) throw error;
        // What leads nowhere leads to no allowed network either.
        return url.protocol === 'https:' ? undefined : 'it is not https';
      }
    },
  };
};

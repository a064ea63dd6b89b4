import { Fault } from '@boxoffice/envelope';
import { serviceHosts, type UserDetails } from '../domain/user.ts';
import type { References } from '../references/references.ts';

type Named = Partial<Pick<UserDetails, 'contactNumber' | 'pointsOfSale'>>;

/** How many points of sale are looked up at once. */
const AT_ONCE = 10;

/**
 * Creates the check of the contact and the points of sale that a request names for a user. Those that the user has
 * already are not looked up, so that what was read can be written back. The check rejects with Fault
 * `semantically_invalid`, which names every one that the institution does not have, or `service_unavailable`.
 */
export const createReferenceCheck = (references: References | undefined) => {
  const contactFaults = async (institution: string, { contactNumber = null }: Named, had: Named): Promise<string[]> => {
    if (!references || contactNumber === null || contactNumber === had.contactNumber) return [];
    const isKnown = await references.hasContact(institution, contactNumber);
    return isKnown ? [] : [`$.contactNumber: there is no contact ${contactNumber}`];
  };

  const pointOfSaleFaults = async (
    institution: string,
    { pointsOfSale = [] }: Named,
    had: Named,
  ): Promise<string[]> => {
    if (!references) return [];
    const asked = serviceHosts(pointsOfSale).filter((host) => !had.pointsOfSale?.includes(host));
    const unknown = new Set<string>();
    const ask = async (host: string): Promise<void> => {
      if (!(await references.hasPointOfSale(institution, host))) unknown.add(host);
    };
    for (let first = 0; first < asked.length; first += AT_ONCE)
      await Promise.all(asked.slice(first, first + AT_ONCE).map(ask));
    return pointsOfSale.flatMap((given, index) =>
      serviceHosts([given]).some((host) => unknown.has(host))
        ? [`$.pointsOfSale[${index}]: there is no point of sale ${given}`]
        : [],
    );
  };

  return async (institution: string, named: Named, had: Named = {}): Promise<void> => {
    const faults = (
      await Promise.all([contactFaults(institution, named, had), pointOfSaleFaults(institution, named, had)])
    ).flat();
    if (faults.length > 0) throw new Fault('semantically_invalid', `${faults.join('; ')}.`);
  };
};

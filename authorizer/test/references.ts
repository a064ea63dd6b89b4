import { Fault } from '@boxoffice/envelope';
import { type Fake, openFake } from '@boxoffice/service/testkit';
import { catalogApi } from '../src/users/generated/catalog.ts';
import { contactsApi } from '../src/users/generated/contacts.ts';

/** What there is, by institution. */
export type Known = Readonly<
  Record<string, { readonly contacts?: readonly string[]; readonly pointsOfSale?: readonly string[] }>
>;

export interface FakeReferences {
  readonly catalog: Fake;
  readonly contacts: Fake;
  /** Erases the data of a contact. */
  erase(institution: string, contactNumber: string): void;
  /** Takes a point of sale away. */
  remove(serviceHost: string): void;
  /** The number of questions so far. */
  asked(): number;
  close(): Promise<void>;
}

const written = { createdAt: '2026-11-20T16:05:12.000Z', updatedAt: '2026-11-20T16:05:12.000Z' };

/** Fakes of contacts and catalog, whose callers have identities of the authorizer at this address. */
export async function openReferences(authorizerUrl: string, known: Known): Promise<FakeReferences> {
  const authority = { listening: { url: authorizerUrl } };
  const erasedAt = new Map<string, string | null>(pairsOf(known, 'contacts').map((pair) => [pair.join(' '), null]));
  const hosts = new Map(pairsOf(known, 'pointsOfSale').map(([institution, host]) => [host, institution]));
  const contacts = await openFake({
    authority,
    api: contactsApi,
    handlers: {
      getContactInternally: ({ institution, path: { contactNumber } }) => {
        const erased = erasedAt.get(`${institution} ${contactNumber}`);
        if (erased === undefined) throw absent();
        return { contactNumber, kind: 'individual' as const, criteria: [], erasedAt: erased };
      },
    },
  });
  const catalog = await openFake({
    authority,
    api: catalogApi,
    handlers: {
      findPointOfSale: ({ path: { serviceHost } }) => {
        const institution = hosts.get(serviceHost);
        if (institution === undefined) throw absent();
        return {
          institution,
          demo: false,
          serviceHost,
          name: 'Shop',
          languages: ['fr'],
          currency: 'CHF',
          corsOrigins: [],
          tariffIds: [],
          paymentMethods: [],
          ...{
            returnUrls: [],
            refundCredit: true,
            imageHosts: [],
            frameAncestors: [],
            requireTerms: false,
            receipt: null,
            providers: [],
          },
          maxPlacesPerOrder: 8,
          holdMinutes: 15,
          ticketDelivery: 'electronic' as const,
          shopperCancellationMinutes: 0,
          branding: null,
          links: null,
          ...written,
        };
      },
    },
  });
  return {
    catalog,
    contacts,
    erase: (institution, contactNumber) =>
      void erasedAt.set(`${institution} ${contactNumber}`, '2026-11-21T10:00:00.000Z'),
    remove: (serviceHost) => void hosts.delete(serviceHost),
    asked: () => catalog.calls.length + contacts.calls.length,
    close: async () => {
      await Promise.all([catalog.close(), contacts.close()]);
    },
  };
}

const pairsOf = (known: Known, member: 'contacts' | 'pointsOfSale') =>
  Object.entries(known).flatMap(([institution, own]) => (own[member] ?? []).map((id) => [institution, id] as const));

const absent = () => new Fault('not_found', 'There is no resource with this id.');

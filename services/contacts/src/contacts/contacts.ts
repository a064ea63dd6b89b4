import { Fault } from '@boxoffice/envelope';
import { DuplicateEmail } from '@boxoffice/envelope/contact-exception';
import { type Caller, type Restricted, restrictionOf } from '@boxoffice/identity';
import {
  boundedCollection,
  type Change,
  type CollectionHandle,
  type IdempotencyRecord,
  UniqueViolation,
  type WriteOptions,
} from '@boxoffice/store';
import {
  adopted,
  type Contact,
  changesCriteria,
  changesEmail,
  contactNumber,
  type Details,
  emailKey,
  erased,
  type IndividualDetails,
  isOnlyGuests,
  type Kind,
  newContact,
  type Sensitive,
  withDetails,
} from '../domain/contact.ts';
import { contactErased } from '../events.ts';
import type { Collections, ContactDocument } from '../store.ts';
import { reachOf, type SeenContacts } from './reach.ts';

/** A contact as answers show it: never its sensitive data. */
type ContactView = Partial<Details> & {
  readonly contactNumber: string;
  readonly kind: Kind;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly erasedAt?: string;
};

export const view = (contact: Contact): ContactView => ({
  contactNumber: contact.contactNumber,
  kind: contact.kind,
  ...contact.details,
  createdAt: contact.createdAt,
  updatedAt: contact.updatedAt,
  ...(contact.erasedAt === undefined ? {} : { erasedAt: contact.erasedAt }),
});

/** The sensitive sub-resource: an empty object before anything is set. */
export const sensitiveView = (contact: Contact): Sensitive => contact.sensitive ?? {};

/** Clock and randomness, injected so that tests can choose them. */
export interface Dependencies {
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** The parts of a request that a change needs: idempotency record, If-Match check against the contact's version. */
export interface Request {
  readonly idempotencyRecord?: IdempotencyRecord<ContactDocument> | undefined;
  readonly ifMatch: (version: string) => void;
  /** Throws if the request changes a read-only member. */
  readonly unchanged?: (contact: ContactDocument) => void;
}

/** Commands and queries on contacts; each method is limited to one institution. */
export interface Contacts {
  create(
    institution: string,
    kind: Kind,
    details: Details,
    allowDuplicate: boolean,
    idempotencyRecord?: IdempotencyRecord<ContactDocument>,
  ): Promise<ContactDocument>;
  /**
   * Creates the contact of a guest under the number in its order, or updates it with the data of a later checkout
   * (`asOf`, epoch milliseconds). Duplicate emails are allowed. No effect on an erased contact, or one that is not a
   * guest's.
   */
  writeGuest(institution: string, number: string, details: IndividualDetails, asOf: number): Promise<ContactDocument>;
  /** Erases the contact of a guest, unless the institution has changed it since. No effect on other contacts. */
  forgetGuest(institution: string, number: string): Promise<void>;
  get(institution: string, kind: Kind, number: string): Promise<ContactDocument>;
  /** A contact of either kind, also an erased one. @throws Fault `not_found` */
  getAny(institution: string, number: string): Promise<ContactDocument>;
  documents(institution: string): SeenContacts;
  /** The clock of `createdAt` and `updatedAt`, in epoch milliseconds. */
  clock(): number;
  change(
    institution: string,
    kind: Kind,
    number: string,
    to: (current: Details) => Details,
    allowDuplicate: boolean,
    request: Request,
  ): Promise<ContactDocument>;
  erase(institution: string, kind: Kind, number: string, request: Request): Promise<ContactDocument>;
  setSensitive(institution: string, number: string, sensitive: Sensitive, request: Request): Promise<ContactDocument>;
}

const absent = () => new Fault('not_found', 'There is no contact with this number.');

const isErased = () => new Fault('precondition_failed', 'The contact was erased and cannot be changed.');

const notByItself = (what: string) => new Fault('forbidden', `A user of the role customer may not ${what}.`);

/** The contacts as a caller sees them: those of its institution within the bounds of the user's role and of the client. */
export type ContactsOf = (caller: Pick<Caller, 'institution'> & Restricted) => Contacts;

/**
 * Makes the contacts of callers. They are an operation's only way to the collections, so none can forget the bounds. A
 * user that sees its own contact alone changes neither its criteria, which decide about prices, nor the rule of one
 * email for one contact, and is not told whose an email is.
 */
export const createContacts =
  ({ contacts: all, links }: Collections, dependencies: Dependencies): ContactsOf =>
  (caller) => {
    const { contacts, ownClient } = restrictionOf(caller);
    const ofRole = boundedCollection(all, caller.institution, contacts ? { id: contacts } : {});
    const seen: Seen =
      ownClient === null
        ? ofRole
        : { of: (institution) => reachOf(ofRole.of(institution), links.of(institution), ownClient) };
    return createFor(all, seen, { client: caller.client, isOwnOnly: contacts !== null }, dependencies);
  };

interface Seen {
  of(institution: string): SeenContacts;
}

/** `all` for the look at other contacts' emails, `seen` for everything else. */
const createFor = (
  all: CollectionHandle<ContactDocument>,
  seen: Seen,
  { client, isOwnOnly }: { readonly client: string | null; readonly isOwnOnly: boolean },
  { now, randomBytes }: Dependencies,
): Contacts => {
  const timestamp = () => now().toISOString();

  /** The oldest of these contacts that has the email, but for one. */
  const oldestWith = async (documents: Pick<SeenContacts, 'find'>, email: string, except?: string) => {
    const query = { where: { emailKey: emailKey(email) }, orderBy: 'createdAt', limit: 2 };
    return (await documents.find(query)).find(({ id }) => id !== except);
  };

  /**
   * Refuses an email that another contact of the institution has; the answer shows the oldest one that the caller sees.
   */
  const refuseDuplicate = async (institution: string, email: string, except?: string): Promise<void> => {
    if (!(await oldestWith(all.of(institution), email, except))) return;
    const shown = await oldestWith(seen.of(institution), email, except);
    const taken = 'Another contact has this email';
    const text = isOwnOnly ? `${taken}.` : `${taken}; allowDuplicateEmail=true bypasses the check.`;
    throw shown ? new DuplicateEmail<ContactView>(text, view(shown)) : new Fault('contact_duplicate_email', text);
  };

  /**
   * Runs a write that may conflict with a concurrent one on the same email; the one written first is the existing
   * contact.
   */
  const orDuplicate = async <T>(
    institution: string,
    email: string | undefined,
    except: string,
    write: () => Promise<T>,
  ): Promise<T> => {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof UniqueViolation && error.index === 'unique_email') || email === undefined) throw error;
        await refuseDuplicate(institution, email, except);
        // That contact was erased, or changed its email, in between: the write can succeed now.
      }
    }
  };

  const getAny = async (institution: string, number: string): Promise<ContactDocument> => {
    const contact = await seen.of(institution).get(number);
    if (!contact) throw absent();
    return contact;
  };

  const get = async (institution: string, kind: Kind, number: string): Promise<ContactDocument> => {
    const contact = await getAny(institution, number);
    if (contact.kind !== kind) throw absent();
    return contact;
  };

  const update = async (
    institution: string,
    kind: Kind,
    number: string,
    request: Request,
    step: (current: ContactDocument) => Change<ContactDocument> | undefined,
    options: WriteOptions<ContactDocument> = {},
  ): Promise<ContactDocument> => {
    const updated = await seen.of(institution).update(
      number,
      (current) => {
        if (current.kind !== kind) throw absent();
        request.ifMatch(String(current.version));
        request.unchanged?.(current);
        return step(current);
      },
      { ...options, idempotencyRecord: request.idempotencyRecord },
    );
    if (!updated) throw absent();
    return updated;
  };

  /** The erased contact and its fact. */
  const erasure = (contact: ContactDocument): Change<ContactDocument> => {
    const erasedAt = timestamp();
    const { id } = contact;
    return { next: { id, ...erased(contact, erasedAt) }, events: [contactErased(id, erasedAt)] };
  };

  return {
    get,
    getAny,
    documents: (institution) => seen.of(institution),
    clock: () => now().getTime(),

    async create(institution, kind, details, allowDuplicate, idempotencyRecord) {
      if (details.email !== undefined && !allowDuplicate) await refuseDuplicate(institution, details.email);
      const number = contactNumber(randomBytes(12));
      // Each attempt is a write with its own timestamp.
      return orDuplicate(institution, details.email, number, () => {
        const contact = newContact(kind, number, details, allowDuplicate, timestamp());
        const createdBy = client === null ? {} : { createdBy: { clientId: client } };
        return seen.of(institution).insert({ id: number, ...contact, ...createdBy }, { idempotencyRecord });
      });
    },

    async writeGuest(institution, number, details, asOf) {
      const guests = seen.of(institution);
      const fresh = newContact('individual', number, details, true, timestamp());
      try {
        return await guests.insert({ id: number, ...fresh, guestAsOf: asOf });
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
      }
      const written = await guests.update(number, (current) => {
        const { details: known, guestAsOf = asOf } = current;
        if (known === undefined || guestAsOf >= asOf) return undefined;
        // A guest with one name has no first name of an earlier checkout.
        const { firstName: _, ...kept } = known as IndividualDetails;
        return { next: { ...withDetails(current, { ...kept, ...details }, true, timestamp()), guestAsOf: asOf } };
      });
      if (!written) throw absent();
      return written;
    },

    async forgetGuest(institution, number) {
      const forgotten = (contact: ContactDocument) => (isOnlyGuests(contact) ? erasure(contact) : undefined);
      await seen.of(institution).update(number, forgotten, { forget: number });
    },

    async change(institution, kind, number, to, allowDuplicate, request) {
      if (isOwnOnly && allowDuplicate) throw notByItself('use allowDuplicateEmail');
      const changed = (present: Details): Details => {
        const wanted = to(present);
        if (isOwnOnly && changesCriteria(present, wanted)) throw notByItself('change $.criteria');
        return wanted;
      };
      const current = await get(institution, kind, number);
      request.ifMatch(String(current.version));
      request.unchanged?.(current);
      if (current.details === undefined) throw isErased();
      const wanted = changed(current.details);
      if (wanted.email !== undefined && changesEmail(current, wanted) && !allowDuplicate)
        await refuseDuplicate(institution, wanted.email, number);
      return orDuplicate(institution, wanted.email, number, () =>
        update(institution, kind, number, request, (contact) => {
          if (contact.details === undefined) throw isErased();
          return { next: adopted(withDetails(contact, changed(contact.details), allowDuplicate, timestamp())) };
        }),
      );
    },

    erase: (institution, kind, number, request) =>
      update(
        institution,
        kind,
        number,
        request,
        (contact) => (contact.erasedAt === undefined ? erasure(contact) : undefined),
        { forget: number },
      ),

    setSensitive: (institution, number, sensitive, request) =>
      update(institution, 'individual', number, request, (contact) => {
        if (contact.erasedAt !== undefined) throw isErased();
        return { next: { ...adopted(contact), sensitive } };
      }),
  };
};

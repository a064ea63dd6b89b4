import { Fault } from '@boxoffice/envelope';
import { DuplicateEmail } from '@boxoffice/envelope/contact-exception';
import { type Caller, computeContactBounds, computeRestriction, type Restricted } from '@boxoffice/identity';
import {
  type Change,
  type IdempotencyRecord,
  insertUnlessTaken,
  restrictDocuments,
  UniqueViolation,
  type WriteOptions,
} from '@boxoffice/store';
import {
  buildContact,
  computeEmailKey,
  createContactNumber,
  type Details,
  erasePersonalData,
  hasChangedCriteria,
  hasChangedEmail,
  hasCriteria,
  type IndividualDetails,
  isOnlyGuests,
  type Kind,
  markAdopted,
  type Sensitive,
  setDetails,
} from '../domain/contact.ts';
import { createContactErasedFact } from '../events.ts';
import type { Collections, ContactDocument } from '../store.ts';
import { createBoundedContacts, type SeenContacts } from './reach.ts';
import { type ContactView, toContactView } from './schemas.ts';

interface Request {
  readonly idempotencyRecord?: IdempotencyRecord<ContactDocument> | undefined;
  readonly ifMatch: (version: string) => void;
  /** Wraps a write that looks for another contact with the email; limits what its refusal discloses. */
  readonly disclosing?: <Written>(write: () => Promise<Written>) => Promise<Written>;
  /** Throws if the request changes a read-only member. */
  readonly requireUnchanged?: (contact: ContactDocument) => void;
}

/** A caller sees what is within the bounds of its user's role and of its client. */
export type ContactsOf = (caller: Pick<Caller, 'institution'> & Restricted) => ReturnType<typeof createFor>;

/**
 * An operation's only way to the collections, so that none can forget the bounds. A user that sees its own contact
 * alone changes neither its criteria, which decide about prices, nor the rule of one email for one contact. A client
 * with bounds gives and changes no criteria.
 */
export function createContacts({ contacts, links }: Collections): ContactsOf {
  return (caller) => {
    const { contacts: ids } = computeRestriction(caller);
    const within = computeContactBounds(caller);
    const all = contacts.of(caller.institution);
    const ofRole = restrictDocuments(all, ids ? { id: ids } : {});
    const seen = within === null ? ofRole : createBoundedContacts(ofRole, links.of(caller.institution), within);
    const limits = { client: caller.client, isOwnOnly: ids !== null, isBounded: caller.bounds !== null };
    return createFor(all, seen, limits);
  };
}

const timestamp = () => new Date().toISOString();

const createNotFoundFault = () => new Fault('not_found', 'There is no contact with this number.');

const createCriteriaFault = () =>
  new Fault('forbidden', 'A client with bounds may not give or change $.criteria, which decide about prices.');

const createOwnContactFault = (what: string) => new Fault('forbidden', `A user of the role customer may not ${what}.`);

const createErasedFault = () => new Fault('precondition_failed', 'The contact was erased and cannot be changed.');

/** `all` finds other contacts' emails, `seen` does everything else. */
const createFor = (
  all: Pick<SeenContacts, 'find'>,
  seen: SeenContacts,
  { client, isOwnOnly, isBounded }: Readonly<Record<'isOwnOnly' | 'isBounded', boolean>> & Pick<Caller, 'client'>,
) => {
  /** `except` is left out. */
  const findOldest = async (documents: Pick<SeenContacts, 'find'>, email: string, except?: string) => {
    const query = { where: { emailKey: computeEmailKey(email) }, orderBy: 'createdAt', limit: 2 };
    return (await documents.find(query)).find(({ id }) => id !== except);
  };

  /** The answer shows the oldest contact that the caller sees. */
  const refuseDuplicate = async (email: string, except?: string): Promise<void> => {
    if (!(await findOldest(all, email, except))) return;
    const shown = await findOldest(seen, email, except);
    const taken = 'Another contact has this email';
    const text = isOwnOnly ? `${taken}.` : `${taken}; allowDuplicateEmail=true bypasses the check.`;
    throw shown
      ? new DuplicateEmail<ContactView>(text, toContactView(shown))
      : new Fault('contact_duplicate_email', text);
  };

  /** A concurrent write of the same email may conflict; the one written first is the existing contact. */
  const retryUnlessDuplicate = async <T>(
    email: string | undefined,
    except: string,
    write: () => Promise<T>,
  ): Promise<T> => {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof UniqueViolation && error.index === 'unique_email') || email === undefined) throw error;
        await refuseDuplicate(email, except);
        // That contact was erased, or changed its email: the write can succeed now.
      }
    }
  };

  /** Finds either kind, also an erased contact. @throws Fault `not_found` */
  const getAny = async (number: string): Promise<ContactDocument> => {
    const contact = await seen.get(number);
    if (!contact) throw createNotFoundFault();
    return contact;
  };

  const get = async (kind: Kind, number: string): Promise<ContactDocument> => {
    const contact = await getAny(number);
    if (contact.kind !== kind) throw createNotFoundFault();
    return contact;
  };

  const update = async (
    kind: Kind,
    number: string,
    request: Request,
    step: (current: ContactDocument) => Change<ContactDocument> | undefined,
    options: WriteOptions<ContactDocument> = {},
  ): Promise<ContactDocument> => {
    const updated = await seen.update(
      number,
      (current) => {
        if (current.kind !== kind) throw createNotFoundFault();
        request.ifMatch(String(current.version));
        request.requireUnchanged?.(current);
        return step(current);
      },
      { ...options, idempotencyRecord: request.idempotencyRecord },
    );
    if (!updated) throw createNotFoundFault();
    return updated;
  };

  const buildErasure = (contact: ContactDocument): Change<ContactDocument> => {
    const erasedAt = timestamp();
    const { id } = contact;
    return { next: { id, ...erasePersonalData(contact, erasedAt) }, events: [createContactErasedFact(id, erasedAt)] };
  };

  return {
    get,
    getAny,
    documents: seen,

    async create(
      kind: Kind,
      details: Details,
      allowDuplicate: boolean,
      idempotencyRecord?: IdempotencyRecord<ContactDocument>,
    ): Promise<ContactDocument> {
      if (isBounded && hasCriteria(details)) throw createCriteriaFault();
      if (details.email !== undefined && !allowDuplicate) await refuseDuplicate(details.email);
      const number = createContactNumber();
      // Each attempt is a write with its own timestamp.
      return retryUnlessDuplicate(details.email, number, () => {
        const contact = buildContact(kind, number, details, allowDuplicate, timestamp());
        const createdBy = client === null ? {} : { createdBy: { clientId: client } };
        return seen.insert({ id: number, ...contact, ...createdBy }, { idempotencyRecord });
      });
    },

    /**
     * Uses the number in the guest's order; a later checkout updates it (`asOf`, epoch milliseconds). Duplicate emails
     * are allowed. No effect on an erased contact, or one that is not a guest's.
     */
    async writeGuest(number: string, details: IndividualDetails, asOf: number): Promise<ContactDocument> {
      const fresh = buildContact('individual', number, details, true, timestamp());
      const inserted = await insertUnlessTaken(seen, { id: number, ...fresh, guestAsOf: asOf });
      if (inserted) return inserted;
      const written = await seen.update(number, (current) => {
        const { details: known, guestAsOf = asOf } = current;
        if (known === undefined || guestAsOf >= asOf) return undefined;
        // A guest with one name has no first name of an earlier checkout.
        const { firstName: _, ...kept } = known as IndividualDetails;
        return { next: { ...setDetails(current, { ...kept, ...details }, true, timestamp()), guestAsOf: asOf } };
      });
      if (!written) throw createNotFoundFault();
      return written;
    },

    /** Keeps a contact that the institution has changed since. No effect on other contacts. */
    async forgetGuest(number: string): Promise<void> {
      const eraseGuest = (contact: ContactDocument) => (isOnlyGuests(contact) ? buildErasure(contact) : undefined);
      await seen.update(number, eraseGuest, { forget: number });
    },

    async change(
      kind: Kind,
      number: string,
      to: (current: Details) => Details,
      allowDuplicate: boolean,
      request: Request,
    ): Promise<ContactDocument> {
      if (isOwnOnly && allowDuplicate) throw createOwnContactFault('use allowDuplicateEmail');
      const applyDetails = (present: Details): Details => {
        const wanted = to(present);
        if ((isOwnOnly || isBounded) && hasChangedCriteria(present, wanted))
          throw isOwnOnly ? createOwnContactFault('change $.criteria') : createCriteriaFault();
        return wanted;
      };
      const current = await get(kind, number);
      request.ifMatch(String(current.version));
      request.requireUnchanged?.(current);
      if (current.details === undefined) throw createErasedFault();
      const wanted = applyDetails(current.details);
      const { email } = wanted;
      const write = () =>
        retryUnlessDuplicate(email, number, () =>
          update(kind, number, request, (contact) => {
            if (contact.details === undefined) throw createErasedFault();
            return {
              next: markAdopted(setDetails(contact, applyDetails(contact.details), allowDuplicate, timestamp())),
            };
          }),
        );
      if (email === undefined || !hasChangedEmail(current, wanted) || allowDuplicate) return write();
      const { disclosing = (run) => run() } = request;
      return disclosing(async () => {
        await refuseDuplicate(email, number);
        return write();
      });
    },

    erase: (kind: Kind, number: string, request: Request): Promise<ContactDocument> =>
      update(kind, number, request, (contact) => (contact.erasedAt === undefined ? buildErasure(contact) : undefined), {
        forget: number,
      }),

    setSensitive: (number: string, sensitive: Sensitive, request: Request): Promise<ContactDocument> =>
      update('individual', number, request, (contact) => {
        if (contact.erasedAt !== undefined) throw createErasedFault();
        return { next: { ...markAdopted(contact), sensitive } };
      }),
  };
};

import { computeNameKey } from './search-key.ts';

/**
 * The key is trimmed and case-insensitive (specification, section 4), also beyond ASCII (RFC 6531); independent of the
 * composition of accents, and of the form of the domain (own letters or `xn--`).
 */
export function computeEmailKey(email: string): string {
  const text = email.trim();
  const domain = text.lastIndexOf('@') + 1;
  return foldText(text.slice(0, domain)) + foldText(toDnsName(text.slice(domain)));
}

/** A final sigma becomes a sigma. */
const foldText = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/** A domain with non-ASCII letters becomes IDNA; others are unchanged. */
const toDnsName = (domain: string): string => {
  const url = `http://${domain}`;
  return /\P{ASCII}/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : domain;
};

/**
 * For contacts created with `allowDuplicateEmail` it includes their own number, so that they never collide; they are
 * still found by `emailKey`.
 */
const computeUniqueEmail = (email: string, contactNumber: string, allowDuplicate: boolean): string =>
  allowDuplicate ? `${computeEmailKey(email)} ${contactNumber}` : computeEmailKey(email);

export type Kind = 'individual' | 'structure';

interface Address {
  readonly street?: string;
  readonly postalCode?: string;
  readonly city?: string;
  readonly country?: string;
}

interface Relay {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
}

interface Authorizations {
  readonly newsletter?: boolean;
  readonly partners?: boolean;
}

export interface IndividualDetails {
  readonly lastName: string;
  readonly firstName?: string;
  readonly title?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly language?: string;
  readonly address?: Address;
  readonly criteria?: readonly string[];
  readonly authorizations?: Authorizations;
}

/** Such as a company, a school, a club. */
interface StructureDetails {
  readonly name: string;
  readonly legalForm?: string;
  readonly registrationNumber?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly language?: string;
  readonly address?: Address;
  readonly relay?: Relay;
}

export type Details = IndividualDetails | StructureDetails;

/** Shown for the `contacts.sensitive` scopes only, never in other answers. */
export interface Sensitive {
  readonly dateOfBirth?: string;
  readonly identityDocument?: { readonly type: string; readonly number: string };
  readonly accessibilityNeeds?: string;
  readonly bankAccount?: { readonly iban: string };
}

/** An erased one has no details, no keys and no sensitive data. */
export interface Contact {
  readonly contactNumber: string;
  readonly kind: Kind;
  readonly details?: Details;
  /** Made of the last name, or the name of a structure; empty once erased, absent in contacts of earlier releases. */
  readonly nameKey?: string;
  readonly emailKey?: string;
  readonly uniqueEmail?: string;
  readonly sensitive?: Sensitive;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly erasedAt?: string;
  /** The client that made it; absent: a point of sale, or a release that did not record it. Never in answers. */
  readonly createdBy?: { readonly clientId: string };
  /** Only of a guest: the time of the checkout that the data are from; epoch milliseconds. */
  readonly guestAsOf?: number;
  /** Of a guest's: its institution has changed it since, so only the institution erases it. */
  readonly adopted?: true;
}

export function computeContactNameKey(details: Details | undefined): string {
  return details === undefined ? '' : computeNameKey('lastName' in details ? details.lastName : details.name);
}

/** `now` is ISO 8601 UTC. */
export function buildContact(
  kind: Kind,
  contactNumber: string,
  details: Details,
  allowDuplicate: boolean,
  now: string,
): Contact {
  return {
    contactNumber,
    kind,
    ...addKeys(details, contactNumber, allowDuplicate),
    createdAt: now,
    updatedAt: now,
  };
}

const addKeys = (details: Details, contactNumber: string, allowDuplicate: boolean) => ({
  details,
  nameKey: computeContactNameKey(details),
  ...(details.email === undefined
    ? {}
    : {
        emailKey: computeEmailKey(details.email),
        uniqueEmail: computeUniqueEmail(details.email, contactNumber, allowDuplicate),
      }),
});

/** A changed email must be checked for duplicates. */
export function hasChangedEmail(contact: Contact, details: Details): boolean {
  return details.email !== undefined && computeEmailKey(details.email) !== contact.emailKey;
}

export function hasCriteria(details: Details): boolean {
  return listCriteria(details).length > 0;
}

const listCriteria = (details: Details): readonly string[] => ('criteria' in details && details.criteria) || [];

/** The order of criteria means nothing. */
export function hasChangedCriteria(present: Details, wanted: Details): boolean {
  return [...listCriteria(present)].toSorted().join() !== [...listCriteria(wanted)].toSorted().join();
}

/** An unchanged email keeps its key (also one that was allowed as a duplicate). */
export function setDetails<T extends Contact>(contact: T, details: Details, allowDuplicate: boolean, now: string): T {
  const { emailKey: _key, uniqueEmail: held, ...rest } = contact;
  const keys = addKeys(details, contact.contactNumber, allowDuplicate);
  const unchanged = details.email !== undefined && !hasChangedEmail(contact, details) ? { uniqueEmail: held } : {};
  return { ...rest, ...keys, ...unchanged, updatedAt: now } as T;
}

export function markAdopted<T extends Contact>(contact: T): T {
  return contact.guestAsOf === undefined ? contact : { ...contact, adopted: true };
}

/** Such a contact is erased with the guest's last order. */
export function isOnlyGuests({ guestAsOf, adopted }: Contact): boolean {
  return guestAsOf !== undefined && !adopted;
}

/** Number, kind and dates stay, so that orders stay valid, and its client, for which it still exists. */
export function erasePersonalData(contact: Contact, now: string): Contact {
  return {
    contactNumber: contact.contactNumber,
    kind: contact.kind,
    nameKey: computeContactNameKey(undefined),
    createdAt: contact.createdAt,
    updatedAt: now,
    erasedAt: now,
    ...(contact.createdBy && { createdBy: contact.createdBy }),
  };
}

/** Crockford's base 32: a number can be read out on the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The orders service makes numbers of guests in this form. */
export const CONTACT_NUMBER = `^C[${ALPHABET}]{12}$`;

export function isContactNumber(text: string): boolean {
  return new RegExp(CONTACT_NUMBER).test(text);
}

/** `C` and 12 random characters (60 bits). */
export function createContactNumber(): string {
  return `C${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => ALPHABET[byte & 31]).join('')}`;
}

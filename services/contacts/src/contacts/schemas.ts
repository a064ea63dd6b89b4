import { createInstantSchema, createLineSchema, emailSchema, languageTag, named, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import type { Contact, Details, Kind } from '../domain/contact.ts';

const { Array: List, Boolean: Flag, Literal, Object: Members, Optional, String: Text } = Type;

const text = (maxLength: number) => createLineSchema({ maxLength });
export const closed = { additionalProperties: false } as const;

const address = named(
  'Address',
  Members(
    {
      street: Optional(text(200)),
      postalCode: Optional(text(20)),
      city: Optional(text(100)),
      country: Optional(Text({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' })),
    },
    closed,
  ),
);

const shared = {
  email: Optional(emailSchema),
  phone: Optional(text(40)),
  language: Optional(languageTag),
  address: Optional(address),
};

const Authorizations = named(
  'Authorizations',
  Members(
    {
      newsletter: Optional(Flag({ description: 'may get news of the institution' })),
      partners: Optional(Flag({ description: 'may get news of its partners' })),
    },
    closed,
  ),
);

const Relay = named(
  'Relay',
  Members({ firstName: Optional(text(100)), lastName: Optional(text(100)), email: Optional(emailSchema) }, closed),
);

export const NewIndividual = named(
  'IndividualInput',
  Members(
    {
      lastName: text(100),
      firstName: Optional(text(100)),
      title: Optional(text(40)),
      ...shared,
      criteria: Optional(
        List(Text({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), {
          maxItems: 50,
          uniqueItems: true,
          description: 'what entitles to tariffs and payment methods: member, student, account…',
        }),
      ),
      authorizations: Optional(Authorizations),
    },
    closed,
  ),
);

export const NewStructure = named(
  'StructureInput',
  Members(
    {
      name: text(200),
      legalForm: Optional(text(60)),
      registrationNumber: Optional(text(60)),
      ...shared,
      relay: Optional(Relay),
    },
    closed,
  ),
);

const common = {
  contactNumber: Text({ description: 'id of the contact' }),
  createdAt: timestamp,
  updatedAt: timestamp,
  erasedAt: Optional(createInstantSchema('when its personal data was erased')),
};

/** An erased one has only its number, kind and dates. */
export const Individual = named(
  'Individual',
  Members({
    ...Type.Partial(NewIndividual).properties,
    kind: Literal('individual', { description: 'a person' }),
    ...common,
  }),
);

export const Structure = named(
  'Structure',
  Members({
    ...Type.Partial(NewStructure).properties,
    kind: Literal('structure', { description: 'a company, a school, a club' }),
    ...common,
  }),
);

/** Never with sensitive data. */
export type ContactView = Partial<Details> & {
  readonly contactNumber: string;
  readonly kind: Kind;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly erasedAt?: string;
};

export function toContactView(contact: Contact): ContactView {
  return {
    contactNumber: contact.contactNumber,
    kind: contact.kind,
    ...contact.details,
    createdAt: contact.createdAt,
    updatedAt: contact.updatedAt,
    ...(contact.erasedAt === undefined ? {} : { erasedAt: contact.erasedAt }),
  };
}

const contactNumber = 'C7K2M9QX4TB03';
const dates = { createdAt: '2026-11-20T16:05:12.000Z', updatedAt: '2026-11-21T09:30:00.000Z' };

export const individualDetails = {
  lastName: 'Martin',
  firstName: 'Ana',
  email: 'ana.martin@example.org',
  phone: '+41 22 555 01 02',
  language: 'fr',
  address: { street: 'Boulevard du Théâtre 11', postalCode: '1204', city: 'Genève', country: 'CH' },
  criteria: ['member'],
  authorizations: { newsletter: true, partners: false },
};

export const individual = { contactNumber, kind: 'individual', ...individualDetails, ...dates } as const;

export const structureDetails = {
  name: 'Collège de la Rive',
  legalForm: 'school',
  registrationNumber: 'CHE-123.456.789',
  email: 'secretariat@example.org',
  language: 'fr',
  relay: { firstName: 'Jean', lastName: 'Favre', email: 'jean.favre@example.org' },
};

export const structure = { contactNumber, kind: 'structure', ...structureDetails, ...dates } as const;

export function createErasedExample(kind: Kind) {
  return { contactNumber, kind, ...dates, erasedAt: dates.updatedAt };
}

export const asOf = '2027-02-01T11:59:45.000Z';

export const sensitive = {
  dateOfBirth: '1984-02-29',
  identityDocument: { type: 'passport', number: 'X0000000' },
  accessibilityNeeds: 'wheelchair place',
  bankAccount: { iban: 'CH9300762011623852957' },
};

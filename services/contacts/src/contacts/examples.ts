import type { Kind } from '../domain/contact.ts';

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

export const erased = (kind: Kind) => ({ contactNumber, kind, ...dates, erasedAt: dates.updatedAt });

/** `asOf` of lists. */
export const asOf = '2027-02-01T11:59:45.000Z';

export const sensitive = {
  dateOfBirth: '1984-02-29',
  identityDocument: { type: 'passport', number: 'X0000000' },
  accessibilityNeeds: 'wheelchair place',
  bankAccount: { iban: 'CH9300762011623852957' },
};

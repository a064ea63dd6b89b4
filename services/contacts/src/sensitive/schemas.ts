import { lineOfText, linesOfText, named } from '@boxoffice/http';
import { Type } from 'typebox';
import { closed } from '../contacts/schemas.ts';

const { Object: Members, Optional, String: Text } = Type;

/** The sensitive sub-resource: `contacts.sensitive` scopes only. */
export const Sensitive = named(
  'SensitiveData',
  Members(
    {
      dateOfBirth: Optional(Text({ format: 'date', description: 'ISO 8601 date' })),
      identityDocument: Optional(
        Members(
          { type: lineOfText({ maxLength: 40 }), number: lineOfText({ maxLength: 60 }) },
          { ...closed, description: 'passport, identity card' },
        ),
      ),
      accessibilityNeeds: Optional(linesOfText({ maxLength: 1000 })),
      bankAccount: Optional(
        Members(
          { iban: Text({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', description: 'ISO 13616, without spaces' }) },
          { ...closed, description: 'for refunds' },
        ),
      ),
    },
    closed,
  ),
);

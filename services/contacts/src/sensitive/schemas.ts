import { named } from '@boxoffice/http';
import { Type } from 'typebox';
import { closed, text } from '../contacts/schemas.ts';

const { Object: Members, Optional, String: Text } = Type;

/** The sensitive sub-resource: `contacts.sensitive` scopes only. */
export const Sensitive = named(
  'SensitiveData',
  Members(
    {
      dateOfBirth: Optional(Text({ format: 'date' })),
      identityDocument: Optional(Members({ type: text(40), number: text(60) }, closed)),
      accessibilityNeeds: Optional(text(1000)),
      bankAccount: Optional(
        Members(
          { iban: Text({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', description: 'ISO 13616, without spaces' }) },
          closed,
        ),
      ),
    },
    closed,
  ),
);

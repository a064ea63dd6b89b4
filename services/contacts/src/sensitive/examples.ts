export const sensitive = {
  dateOfBirth: '1984-02-29',
  identityDocument: { type: 'passport', number: 'X0000000' },
  accessibilityNeeds: 'wheelchair place',
  bankAccount: { iban: 'CH9300762011623852957' },
};

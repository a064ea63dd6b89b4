import { createApiKey, deleteApiKey, listApiKeys } from '@boxoffice/authorizer';
import { type Command, type Given, listOf, Misuse, nameOf } from '../command.ts';
import { knownInstitution } from './institutions.ts';

const WHOLE = /^[1-9]\d{0,12}$/;

/** A number of an option; undefined if it is absent. @throws {Misuse} */
const numberOf = ({ options }: Given, name: string): number | undefined => {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !WHOLE.test(value)) throw new Misuse(`--${name} is not a whole number above 0`);
  return Number(value);
};

export const apiKeys: readonly Command[] = [
  {
    name: 'api-keys list',
    usage: 'INSTITUTION',
    about: 'lists the API keys of an institution with their use this month, without the keys themselves',
    run: async (installation, { words: [institution = ''] }) => {
      await knownInstitution(installation, institution);
      return listApiKeys(await installation.store('authorizer'), institution);
    },
  },
  {
    name: 'api-keys create',
    usage: 'INSTITUTION --name NAME [--origins https://www.example.org,…] [--rate-per-minute 600] [--monthly-quota N]',
    about: 'makes an API key for the public data of an institution; the key is printed only here',
    async run(installation, given) {
      const name = nameOf(given);
      const ratePerMinute = numberOf(given, 'rate-per-minute');
      const monthlyQuota = numberOf(given, 'monthly-quota');
      const { id: institution } = await knownInstitution(installation, given.words[0] ?? '');
      return createApiKey(await installation.store('authorizer'), institution, {
        name,
        origins: listOf(given, 'origins'),
        ...(ratePerMinute === undefined ? {} : { ratePerMinute }),
        ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
      });
    },
  },
  {
    name: 'api-keys delete',
    usage: 'INSTITUTION API_KEY_ID',
    about: 'deletes an API key; it is refused within five seconds',
    async run(installation, { words: [institution = '', apiKeyId = ''] }) {
      await deleteApiKey(await installation.store('authorizer'), institution, apiKeyId);
      return `${apiKeyId} is deleted`;
    },
  },
];

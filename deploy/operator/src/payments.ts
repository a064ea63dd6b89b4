import { acknowledgeMismatch, createProviderOperator } from '@boxoffice/payments';
import { createLogger, flag, publicUrl, readSettings } from '@boxoffice/runtime';
import { requireInstitution } from './accounts/institutions.ts';
import { type Command, readStandardInput } from './command.ts';
import { type Installation, Refused } from './installation.ts';

const open = async (installation: Installation) => {
  const settings = readSettings({
    publicUrl,
    simulator: flag('PAYMENT_SIMULATOR', { optional: true }),
    demo: flag('BOXOFFICE_DEMO', { optional: true }),
  });
  const { state } = await (await installation.demoProgress()).state();
  return createProviderOperator({
    store: await installation.store('payments'),
    keyEncryptionKey: installation.paymentsKeyEncryptionKey(),
    publicUrl: settings.publicUrl,
    maySimulate: settings.simulator ?? settings.demo ?? state !== 'never',
    logger: createLogger({ service: 'operator', level: 'error' }),
  });
};

/** JSON as `PUT /svc/v3/payment-providers/{provider}` takes it, or the keys alone, one a line. @throws {Refused} */
const parseKeys = (text: string): unknown => {
  const trimmed = text.trim();
  if (trimmed === '') throw new Refused('no keys were given on the standard input');
  if (trimmed.startsWith('{')) {
    try {
      return JSON.parse(trimmed);
    } catch {
      throw new Refused('the standard input is not JSON');
    }
  }
  const lines = trimmed.split(/\s+/);
  const secretKey = lines.find((line) => /^[rs]k_/.test(line));
  const webhookSecret = lines.find((line) => line !== secretKey);
  return {
    secretKey,
    ...(webhookSecret !== undefined && { webhookSecret }),
  };
};

export const paymentProviders: readonly Command[] = [
  {
    name: 'payment-providers list',
    usage: 'INSTITUTION',
    about: 'the payment providers of an institution, without their keys',
    async run(installation, { words: [institution = ''] }) {
      const { id } = await requireInstitution(installation, institution);
      return (await open(installation)).list(id);
    },
  },
  {
    name: 'payment-providers set',
    usage: 'INSTITUTION PROVIDER',
    about:
      'sets the keys of a payment provider (stripe), read from the standard input: {"secretKey", "webhookSecret", ' +
      '"methods", "state"} as JSON, or the secret key and the webhook secret alone, one a line; encrypts them under ' +
      'PAYMENTS_KEY_ENCRYPTION_KEY, else KEY_ENCRYPTION_KEY, which is that of payments',
    async run(installation, { words: [institution = '', provider = ''] }) {
      const { id } = await requireInstitution(installation, institution);
      const operator = await open(installation);
      return operator.set(id, provider, parseKeys(await readStandardInput()));
    },
  },
  {
    name: 'payment-providers delete',
    usage: 'INSTITUTION PROVIDER',
    about: 'deletes the keys of a payment provider, unless payments or refunds of it are pending',
    async run(installation, { words: [institution = '', provider = ''] }) {
      const { id } = await requireInstitution(installation, institution);
      await (await open(installation)).remove(id, provider);
      return `${id} has no keys of ${provider} any more`;
    },
  },
  {
    name: 'payments acknowledge',
    usage: 'SESSION',
    about:
      'records that somebody has taken note of a payment that came with another amount or currency, by the ' +
      'provider’s session: check names it until then',
    async run(installation, { words: [session = ''] }) {
      const { institution, orderId } = await acknowledgeMismatch(await installation.store('payments'), session);
      return `acknowledged: ${session} of the order ${orderId} of ${institution}`;
    },
  },
];

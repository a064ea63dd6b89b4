import Faithful from 'stripe';

// Replaces the library of the payment provider inside a process under test: the same, but its requests reach the
// provider of the harness.

const { hostname: host, port } = new URL(process.env.FAULTS_PROVIDER_URL ?? '');

export default class Stripe extends Faithful {
  constructor(key: string, config: Faithful.StripeConfig = {}) {
    super(key, { host, port, protocol: 'http', ...config });
  }
}

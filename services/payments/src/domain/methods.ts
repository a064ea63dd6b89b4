/**
 * Methods of payment of Stripe Checkout that are decided at once (https://docs.stripe.com/payments/payment-methods,
 * "delayed notification": no). Wallets of phones come with `card`.
 */
export const METHODS = [
  'card',
  'link',
  'alipay',
  'amazon_pay',
  'bancontact',
  'blik',
  'cashapp',
  'eps',
  'ideal',
  'klarna',
  'mb_way',
  'mobilepay',
  'p24',
  'paypal',
  'paypay',
  'revolut_pay',
  'satispay',
  'swish',
  'twint',
  'wechat_pay',
] as const;

export type Method = (typeof METHODS)[number];

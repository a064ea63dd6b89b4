import type { MoneyRules, Texts } from './tariff.ts';

/** They take payments on hosted pages, with keys of the institution. */
export const paymentProviders = ['stripe'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

export const paymentMethods = ['on_account', 'external', 'simulated', ...paymentProviders] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export function isPaymentProvider(method: PaymentMethod): method is PaymentProvider {
  return paymentProviders.some((provider) => provider === method);
}

/** `test` and `live` as the provider's keys say; `simulated`: those of the product's simulator. */
export const providerModes = ['test', 'live', 'simulated'] as const;
/** A paused one opens no new pages. */
export const providerStates = ['active', 'paused'] as const;

export interface ProviderKeys {
  readonly provider: PaymentProvider;
  /** Null, as `state`: there are no keys any more. */
  readonly mode: (typeof providerModes)[number] | null;
  readonly state: (typeof providerStates)[number] | null;
}

/** As a code that opens the door at once, or printed before it does. */
export const ticketDeliveries = ['electronic', 'print'] as const;
type TicketDelivery = (typeof ticketDeliveries)[number];

/** Colours are `#rrggbb`. */
export interface Branding {
  readonly colours: { readonly accent: string; readonly ink: string; readonly paper: string };
  /** An SVG image, checked by `findLogoProblems`. */
  readonly logo: string | null;
}

export interface Links {
  readonly terms: string | null;
  readonly privacy: string | null;
  /** A page, or `mailto:`. */
  readonly contact: string | null;
}

/** Who sells, as its receipts name it. */
export interface ReceiptHead {
  readonly name: string;
  /** Of several lines. */
  readonly address: string | null;
  readonly taxNumber: string | null;
}

/** Identified by the service host of its requests. */
export interface PointOfSaleDetails {
  /** Lower case; unique in the installation. */
  readonly serviceHost: string;
  /** A text for every language, as in points of sale of earlier releases, or one by language. */
  readonly name: string | Texts;
  /** The first one is the default. */
  readonly languages: readonly string[];
  readonly currency: string;
  /** Empty: every origin. */
  readonly corsOrigins: readonly string[];
  readonly tariffIds: readonly string[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly maxPlacesPerOrder: number;
  /** Above 0; fractions allowed. */
  readonly holdMinutes: number;
  /** Absent in points of sale of earlier releases: electronic. */
  readonly ticketDelivery?: TicketDelivery;
  /** Until how long before its present start a shopper may cancel an order; null: never; absent: 0. */
  readonly shopperCancellationMinutes?: number | null;
  /** Absent in points of sale of earlier releases, as `links`: null. */
  readonly branding?: Branding | null;
  readonly links?: Links | null;
  /** Where a shop may send buyers back to after a provider's page, beside the product's own; absent: nowhere else. */
  readonly returnUrls?: readonly string[];
  /** Whether credit that a shopper did not ask for is refunded by itself; absent: true. */
  readonly refundCredit?: boolean;
  /** Of the images that its pages show; absent: none. */
  readonly imageHosts?: readonly string[];
  /** Origins whose pages may embed the shop; absent: none. */
  readonly frameAncestors?: readonly string[];
  /** Whether a buyer must accept the terms; absent: false. */
  readonly requireTerms?: boolean;
  /** Null, or absent: that of the institution. */
  readonly receipt?: ReceiptHead | null;
}

export interface PointOfSale extends PointOfSaleDetails {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** `providers`: those that the institution has keys of, or that the point of sale names already. */
export function findPointOfSaleProblems(
  details: Pick<PointOfSaleDetails, 'currency' | 'tariffIds' | 'branding' | 'paymentMethods'>,
  rules: MoneyRules & { readonly providers: ReadonlySet<string> },
): string[] {
  return [
    ...(details.currency === rules.currency
      ? []
      : [`$.currency must be ${rules.currency}, the currency of the institution`]),
    ...details.tariffIds.flatMap((id, index) =>
      rules.tariffIds.has(id) ? [] : [`$.tariffIds[${index}] is not a tariff of the institution`],
    ),
    ...details.paymentMethods.flatMap((method, index) =>
      isPaymentProvider(method) && !rules.providers.has(method)
        ? [`$.paymentMethods[${index}] needs keys of the provider: PUT /svc/v3/payment-providers/${method}`]
        : [],
    ),
    ...(details.branding ? brandingProblems(details.branding) : []),
  ];
}

const brandingProblems = ({ colours: { ink, paper } }: Branding): string[] =>
  contrastOf(ink, paper) < MIN_CONTRAST
    ? [`$.branding.colours: ink on paper has a contrast of ${contrastOf(ink, paper).toFixed(2)}, below ${MIN_CONTRAST}`]
    : [];

/** Of text on its ground (WCAG 2.2, 1.4.3, level AA). */
const MIN_CONTRAST = 4.5;

const channel = (hex: string): number => {
  const value = Number.parseInt(hex, 16) / 255;
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

const luminance = (colour: string): number =>
  0.2126 * channel(colour.slice(1, 3)) + 0.7152 * channel(colour.slice(3, 5)) + 0.0722 * channel(colour.slice(5, 7));

/** Of two colours (`#rrggbb`), 1 to 21 (WCAG 2.2). */
const contrastOf = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
};

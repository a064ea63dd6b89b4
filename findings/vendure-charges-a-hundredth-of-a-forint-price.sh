#!/usr/bin/env bash
# @vendure/payments-plugin 3.5.6 (npm), Node 20 to 24. Its Stripe part turns an order's total (kept in hundredths) into
# Stripe's unit by asking Intl.NumberFormat whether the currency has a fraction. Intl of V8 takes the digits from CLDR
# (HUF, COP, IDR: none), Stripe and ISO 4217 have two: 5,000.00 HUF are sent as 5000, which Stripe reads as 50.00 HUF.
# JPY comes out right (5000). KWD has three digits for both, so 500000 hundredths are sent as a tenth of the price.
# Who converts for a payment provider needs the provider's own table: Intl answers how people write an amount.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-fund --no-audit --prefix . --legacy-peer-deps --ignore-scripts --omit=optional \
  @vendure/payments-plugin@3.5.6
cat >run.cjs <<'JS'
const { getAmountInStripeMinorUnits } = require('@vendure/payments-plugin/package/stripe/stripe-utils.js');
for (const currencyCode of ['EUR', 'JPY', 'HUF', 'COP', 'IDR', 'KWD'])
  console.log(`${currencyCode} 5000: ${getAmountInStripeMinorUnits({ currencyCode, totalWithTax: 500_000 })}`);
JS
node run.cjs | tee seen
diff seen - <<'SEEN'
EUR 5000: 500000
JPY 5000: 5000
HUF 5000: 5000
COP 5000: 5000
IDR 5000: 5000
KWD 5000: 500000
SEEN

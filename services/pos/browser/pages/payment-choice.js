// How a visitor pays, at the checkout and for a change.
import { h } from '../dom.js';
import { radioCards } from '../forms.js';
import { shop } from '../frame.js';
import { isProvider, methodsFor } from '../paying.js';
import { visitor } from '../state.js';
import { money, t } from '../texts/index.js';

/** The choice of how to pay, which the button says; what costs nothing is free of charge whatever the method. */
export function paymentChoice(button, { total, currency }) {
  const methods = methodsFor(visitor.contact);
  const isFree = total === 0;
  let [paymentMethod] = methods;
  let paymentToken = 'ok';
  const outcomes = radioCards({
    legend: t('paymentOutcome'),
    chosen: paymentToken,
    onchange: (value) => {
      paymentToken = value;
    },
    options: ['ok', 'declined', 'pending'].map((value) => ({
      value,
      label: t(`pay_${value}`),
      text: t(`pay_${value}_text`),
    })),
  });
  const demo = h('div', { class: 'demo', hidden: true }, outcomes);
  const choose = (method) => {
    paymentMethod = method;
    demo.hidden = isFree || method !== 'simulated';
    button.textContent = isFree ? t('orderFree') : t(orderWords(method), { price: money(total, currency) });
  };
  const wordsOf = (method) => {
    const kind = isProvider(method) ? 'provider' : method;
    return { value: method, label: t(`method_${kind}`), text: t(`method_${kind}_text`, { name: shop.name }) };
  };
  const options = methods.map(wordsOf);
  const [only] = options;
  if (only) choose(only.value);
  return {
    isOpen: only !== undefined,
    body: () => ({ paymentMethod, ...(paymentMethod === 'simulated' ? { paymentToken } : {}) }),
    node: h(
      'section',
      { class: 'step' },
      h('h2', {}, t('payment')),
      !only && h('p', {}, t(mayLogIn() ? 'loginToPay' : 'noPaymentMethods', { name: shop.name })),
      only && isFree && h('p', {}, t('nothingToPay')),
      only && !isFree && options.length === 1 && h('p', {}, h('strong', {}, only.label), '. ', only.text),
      !isFree &&
        options.length > 1 &&
        radioCards({ legend: t('payBy'), chosen: paymentMethod, onchange: choose, options }),
      methods.includes('simulated') && demo,
    ),
  };
}

/** Whether a login may open a way of paying to the visitor. */
const mayLogIn = () => !visitor.contact && shop.paymentMethods.length > 0;

const orderWords = (method) => {
  if (isProvider(method)) return 'payOnPage';
  return method === 'simulated' ? 'payNow' : `order_by_${method}`;
};

// The page of a guest who has lost the link of an order.
import { api } from '../api.js';
import { h } from '../dom.js';
import { checkAll, textField } from '../forms.js';
import { shop } from '../frame.js';
import { act } from '../notices.js';
import { t } from '../texts/index.js';
import { message } from './cart.js';

/** Asks for email and number, and says the same whether they fit or not. */
export async function lostLinkPage() {
  const title = t('lostLink');
  if (!shop.sendsMails) return { title, node: message(title, t('lostLinkNoMails')) };
  const email = textField({ label: t('email'), type: 'email', autocomplete: 'email', rule: 'email' });
  const number = textField({ label: t('lostLinkNumber') });
  const button = h('button', { type: 'submit', class: 'button' }, t('lostLinkSend'));
  const submit = async (event) => {
    event.preventDefault();
    if (!checkAll([email, number])) return;
    const went = await act(button, () => api.requestOrderLink({ email: email.value(), number: number.value() }));
    if (!went) return;
    const asked = message(t('lostLinkAskedTitle'), t('lostLinkAskedText'));
    node.replaceWith(asked);
    asked.querySelector('h1').focus();
  };
  const node = h(
    'div',
    { class: 'wrap page narrow' },
    h('h1', { tabindex: '-1' }, title),
    h('p', { class: 'lead' }, t('lostLinkText')),
    h('form', { class: 'form', novalidate: true, onsubmit: submit }, email.node, number.node, button),
  );
  return { title, node };
}

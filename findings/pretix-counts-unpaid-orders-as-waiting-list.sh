#!/usr/bin/env bash
# pretix 2026.8.0 (PyPI), Python 3.11 with venv; GET …/quotas/{id}/availability/ of its API. The member `waiting_list`
# is the number of unpaid orders, not of people who wait: with one unpaid order and nobody waiting it is 1, with three
# waiting and no order 0. Who shows a waiting list from there, or acts on it, reads unpaid orders; the list itself is at
# …/waitinglistentries/. It takes minutes, since it installs pretix.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pretix==2026.8.0
export DJANGO_SETTINGS_MODULE=pretix.testutils.settings DATA_DIR=$work/data PRETIX_CONFIG_FILE=$work/none
mkdir data
cat >look.py <<'PY'
import datetime
import django
django.setup()
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.test.utils import setup_test_environment
from django.utils.timezone import now
from django_scopes import scopes_disabled
from pretix.base.models import Event, Item, Order, OrderPosition, Organizer, Quota, Team, WaitingListEntry

setup_test_environment()
call_command('migrate', run_syncdb=True, verbosity=0)
with scopes_disabled(), transaction.atomic():
    house = Organizer.objects.create(name='House', slug='house')
    show = Event.objects.create(
        organizer=house, name='Show', slug='show', currency='EUR', live=True,
        date_from=now() + datetime.timedelta(days=30),
    )
    team = Team.objects.create(
        organizer=house, name='Box office', all_events=True, all_event_permissions=True, all_organizer_permissions=True,
    )
    token = team.tokens.create(name='reader').token

    def look(what, orders, waiting):
        quota = Quota.objects.create(event=show, name=what, size=5)
        item = Item.objects.create(event=show, name=what, default_price=10)
        quota.items.add(item)
        for nth in range(orders):
            order = Order.objects.create(
                event=show, email='a@example.org', status=Order.STATUS_PENDING, datetime=now(), total=10,
                expires=now() + datetime.timedelta(days=3), code=f'{what.upper()}{nth}',
                sales_channel=house.sales_channels.get(identifier='web'),
            )
            OrderPosition.objects.create(order=order, item=item, price=10)
            order.create_transactions()
        for nth in range(waiting):
            WaitingListEntry.objects.create(event=show, item=item, email=f'b{nth}@example.org')
        answer = Client().get(
            f'/api/v1/organizers/house/events/show/quotas/{quota.pk}/availability/',
            headers={'Authorization': f'Token {token}'},
        )
        data = answer.json()
        print(f'{what}: {orders} unpaid, {waiting} waiting;', *(f'{k}={data[k]}' for k in ('pending_orders', 'waiting_list')))

    look('one', 1, 0)
    look('two', 0, 3)
PY
venv/bin/python look.py 2>errors | tee seen || { cat errors; exit 1; }
diff seen - <<'SEEN'
one: 1 unpaid, 0 waiting; pending_orders=1 waiting_list=1
two: 0 unpaid, 3 waiting; pending_orders=0 waiting_list=0
SEEN

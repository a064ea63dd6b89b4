# Uses the client that openapi-generator made: argument: the demo.json of a running product.
import json
import sys
import uuid

import openapi_client as api

with open(sys.argv[1]) as file:
    demo = json.load(file)
credentials = next(one for one in demo["clients"] if one["institution"] == "opera" and one["name"] == "full")
configuration = api.Configuration(host=demo["baseUrl"], ssl_ca_cert=demo["caFile"])
client = api.ApiClient(configuration)
issued = api.TokensApi(client).create_token(
    "client_credentials", client_id=credentials["clientId"], client_secret=credentials["clientSecret"]
)
configuration.access_token = issued.access_token

performance_id = demo["fixtures"]["opera"]["numbered"]["performanceId"]
performance = api.PerformancesApi(client).get_performance(performance_id).data.actual_instance
price = performance.prices[0]
item = api.OrderItemInput(
    performanceId=performance_id, seatCategoryId=price.seat_category_id, tariffId=price.tariff_id
)
orders = api.OrdersApi(client)
order = orders.create_order(api.OrderInput(items=[item]), idempotency_key=str(uuid.uuid4())).data
payment = api.PaymentInput(method="cash", amount=order.due, status="captured")
api.PaymentsApi(client).add_payment(order.id, payment, idempotency_key=str(uuid.uuid4()))
assert orders.get_order(order.id).data.state == "confirmed"

events = api.EventsApi(client).list_events(after="start", types="product.*", limit=1).data.items
assert isinstance(events[0].actual_instance, api.ProductCreatedEvent), events

try:
    orders.get_order("ord_unknown")
    raise AssertionError("an unknown order was found")
except api.exceptions.NotFoundException as refusal:
    assert refusal.data.status == "not_found", refusal.data
print("sold a ticket, read an event, understood a refusal")

# Lists tickets with the client that openapi-python-client made: argument: the demo.json of a running product.
import json
import sys

from boxoffice_institution_api_client import AuthenticatedClient, Client
from boxoffice_institution_api_client.api.tickets import list_tickets
from boxoffice_institution_api_client.api.tokens import create_token
from boxoffice_institution_api_client.models import CreateTokenBody, CreateTokenBodyGrantType, Ticket

with open(sys.argv[1]) as file:
    demo = json.load(file)
credentials = next(one for one in demo["clients"] if one["institution"] == "opera" and one["name"] == "full")
anybody = Client(base_url=demo["baseUrl"], verify_ssl=demo["caFile"])
form = CreateTokenBody(
    grant_type=CreateTokenBodyGrantType.CLIENT_CREDENTIALS,
    client_id=credentials["clientId"],
    client_secret=credentials["clientSecret"],
)
issued = create_token.sync(client=anybody, body=form)
client = AuthenticatedClient(base_url=demo["baseUrl"], token=issued.access_token, verify_ssl=demo["caFile"])
tickets = list_tickets.sync(client=client, limit=5).data.items
assert tickets and all(isinstance(one, Ticket) and one.status.value for one in tickets), tickets
print(f"listed {len(tickets)} tickets")

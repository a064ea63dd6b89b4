"""loyalty: points of contacts. Python 3.9 or newer, with Authlib (identities) and pika (RabbitMQ)."""
import base64, http, json, os, pika, re, socketserver, sqlite3, threading, time, traceback, urllib.request, uuid
from wsgiref.simple_server import WSGIServer, make_server
from authlib.jose import JsonWebKey, JsonWebToken, errors

AUTHORIZER, CONTACTS = os.environ["AUTHORIZER_URL"], os.environ["CONTACTS_URL"]
SECRET = "Basic " + base64.b64encode(f"loyalty:{os.environ['SERVICE_SECRET']}".encode()).decode()
CLAIMS = {"iss": {"value": "boxoffice-authorizer"}, "aud": {"value": "loyalty"}, "exp": {"essential": True}}
DESCRIPTION = json.load(open("openapi.json"))
POINTS = DESCRIPTION["components"]["schemas"]["LoyaltyAddition"]["properties"]["points"]
db, lock, keys = sqlite3.connect("loyalty.sqlite", check_same_thread=False), threading.Lock(), {"read": -9}
db.execute("CREATE TABLE IF NOT EXISTS added (institution, id, contact, points, UNIQUE (institution, id))")

class Refused(Exception): """HTTP status, status and details of an answer."""

def fetch(url, headers={}, body=None):
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=3) as answer: return json.load(answer)

def current_keys():  # at most two seconds old, since a key may be withdrawn
    if time.monotonic() - keys["read"] > 2:
        keys.update(set=JsonWebKey.import_key_set(fetch(AUTHORIZER + "/auth/jwks")), read=time.monotonic())
    return keys["set"]

def verify(token, operation):
    try:
        claims = JsonWebToken(["ES256"]).decode(token, current_keys(), claims_options=CLAIMS)
        claims.validate(leeway=5)  # seconds that clocks of machines may be apart
        if claims.header["typ"] != "identity+jwt" or claims["operation"] != operation: raise ValueError(operation)
    except (errors.JoseError, KeyError, ValueError):
        raise Refused(401, "unauthorized", "The identity token is not valid for this operation.")
    if "client" not in claims: raise Refused(403, "forbidden", "Users and clients with bounds may not call this yet.")
    return claims

def require_contact(institution, contact):
    wanted = {"audience": "contacts", "operation": "getContactInternally", "institution": institution}
    headers = {"Authorization": SECRET, "Content-Type": "application/json"}
    try:
        identity = fetch(AUTHORIZER + "/internal/identities", headers, wanted)["data"]["identity"]
        fetch(f"{CONTACTS}/internal/contacts/{urllib.parse.quote(contact, '')}", {"X-Internal-Identity": identity})
    except urllib.error.HTTPError as error:
        raise Refused(404, "not_found", "There is no such contact.") if error.code == 404 else error

def add(institution, id, contact, points):  # an id counts once; returns what it was first
    with lock, db:
        db.execute("INSERT OR IGNORE INTO added VALUES (?, ?, ?, ?)", (institution, id, contact, points))
        return next(db.execute("SELECT contact, points FROM added WHERE (institution, id) = (?, ?)", (institution, id)))

def getLoyaltyPoints(claims, contact, _body, _key):
    require_contact(claims["institution"], contact)
    sums = "SELECT coalesce(sum(points), 0) FROM added WHERE institution = ? AND contact = ?"
    with lock: return {"points": db.execute(sums, (claims["institution"], contact)).fetchone()[0]}

def addLoyaltyPoints(claims, contact, body, key):
    points = body.get("points") if isinstance(body, dict) else None
    if type(points) is not int or not POINTS["minimum"] <= points <= POINTS["maximum"]:
        raise Refused(400, "validation_error", "$.points is no integer from {minimum} to {maximum}".format(**POINTS))
    require_contact(claims["institution"], contact)
    first = add(claims["institution"], f"{claims['client']} {key or uuid.uuid4()}", contact, points)
    if first != (contact, points): raise Refused(422, "idempotency_key_reused", "The key is of another request.")
    return {"points": points}

def envelope(status, details, data=None): return {"status": status, "details": details, "data": data}
def respond(path, method, request):
    if path in ("/health/live", "/health/ready"): return {"status": "ok"}
    if path == "/openapi.json": return DESCRIPTION
    for template, operations in DESCRIPTION["paths"].items():
        found = re.fullmatch(re.sub(r"{\w+}", "([^/]+)", template), path)
        operation = operations.get(method.lower().replace("head", "get"), {}).get("operationId")
        if found and operation:
            claims = verify(request.get("HTTP_X_INTERNAL_IDENTITY", ""), operation)
            body = json.loads(request["wsgi.input"].read(int(request["CONTENT_LENGTH"] or 0)) or "{}")
            answer = globals()[operation](claims, *found.groups(), body, request.get("HTTP_IDEMPOTENCY_KEY"))
            return envelope("success", None, answer)
    raise Refused(404, "not_found", "There is no such path.")

def serve(request, start):
    try: code, answer = 200, respond(request["PATH_INFO"], request["REQUEST_METHOD"], request)
    except Refused as refused: code, answer = refused.args[0], envelope(*refused.args[1:])
    except ValueError: code, answer = 400, envelope("bad_request", "The body is not JSON.")
    except OSError as error: code, answer = 503, envelope("service_unavailable", f"loyalty cannot answer: {error}")
    except Exception: code, answer = 500, envelope("internal_error", "The log says why.", traceback.print_exc())
    start(f"{code} {http.HTTPStatus(code).phrase}", [("Content-Type", "application/json")])
    return [] if request["REQUEST_METHOD"] == "HEAD" else [json.dumps(answer).encode()]

def consume(url):  # what fails is delivered again, twenty times at most
    while True:
        try:
            with pika.BlockingConnection(pika.URLParameters(url)) as connection, connection.channel() as channel:
                channel.basic_qos(prefetch_count=10)
                for delivery, _, content in channel.consume("loyalty.facts.v1"):
                    institution, order = map(json.loads(content).get, ("institution", "data"))
                    add(institution, order["orderId"], order["contactNumber"], 10 * len(order["tickets"]))
                    channel.basic_ack(delivery.delivery_tag)
        except Exception: traceback.print_exc(), time.sleep(1)

class Server(socketserver.ThreadingMixIn, WSGIServer): daemon_threads = True
if "AMQP_URL" in os.environ: threading.Thread(target=consume, args=[os.environ["AMQP_URL"]], daemon=True).start()
make_server(os.environ.get("HOST", ""), int(os.environ.get("PORT", 8081)), serve, Server).serve_forever()

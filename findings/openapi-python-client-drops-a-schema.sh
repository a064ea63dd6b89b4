#!/usr/bin/env bash
# openapi-python-client 0.29.1 (PyPI), Python 3.9 or newer. A valid OpenAPI 3.1 document has a schema `Ticket` with an
# inline enum `status`, and a schema of its own named `TicketStatus` with another enum. The generator names the inline
# one TicketStatus, too, and leaves out `Ticket` and the answer of the operation that refers to it, with warnings alone.
# Seen: "Found conflicting enums named TicketStatus", exit status 0, no module ticket.py.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet openapi-python-client==0.29.1
cat >api.json <<'JSON'
{"openapi": "3.1.0", "info": {"title": "box", "version": "1"}, "paths": {"/tickets/{id}": {"get": {
  "operationId": "getTicket", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
  "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ticket"}}}}}}}},
 "components": {"schemas": {
  "TicketStatus": {"type": "string", "enum": ["green", "red"]},
  "Ticket": {"type": "object", "properties": {"status": {"type": "string", "enum": ["printed", "controlled"]}}}}}}
JSON
status=0
PATH="$work/env/bin:$PATH" env/bin/openapi-python-client generate --path api.json --output-path client >log 2>&1 || status=$?
grep -o 'Found conflicting enums named TicketStatus' log
[ "$status" -eq 0 ] && [ ! -e client/box_client/models/ticket.py ] && [ -e client/box_client/models/ticket_status.py ]
echo 'exit status 0, and the model Ticket is missing'

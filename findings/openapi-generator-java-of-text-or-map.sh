#!/usr/bin/env bash
# openapi-generator-cli 7.25.0 (Maven Central), generator java with its library native; needs Java 17 or newer, javac
# and curl. A valid OpenAPI 3.1 document has a name that is a text, or texts by language: `oneOf` or `anyOf` of a string
# and of an object with string `additionalProperties`. The generator writes a class literal of a type with parameters,
# which Java does not have, so that its client does not compile. Seen, with both: exit status 0 of the generator; then of
# javac "ShowTitle.java:N: error: <identifier> expected", at `Map<String, String>.class`.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl --silent --show-error --fail --output generator.jar \
  https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar
for choice in anyOf oneOf; do
  cat >"$choice.json" <<JSON
{"openapi": "3.1.0", "info": {"title": "box", "version": "1"}, "paths": {"/show": {"get": {"operationId": "getShow",
  "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"\$ref": "#/components/schemas/Show"}}}}}}}},
 "components": {"schemas": {"Show": {"type": "object", "properties": {"title": {"$choice": [
  {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}]}}}}}}
JSON
  java -jar generator.jar generate --generator-name java --library native --input-spec "$choice.json" \
    --output "$choice" >"$choice.log" 2>&1
  status=0
  javac -proc:none -d out "$choice/src/main/java/org/openapitools/client/model/ShowTitle.java" >"$choice.javac" 2>&1 ||
    status=$?
  [ "$status" -ne 0 ]
  grep --quiet 'Map<String, String>\.class' "$choice/src/main/java/org/openapitools/client/model/ShowTitle.java"
  grep --max-count=1 --only-matching 'ShowTitle.java:[0-9]*: error: <identifier> expected' "$choice.javac"
done

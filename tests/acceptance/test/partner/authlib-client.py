"""A partner in Python with Authlib, unchanged. Reads the installation and its credentials as JSON from standard input."""

import html
import json
import re
import sys
from urllib.parse import urljoin

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

given = json.load(sys.stdin)
base, redirect_uri = given["baseUrl"], given["redirectUri"]
metadata = requests.get(f"{base}/.well-known/openid-configuration").json()


def browse(address):
    """The user's browser: signs in on the page, and returns the address that it is led back to."""
    browser = requests.Session()
    page = browser.get(address)
    form = html.unescape(re.search(r'name="form" value="([^"]+)"', page.text).group(1))
    action = urljoin(page.url, re.search(r'<form[^>]* action="([^"]+)"', page.text).group(1))
    fields = {"form": form, "login": given["login"], "password": given["password"]}
    answer = browser.post(action, data=fields, allow_redirects=False)
    assert answer.status_code == 303, (answer.status_code, answer.text)
    return answer.headers["location"]


def sign_in(client_id, client_secret, method):
    session = OAuth2Session(
        client_id,
        client_secret,
        scope="openid profile email offline_access catalog:read",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )
    verifier, nonce = generate_token(48), generate_token()
    address, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    token = session.fetch_token(
        metadata["token_endpoint"], authorization_response=browse(address), state=state, code_verifier=verifier
    )
    keys = JsonWebKey.import_key_set(session.get(metadata["jwks_uri"]).json())
    claims = jwt.decode(
        token["id_token"],
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"values": [metadata["issuer"]]}, "aud": {"values": [client_id]}},
        claims_params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
    )
    claims.validate()
    user = session.get(metadata["userinfo_endpoint"]).json()
    assert user == {"sub": claims["sub"], "name": claims["name"], "email": given["login"], "email_verified": False}, user

    catalog = f"{base}/svc/v3/catalog/products?limit=1"
    assert session.get(catalog).status_code == 200
    first = token["refresh_token"]
    token = session.refresh_token(metadata["token_endpoint"], refresh_token=first)
    assert token["refresh_token"] != first
    assert session.get(catalog).status_code == 200
    session.revoke_token(metadata["revocation_endpoint"], token=token["refresh_token"], token_type_hint="refresh_token")
    try:
        session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
        raise AssertionError("a revoked refresh token was taken")
    except OAuthError as refused:
        assert refused.error == "invalid_grant", refused.error


def client_credentials(client_id, client_secret, method):
    session = OAuth2Session(client_id, client_secret, scope="catalog:read", token_endpoint_auth_method=method)
    token = session.fetch_token(metadata["token_endpoint"], grant_type="client_credentials")
    assert token["token_type"] == "Bearer" and token["scope"] == "catalog:read", token
    assert session.get(f"{base}/svc/v3/catalog/products?limit=1").status_code == 200


sign_in(given["publicId"], None, "none")
for method in ("client_secret_basic", "client_secret_post"):
    sign_in(given["clientId"], given["clientSecret"], method)
    client_credentials(given["clientId"], given["clientSecret"], method)
print("ok")

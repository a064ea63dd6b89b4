"""An SMTP server of aiosmtpd: writes its port, then each mail as Python's email package reads it, a JSON line each."""
import asyncio
import base64
import email
import email.policy
import json

from aiosmtpd.smtp import SMTP


def part(message):
    disposition = message.get_content_disposition()
    content = message.get_payload(decode=True)
    return {
        "type": message.get_content_type(),
        "charset": message.get_content_charset(),
        "disposition": disposition,
        "name": message.get_filename(),
        "text": message.get_content() if message.get_content_maintype() == "text" else None,
        "base64": base64.b64encode(content).decode(),
    }


class Reader:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        faults = [repr(fault) for one in message.walk() for fault in one.defects]
        faults += [repr(fault) for value in message.values() for fault in value.defects]
        addresses = {name: [[a.display_name, a.addr_spec] for a in message[name].addresses] for name in ("From", "To")}
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "subject": message["Subject"],
            "addresses": addresses,
            "structure": [one.get_content_type() for one in message.walk()],
            "parts": [part(one) for one in message.walk() if not one.is_multipart()],
            "faults": faults,
        }
        print(json.dumps(mail), flush=True)
        return "250 OK"


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Reader(), enable_SMTPUTF8=True, loop=loop), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())

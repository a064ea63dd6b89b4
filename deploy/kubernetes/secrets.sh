#!/bin/sh
# deploy/kubernetes/secrets.sh: makes the Secrets of the namespace boxoffice from files in the present directory, which
# is outside of the repository: <process>.mongodb and <process>.amqp have the addresses. BOXOFFICE names the repository.
set -eu
secret() { kubectl -n boxoffice create secret generic "$@"; }
[ ! -e service-root-secret ] || { echo 'service-root-secret is here already: it would be replaced' >&2; exit 1; }
umask 077     # only its owner may read the files
openssl rand -hex 32 > service-root-secret; openssl rand -hex 32 > key-encryption-key     # and into the vault
SERVICE_ROOT_SECRET_FILE="$PWD/service-root-secret" npm --prefix "${BOXOFFICE:?the folder of boxoffice}" run operator -- service-secrets --directory "$PWD"     # gateway.service-secret …
secret boxoffice-authorizer --from-file=service-root-secret --from-file=key-encryption-key \
  --from-file=mongodb-url=authorizer.mongodb --from-file=amqp-url=authorizer.amqp
secret boxoffice-gateway --from-file=service-secret=gateway.service-secret
openssl rand -hex 32 > events.key-encryption-key     # and into the vault
openssl rand -hex 32 > payments.key-encryption-key     # and into the vault
for one in catalog contacts orders tickets pos; do
  secret "boxoffice-$one" --from-file=service-secret="$one.service-secret" --from-file=mongodb-url="$one.mongodb" \
    --from-file=amqp-url="$one.amqp"
done
for one in events payments; do
  secret "boxoffice-$one" --from-file=service-secret="$one.service-secret" --from-file=mongodb-url="$one.mongodb" \
    --from-file=amqp-url="$one.amqp" --from-file=key-encryption-key="$one.key-encryption-key"
done
secret boxoffice-operator --from-file=key-encryption-key --from-file=payments-key-encryption-key=payments.key-encryption-key \
  --from-file=mongodb-url=operator.mongodb --from-file=amqp-url=operator.amqp
# Of components, where they are used.
[ ! -e keda.amqp ] || secret boxoffice-keda --from-file=amqp-url=keda.amqp
[ ! -e mail.smtp ] || secret boxoffice-mail --from-file=mail-url=mail.smtp

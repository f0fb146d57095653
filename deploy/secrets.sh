#!/bin/sh
# Makes the secrets that compose.yml names, each readable by the one user that needs it. What is there
# is left alone. Run as root, so that files can be given to the users of the containers.
#
#   ./secrets.sh [directory]        [secrets]
#
# Two files it can't make: gateway/jwks.json, the public keys of your authorisation server, and
# proxy/tls.pem, certificate chain and private key. Put them there and run it again.
set -eu
umask 077
target=${1:-"$(dirname "$0")/secrets"}
database=${POSTGRES_ADDRESS:-postgres:5432}

word() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
put() { # path: keep what is there, else take it from stdin
    if [ -e "$target/$1" ]; then cat >/dev/null; else cat >"$target/$1"; fi
}
give() { # user directory
    chown -R "$1:$1" "$target/$2"
    chmod 0500 "$target/$2"
    find "$target/$2" -type f -exec chmod 0400 {} +
}
urls() { # role password directory
    for name in ledger keys; do
        printf 'postgresql://%s:%s@%s/memguard_%s\n' "$1" "$2" "$database" "$name" | put "$3/$name-url"
    done
}

for one in proxy gateway migrate postgres qdrant valkey; do mkdir -p "$target/$one"; done
for role in superuser owner gateway; do word | put "postgres/$role-password"; done
urls memguard_owner "$(cat "$target/postgres/owner-password")" migrate
urls memguard_gateway "$(cat "$target/postgres/gateway-password")" gateway
head -c 32 /dev/urandom | base64 | put gateway/root.key
word | put gateway/qdrant-key
word | put gateway/valkey-password
printf 'service:\n  api_key: %s\n  jwt_rbac: true\n' "$(cat "$target/gateway/qdrant-key")" |
    put qdrant/local.yaml
printf 'requirepass %s\n' "$(cat "$target/gateway/valkey-password")" | put valkey/auth.conf

give 10001 gateway
give 10001 migrate
give 999 postgres
give 999 valkey
give 1000 qdrant
give 99 proxy
for missing in gateway/jwks.json proxy/tls.pem; do
    [ -e "$target/$missing" ] || echo "still to be put there: $target/$missing" >&2
done

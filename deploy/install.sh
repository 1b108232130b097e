#!/bin/sh
# Installs a relay on a server with systemd, or updates it: as root, in the folder of a release's files,
#   sh install.sh mls-relay-0.1.0.tgz relay.example
# The relay then serves https://relay.example with a certificate that it gets itself: the name must point to this machine, and
# ports 80 and 443 must be free. What is in /etc/mls-relay and /var/lib/mls-relay stays as it is. docs/how-to/systemd.md says more.
set -eu
# The unit's account reads what is installed, whatever root keeps from others.
umask 022

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

[ $# -eq 2 ] || fail "usage: sh install.sh <mls-relay-….tgz> <domain>"
package=$1
domain=$2
case $domain in
  '' | [.-]* | *[!A-Za-z0-9.-]*) fail "'$domain' is not a domain: give the name alone, like relay.example" ;;
esac
[ -f "$package" ] || fail "there is no file $package"
[ "$(id -u)" = 0 ] || fail "only root can install a unit; put sudo before the command"
command -v systemctl >/dev/null || fail "this machine has no systemd; docs/how-to/install.md has other ways"
command -v node >/dev/null && command -v npm >/dev/null || fail "install Node.js 24 with npm first: https://nodejs.org"
node --eval 'const have = process.versions.node.split(".").map(Number);
  const isEnough = [20, 19, 5].reduceRight((rest, least, i) => have[i] > least || (have[i] === least && rest), true);
  process.exit(isEnough ? 0 : 1)' || fail "Node.js $(node --version) is too old; install Node.js 24"
case $(readlink -f "$(command -v node)") in
  /root/* | /home/*) fail "the unit cannot read home folders, where $(command -v node) is; install Node.js for all accounts" ;;
esac
getent -s systemd passwd root >/dev/null 2>&1 || grep -qs '^DATABASE_URL=' /etc/mls-relay/relay.env ||
  fail "the unit's account has no name, which the embedded PostgreSQL needs; run: apt-get install libnss-systemd"
# Addresses end in the name, so that an update under another one would lose them.
kept=$(sed -n 's/^DOMAIN=//p' /etc/mls-relay/relay.env 2>/dev/null | tail -n 1)
[ -z "$kept" ] || [ "$kept" = "$domain" ] || fail "this server's relay is $kept, as /etc/mls-relay/relay.env says"

# The new version is complete before it takes the place of the old one, which stays until the next update.
rm -rf /opt/mls-relay.new
mkdir -p /opt/mls-relay.new
tar -xzf "$package" --strip-components=1 --no-same-owner -C /opt/mls-relay.new
(cd /opt/mls-relay.new && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
if grep -qs '^BLOB_STORAGE=s3' /etc/mls-relay/relay.env; then
  sdk=$(cd /opt/mls-relay.new &&
    node --print 'Object.entries(require("./package.json").peerDependencies).map((one) => one.join("@")).join(" ")')
  # shellcheck disable=SC2086
  (cd /opt/mls-relay.new && npm install --omit=dev --save-prod --save-exact --ignore-scripts --no-audit --no-fund $sdk)
fi
rm -rf /opt/mls-relay.old
[ ! -d /opt/mls-relay ] || mv /opt/mls-relay /opt/mls-relay.old
mv /opt/mls-relay.new /opt/mls-relay
ln -sf /opt/mls-relay/scripts/mls-relay /usr/local/bin/mls-relay

install -d -m 700 /etc/mls-relay
if [ ! -e /etc/mls-relay/relay.env ]; then
  printf 'DOMAIN=%s\nPRESET=small\nHOST=::\nPORT=443\nACME_DIRECTORY=letsencrypt\n' "$domain" |
    install -m 600 /dev/stdin /etc/mls-relay/relay.env
fi
if [ ! -e /etc/mls-relay/master.key ]; then
  node --print 'require("node:crypto").randomBytes(32).toString("hex")' | install -m 600 /dev/stdin /etc/mls-relay/master.key
fi

cp /opt/mls-relay/deploy/systemd/mls-relay.service /etc/systemd/system/
systemctl daemon-reload
systemctl enable mls-relay
systemctl restart mls-relay || fail "the relay does not start; it says why in: journalctl --unit=mls-relay --lines=50"

cat <<END
The relay serves https://$domain. Copy /etc/mls-relay/master.key to a safe place: without it, a backup is worth little.
  export DATA_DIR=/var/lib/mls-relay MASTER_KEY_FILE=/etc/mls-relay/master.key
  mls-relay doctor --env-file /etc/mls-relay/relay.env    checks the installation, in a shell with the line above
  journalctl --unit=mls-relay                             shows what the relay says
The first hour goes on with an administrator and backups: /opt/mls-relay/docs/how-to/first-hour.md
END

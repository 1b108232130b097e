#!/bin/sh
# Installs a relay on a server with systemd, or updates it: as root, in the folder of a release's files,
#   sh install.sh mls-relay-0.1.0.tgz relay.example
# The relay then serves https://relay.example with a certificate that it gets itself: the name must point to this machine, and
# ports 80 and 443 must be free. What is in /etc/mls-relay and /var/lib/mls-relay stays as it is. docs/how-to/systemd.md says more.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

[ $# -eq 2 ] || fail "usage: sh install.sh <mls-relay-….tgz> <domain>"
package=$1
domain=$2
[ -f "$package" ] || fail "there is no file $package"
[ "$(id -u)" = 0 ] || fail "only root can install a unit; put sudo before the command"
command -v systemctl >/dev/null || fail "this machine has no systemd; docs/how-to/install.md has other ways"
command -v npm >/dev/null || fail "install Node.js 24 with npm first: https://nodejs.org"
node --eval 'const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' || fail "Node.js $(node --version) is too old; install Node.js 24"

# The new version is complete before it takes the place of the old one, which stays until the next update.
rm -rf /opt/mls-relay.new
mkdir -p /opt/mls-relay.new
tar -xzf "$package" --strip-components=1 -C /opt/mls-relay.new
(cd /opt/mls-relay.new && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
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
systemctl restart mls-relay

cat <<END
The relay serves https://$domain. Copy /etc/mls-relay/master.key to a safe place: without it, a backup is worth little.
  mls-relay doctor --env-file /etc/mls-relay/relay.env    checks the installation
  journalctl --unit=mls-relay                             shows what the relay says
The first hour goes on with an administrator and backups: /opt/mls-relay/docs/how-to/first-hour.md
END

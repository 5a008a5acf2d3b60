#!/bin/sh
# membridge: runs the program beside this file under a Node of version 24 or newer.
# MEMBRIDGE_NODE names one; otherwise PATH and the usual places are searched.
set -u
self=$0
case $self in */*) ;; *) self=$(command -v -- "$self" || echo "./$self") ;; esac
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
root=$(cd -P "${self%/*}/.." && pwd -P) || exit 1

found=
for node in "${MEMBRIDGE_NODE:-}" "$(command -v node)" "$(command -v nodejs)" /usr/local/bin/node /usr/bin/node \
  /opt/node/bin/node "${HOME:-}"/.local/bin/node "${HOME:-}"/.nvm/versions/node/v*/bin/node; do
  [ -n "$node" ] && [ -x "$node" ] && [ ! -d "$node" ] || continue
  version=$("$node" --version 2>&1)
  major=${version#v}
  major=${major%%.*}
  case $major in
    '' | *[!0-9]*) continue ;;
  esac
  if [ "$major" -ge 24 ]; then
    exec "$node" "$root/lib/main.mjs" "$@"
  fi
  found="$found $node is $version;"
done
echo "ERROR: membridge needs Node 24 or newer, and there is none here;${found} install it, or name one in MEMBRIDGE_NODE" >&2
exit 1

#!/bin/sh
# Stands in for the executable that answers prompts: what it does stands in the prompt's last line.
prompt=$(cat)
last=$(printf '%s\n' "$prompt" | tail -n 1)
case "$last" in
  envelope*) printf '{"type":"result","is_error":false,"result":"%s","usage":{"input_tokens":5,"output_tokens":2}}' "${last#envelope }" ;;
  error*) printf '{"type":"result","is_error":true,"result":"%s"}' "${last#error }" ;;
  exit*) echo "it broke: HTTP 500" >&2; exit 3 ;;
  environment) env ;;
  arguments) printf '%s\n' "$@" ;;
  definition) while [ "$1" != --append-system-prompt-file ]; do shift; done; ls -l "$2"; cat "$2" ;;
  prompt) printf '%s' "$prompt" ;;
  where) pwd ;;
  much) head -c 10000000 /dev/zero | tr '\0' 'x' ;;
  odd) printf 'a\000b\033[31mc' ;;
  after*) echo 'working on it' >&2; until [ -e "${last#after }" ]; do sleep 0.1; done; printf 'after all' ;;
  slow*) trap '' TERM; echo "working" >&2; sleep 60 & echo "$!" > "${last#slow }"; wait ;;
  *) printf 'answer: %s' "$last" ;;
esac

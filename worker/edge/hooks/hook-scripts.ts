import { shellWord } from '#domain/membridge/join-text.rules.ts'

/**
 * The scripts that sessions and today's agents call, for any POSIX shell and without a program besides `membridge` and the usual
 * file tools [edge#hooks].
 *
 * A hook ends with 0 whatever happens and prints nothing, since a session takes its output for its own. What really happened is a line in the log.
 */
export const MARKER =
  '# membridge-hooks: written by `membridge hooks install`, taken away by `membridge hooks remove`.'

export const PULL_HOOK = 'claude-mem-hook-pull'
export const PUSH_HOOK = 'claude-mem-hook-push'

/** File name and content of every script; `program` is how membridge is started. */
export function hookScripts(program: readonly string[]): Record<string, string> {
  const membridge = program.map(shellWord).join(' ')
  const direct = (command: string) => script([`exec ${membridge} ${command} "$@"`])
  return {
    [PULL_HOOK]: script([hook(membridge, 'pull', 'pull --no-restart-worker')]),
    [PUSH_HOOK]: script([hook(membridge, 'push', 'push')]),
    'claude-mem-pull': direct('pull'),
    'claude-mem-push': direct('push'),
    'claude-mem-status': script([
      `${membridge} print-project "$@" || exit`,
      'echo',
      `exec ${membridge} doctor "$@"`,
    ]),
    'claude-mem-doctor': direct('doctor'),
  }
}

const script = (lines: string[]): string => `${['#!/bin/sh', MARKER, ...lines].join('\n')}\n`

/** How long the local agent may take, and how large a log may become; two older ones are kept beside it. */
const REGISTER_SECONDS = 2
const LOG_BYTES = 5 * 1024 * 1024

/**
 * `Stop` comes after every answer of a session, and no answer waits for a push: a process of its own, which outlives the session, goes on.
 * Without `setsid` it stays in the group of the terminal.
 */
const DETACH = `if [ "\${1:-}" != detached ]; then
  if command -v setsid; then
    setsid /bin/sh "$0" detached &
  else
    /bin/sh "$0" detached &
  fi
  exit 0
fi`

/**
 * What came after the snapshot of a push that is at work needs one more. One hook waits for all that come meanwhile; its mark is gone when
 * its own push begins, and one that a killed hook left counts for a minute.
 */
const BUSY_SECONDS = 2
const AGAIN_WHEN_BUSY = `  grep -q '^ERROR: another push or pull of ' "$output" || break
  [ -z "$(find "$folder/.push-waits" -mmin +1)" ] || rmdir "$folder/.push-waits"
  mkdir "$folder/.push-waits" || { others=yes; break; }
  sleep ${BUSY_SECONDS}
  rmdir "$folder/.push-waits"`

/**
 * Register, then sync, then one line in the log. Asked to stop, it passes that on and waits for the command to put things in
 * order. The first line of the reason is the fault, else the last line that was printed.
 */
const hook = (
  membridge: string,
  name: 'pull' | 'push',
  command: string,
): string => `[ -n "\${HOME:-}" ] || exit 0
exec </dev/null >/dev/null 2>&1
${name === 'push' ? DETACH : '# The session begins with what was pulled, so it waits.'}
umask 077
folder=$HOME/.claude-mem-minio
log=$folder/hook.log
output=$folder/.hook-$$
mkdir -p "$folder"
: >"$output" || output=/dev/null
child=
stopped=
trap 'stopped=yes; [ -z "$child" ] || kill "$child"' HUP INT TERM
trap '[ "$output" = /dev/null ] || rm -f "$output"' EXIT

(exec ${membridge} register --path "$PWD") &
register=$!
(sleep ${REGISTER_SECONDS}; kill -9 "$register") &
watch=$!
wait "$register"
kill "$watch"

reason=
others=
code=143
while [ -z "$stopped" ]; do
  (exec ${membridge} ${command}) >"$output" 2>&1 &
  child=$!
  wait "$child"
  code=$?
  while kill -0 "$child"; do
    wait "$child"
    code=$?
  done
  child=
${name === 'push' ? AGAIN_WHEN_BUSY : '  break'}
done

while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    'ERROR: '* | 'SECONDARY: '* | 'PRIMARY: '* | 'STALE TERM'* | 'LOCK ACTIVE'* | 'LOCAL AHEAD'* | 'REMOTE AHEAD'* | 'COMMITTED, '*)
      reason=$line
      break ;;
    ?*) reason=$line ;;
  esac
done <"$output"
case $code$others in
  0) outcome=done ;;
  2 | 3 | 1yes) outcome=skipped ;;
  *) outcome=failed ;;
esac

if [ "$(wc -c <"$log" || echo 0)" -gt ${LOG_BYTES} ]; then
  [ -z "$(find "$log.lock" -mmin +1)" ] || rmdir "$log.lock"
  if mkdir "$log.lock"; then
    mv -f "$log.1" "$log.2"
    mv -f "$log" "$log.1"
    rmdir "$log.lock"
  fi
fi
printf '%s ${name} rc=%s %s: %.500s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$code" "$outcome" "$reason" >>"$log"
exit 0`

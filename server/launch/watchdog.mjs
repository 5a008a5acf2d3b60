/**
 * What ends the children when the launcher itself is killed outright and can end nobody.
 *
 * A shell of a few hundred kilobytes reads the list of process ids from a pipe, newest list last. The pipe ends with
 * the launcher, however it ends; then the shell ends what the last list names: the programs by SIGTERM to their
 * groups, PostgreSQL (first in the list) by SIGINT. A program that it was not told of yet ends by itself (follow-launcher.mjs). After an orderly stop the list is empty. On Windows there is no
 * such guard; there the next start ends a server that was left behind.
 */
import { spawn } from 'node:child_process'

const SCRIPT = `
server=0; programs=
while read -r first rest; do server=$first; programs=$rest; done
for pid in $programs; do kill -TERM "-$pid" 2>/dev/null; done
[ "$server" -gt 0 ] && kill -INT "$server" 2>/dev/null
for pid in $programs; do
  attempts=0
  while kill -0 "-$pid" 2>/dev/null; do
    attempts=$((attempts + 1)); [ "$attempts" -gt 5 ] && kill -KILL "-$pid" 2>/dev/null && break
    sleep 1
  done
done`

/**
 * Starts the guard.
 * @returns {{ watch: (server: number | undefined, programs: number[]) => void, end: () => void }}
 */
export function startWatchdog() {
  if (process.platform === 'win32') return { watch: () => {}, end: () => {} }
  const child = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  child.unref()
  return {
    watch: (server, programs) => child.stdin?.write(`${[server ?? 0, ...programs].join(' ')}\n`),
    end: () => child.stdin?.end('0\n'),
  }
}

/**
 * What makes a machine a worker, as a shell script that holds no key [runtime#agents]. It unpacks an archive that a person brought, since the console
 * hands out none and downloads from no address that a caller names; keys are pasted into `membridge join` on the node. Whatever comes from outside stands in it quoted.
 */
import { assignmentLine, shellWord } from '#domain/membridge/join-text.rules.ts'

export type InstallValues = {
  /** Of the node; null for its host name. */
  name: string | null
  runtimeUrl: string
  serverUrl: string
}

/** Lines that are filled in on the node. */
const PLACEHOLDERS = ['MEMBRIDGE_NODE_KEY', 'MEMBRIDGE_AGENT_KEY', 'MINIO_ACCESS_KEY', 'MINIO_SECRET_KEY']

export function agentInstallScript({ name, runtimeUrl, serverUrl }: InstallValues): string {
  const settings = [
    assignmentLine('MEMBRIDGE_SERVER_URL', serverUrl),
    assignmentLine('BLOOM_RUNTIME_URL', runtimeUrl),
    ...(name === null ? [] : [assignmentLine('MEMBRIDGE_NODE_ID', name)]),
    assignmentLine('MEMBRIDGE_WORK', 'pull'),
    ...PLACEHOLDERS.map((placeholder) => `${placeholder}=`),
  ]
  return `${[...HEAD, ...settings.map(printed), ...TAIL].join('\n')}\n`
}

/** The line is an argument, so the shell reads nothing in it a second time. */
const printed = (line: string): string => `  printf '%s\\n' ${shellWord(line)} >>"$CONFIG"`

const HEAD = [
  '#!/bin/sh',
  '# Makes this machine a worker of the console: sh install-agent.sh [ARCHIVE]',
  '# ARCHIVE is the file that `npm run edge:pack` made, here or in the present folder. This script holds no key.',
  'set -eu',
  'umask 077',
  '',
  'ARCHIVE=',
  'if [ $# -gt 0 ]; then ARCHIVE=$1; fi',
  'if [ -z "$ARCHIVE" ]; then',
  '  for FOUND in ./membridge-*.tar.gz; do ARCHIVE=$FOUND; done',
  'fi',
  'if [ ! -f "$ARCHIVE" ]; then',
  '  echo "No archive: run npm run edge:pack where the console is, and copy the file that it names here." >&2',
  '  exit 1',
  'fi',
  '',
  'SHARE="$HOME/.local/share"',
  'BIN="$HOME/.local/bin"',
  'CONFIG="$HOME/.claude-mem-minio/config.env"',
  'mkdir -p "$SHARE" "$BIN" "$(dirname "$CONFIG")"',
  'FOLDER=$(tar -tzf "$ARCHIVE" | sed -n "1s,/.*,,p")',
  'case "$FOLDER" in membridge-*) ;; *) echo "This is no archive of the agent." >&2; exit 1 ;; esac',
  'tar -xzf "$ARCHIVE" -C "$SHARE"',
  'ln -sfn "$FOLDER" "$SHARE/membridge"',
  'ln -sf "$SHARE/membridge/bin/membridge" "$BIN/membridge"',
  '',
  '# Settings that are there already stay; keys are empty until `membridge join` fills them in.',
  'if [ -e "$CONFIG" ]; then',
  '  echo "$CONFIG is there already and stays as it is."',
  'else',
  '  : >"$CONFIG"',
]

const TAIL = [
  'fi',
  '',
  "cat <<'NEXT'",
  'Next:',
  '  membridge join --check       # paste the text of Nodes, Add a node; asks for the keys of the object store',
  '  membridge service systemd    # or openrc: prints a unit for the agent; its first lines say where it goes',
  '  membridge work --once        # one task, to try it',
  'NEXT',
]

import fs from 'node:fs'
import path from 'node:path'
import { isFolderStore, shellWord } from '#domain/membridge/join-text.rules.ts'
import { initSystem } from '../agent/node-facts.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import type { Written } from './write-config.ts'

/** What is left to do on a machine that has joined, in order, as commands to type. */
type Joined = {
  host: Host
  values: Settings
  file: string
  written: Written
  /** Whether the server was asked already. */
  isChecked: boolean
  /** How this program is started. */
  program: readonly string[]
}

/** What a node needs and the dialog may leave open. */
const OPEN = ['MINIO_ACCESS_KEY', 'MINIO_SECRET_KEY', 'CLAUDE_PROJECT_ID'] as const

export const missingIn = (values: Settings): string[] =>
  OPEN.filter(
    (name) => !values[name] && !(name.startsWith('MINIO') && isFolderStore(values.MINIO_ENDPOINT ?? '')),
  )

export function nextSteps({ host, values, file, written, isChecked, program }: Joined): string[] {
  return [
    ...missingIn(values).map((name) => `write ${name} into ${file}`),
    ...(isInPath(host) ? [] : linkInto(program)),
    ...(isChecked ? [] : ['membridge join --check </dev/null']),
    'membridge doctor',
    ...startAgent(),
    ...(written.backup === null ? [] : [`${RESTART[manager()]}    # it read the settings of before`]),
    'membridge register              # the agent announces this project',
    'membridge hooks install --write # sessions pull at their start and push after each answer',
    `in the console, Nodes, "${values.MEMBRIDGE_NODE_ID ?? host.name}": register the address of its agent`,
    'membridge pull                  # where another node has pushed; on the first node: membridge push',
  ]
}

const isInPath = ({ env }: Host): boolean =>
  (env.PATH ?? '').split(':').some((folder) => folder !== '' && fs.existsSync(path.join(folder, 'membridge')))

/** A checkout has no launcher to link to. */
const linkInto = ([launcher = '', ...more]: readonly string[]): string[] =>
  more.length > 0
    ? []
    : [`mkdir -p ~/.local/bin && ln -sfn ${shellWord(launcher)} ~/.local/bin/    # a folder of PATH`]

type Manager = 'systemd' | 'openrc'
const manager = (): Manager => (initSystem() === 'openrc' ? 'openrc' : 'systemd')

const UNIT = '~/.config/systemd/user/membridge-agent.service'
const RESTART: Readonly<Record<Manager, string>> = {
  systemd: 'systemctl --user restart membridge-agent',
  openrc: 'sudo rc-service membridge-agent restart',
}

const startAgent = (): string[] =>
  manager() === 'openrc'
    ? [
        'membridge service openrc | sudo tee /etc/init.d/membridge-agent >/dev/null',
        'sudo chmod 755 /etc/init.d/membridge-agent && sudo rc-update add membridge-agent && sudo rc-service membridge-agent start',
      ]
    : [
        `mkdir -p ~/.config/systemd/user && membridge service systemd >${UNIT}`,
        'systemctl --user daemon-reload && systemctl --user enable --now membridge-agent',
      ]

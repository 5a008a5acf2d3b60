import fs from 'node:fs'
import os from 'node:os'
import { configPlace } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'
import { ownProgram } from '../own-program.ts'
import { type AgentService, openrcScript, systemdUnit } from '../service/service-units.ts'
import type { Command, CommandInput } from './command.ts'

const UNITS: Readonly<Record<string, (service: AgentService) => string>> = {
  systemd: systemdUnit,
  openrc: openrcScript,
}

/** Prints what makes the agent a service of this account; the first lines say where it goes [edge#service]. */
export const service: Command = {
  name: 'service',
  aliases: [],
  summary: 'prints a unit that runs the agent as this user and restarts it',
  words: ['systemd|openrc'],
  async run(input) {
    const [kind = ''] = input.words
    const unitOf = UNITS[kind]
    if (!unitOf) throw new EdgeFault(`${kind} is none of ${Object.keys(UNITS).join(', ')}`)
    const about = serviceOf(input)
    if (
      Object.values(about)
        .flat()
        .some((text) => /\p{Cc}/u.test(text))
    )
      throw new EdgeFault('a path of this node holds control characters, which no unit can name')
    warnAboutVariables(input, about.config)
    const unit = unitOf(about)
    return { exitCode: 0, lines: [unit.trimEnd()], json: { kind, unit } }
  },
}

const serviceOf = ({ host, given }: CommandInput): AgentService => ({
  program: ownProgram(),
  node: process.execPath,
  user: os.userInfo().username,
  home: host.home,
  config: configPlace(host, given.config).place,
})

function warnAboutVariables({ say }: CommandInput, config: string): void {
  const mode = fs.statSync(config, { throwIfNoEntry: false })?.mode
  if (mode === undefined) say(`WARNING: ${config} is not there yet: run membridge join first`)
  else if ((mode & 0o077) !== 0) say(`WARNING: others can read the keys of this node: chmod 600 ${config}`)
}

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { runEdge } from '../testing/run-edge.ts'
import { openrcScript, systemdUnit } from './service-units.ts'

const hostile = (program: string, home: string) => ({
  program: [program],
  node: process.execPath,
  user: 'ann',
  home,
  config: `${home}/config.env`,
})

test('prints a unit without a key, and says that the node has not joined', async () => {
  const node = makeNodeHome()
  const { code, stdout, stderr } = await runEdge(node, ['service', 'systemd'], {
    MEMBRIDGE_AGENT_KEY: 'canary6f3a',
  })
  expect(code).toBe(0)
  expect(stdout).toContain(`Environment="MEMBRIDGE_CONFIG_ENV=${node.path('.claude-mem-minio/config.env')}"`)
  expect(stdout).toMatch(/^ExecStart="[^"]*node" "[^"]*main\.ts" "agent"$/m)
  expect(stdout).toMatch(/^Restart=always$/m)
  // The longest task has an hour.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(3_600)
  // A push would take SIGTERM twice, from the manager and from the agent.
  expect(stdout).toMatch(/^KillMode=mixed$/m)
  expect(stdout).toMatch(/^# +mkdir -p ~\/\.config\/systemd\/user && membridge service systemd >/m)
  expect(stdout).not.toContain('canary6f3a')
  expect(stderr).toContain('run membridge join first')
})

test.each(['launchd', ''])('%j is refused', async (kind) => {
  const { code, stderr } = await runEdge(makeNodeHome(), ['service', kind])
  expect({ code, stderr }).toEqual({ code: 1, stderr: `ERROR: ${kind} is none of systemd, openrc\n` })
})

test('systemd takes the unit, whatever the folder is called', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) lacking(context, 'systemd-analyze')
  const node = makeNodeHome()
  const program = node.write('100% $HOME "x" \\n it\'s/membridge', '#!/bin/sh\n', 0o755)
  const unit = node.write('membridge-agent.service', systemdUnit(hostile(program, node.path('a %h $x'))))
  expect(fs.readFileSync(unit, 'utf8')).toContain(`/a %%h $x/config.env"\n`)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', unit], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: node.path() },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** What OpenRC does with the script: it reads it in a shell, and the arguments in another one. */
const AS_OPENRC = `. "$1"; eval "set -- \\"\\$command\\" $command_args"; printf '%s|' "$@" "$command_user" "$HOME" "$supervisor"`

test('the script for OpenRC starts the same program, whatever the folder is called', () => {
  const node = makeNodeHome()
  const home = `/home/an 'o' $HOME "n"`
  const script = openrcScript({
    ...hostile('/usr/bin/node', home),
    program: ['/usr/bin/node', `${home}/main.mjs`],
  })
  const file = node.write('membridge-agent', script, 0o755)
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', AS_OPENRC, 'sh', file], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toBe(`/usr/bin/node|${home}/main.mjs|agent|ann|${home}|supervise-daemon|`)
  expect(fs.readFileSync(file, 'utf8')).toMatch(/^#!\/sbin\/openrc-run\n/)
  expect(script).toMatch(/^retry=TERM\/3700\/TERM\/90\/KILL\/5$/m)
})

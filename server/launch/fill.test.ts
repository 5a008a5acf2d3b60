import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SCENARIOS } from '#prisma/seed/scenarios/names.ts'
import { ROOT } from './checkout.mjs'

const NOWHERE = path.join(ROOT, '.cache/no-such-home')

test.each([
  ['no scenario', []],
  ['one that is not known', ['nothing']],
  ['a name of every object', ['constructor']],
  ['two', ['busy', 'demo']],
  ['no number', ['large', '--count', 'many']],
  ['an option that is not known', ['busy', '--force']],
])('seed with %s lists the scenarios and touches nothing', (_, args) => {
  const env = { ...process.env, BLOOM_HOME: NOWHERE }
  const program = path.join(ROOT, 'server/launch/fill.mjs')
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' })
  expect(status).toBe(2)
  for (const [name, about] of Object.entries(SCENARIOS))
    expect(stderr).toMatch(new RegExp(`${name} +.*${about.slice(0, 20)}`))
  expect(fs.existsSync(NOWHERE)).toBe(false)
})

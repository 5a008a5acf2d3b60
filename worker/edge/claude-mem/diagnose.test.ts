import fs from 'node:fs'
import { expect, test } from 'vitest'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { bunMismatch, machineOf } from './bun.ts'
import { diagnose } from './diagnose.ts'
import { findPlugin } from './plugin.ts'

const CACHE = '.claude/plugins/cache/thedotmack/claude-mem'

/** The beginning of an ELF file for a machine. */
function elf(machine: number, bigEndian = false): Buffer {
  const header = Buffer.alloc(64)
  header.write('\x7fELF', 'latin1')
  header[5] = bigEndian ? 2 : 1
  if (bigEndian) header.writeUInt16BE(machine, 18)
  else header.writeUInt16LE(machine, 18)
  return header
}

function listPlugin(node: NodeHome, installPath: string): void {
  const text = JSON.stringify({ plugins: { 'claude-mem@thedotmack': [{ installPath, version: '13.15.3' }] } })
  node.write('.claude/plugins/installed_plugins.json', text)
}

/** A node on which everything is in order. */
function soundNode(): NodeHome {
  const node = makeNodeHome()
  node.write(`${CACHE}/13.15.3/scripts/bun-runner.js`, '')
  listPlugin(node, node.path(CACHE, '13.15.3'))
  node.write('.bun/bin/bun', '#!/bin/sh\necho 1.2.3\n', 0o755)
  return node
}

const codes = async (node: NodeHome) =>
  (await diagnose(node.host)).filter((check) => !check.ok).map((check) => check.code)

test('a sound node has no finding', async () => {
  expect(await codes(soundNode())).toEqual([])
})

test.each<[string, (node: NodeHome) => void, number[]]>([
  ['no metadata', (node) => fs.rmSync(node.path('.claude/plugins/installed_plugins.json')), [10]],
  ['metadata that is no JSON', (node) => node.write('.claude/plugins/installed_plugins.json', '{'), [10]],
  [
    'another plugin listed',
    (node) => node.write('.claude/plugins/installed_plugins.json', '{"plugins":{"x@y":[]}}'),
    [10],
  ],
  ['an installPath that is gone', (node) => listPlugin(node, node.path(CACHE, '9.0.5')), [10, 13]],
  ['no bun', (node) => fs.rmSync(node.path('.bun/bin/bun')), [11]],
  ['a bun that nobody may run', (node) => fs.chmodSync(node.path('.bun/bin/bun'), 0o600), [11]],
  ['a bun for Windows', (node) => fs.writeFileSync(node.path('.bun/bin/bun'), 'MZ....'), [12]],
  [
    'a bun for another machine',
    (node) => fs.writeFileSync(node.path('.bun/bin/bun'), elf(process.arch === 'arm64' ? 0x3e : 0xb7)),
    [12],
  ],
  [
    'a bun that crashes',
    (node) => fs.writeFileSync(node.path('.bun/bin/bun'), '#!/bin/sh\nexit 132\n'),
    [12],
  ],
  ['no runner', (node) => fs.rmSync(node.path(CACHE, '13.15.3/scripts/bun-runner.js')), [13]],
  ['nothing at all', (node) => fs.rmSync(node.path(), { recursive: true }), [10, 11]],
])('%s', async (_what, spoil, expected) => {
  const node = soundNode()
  spoil(node)
  expect(await codes(node)).toEqual(expected)
})

test('every finding has advice, and names the newest cached version', async () => {
  const node = soundNode()
  for (const version of ['9.9.9', '10.0.7', '10.0.0-beta.1', 'notes']) fs.mkdirSync(node.path(CACHE, version))
  listPlugin(node, node.path(CACHE, '9.0.5'))
  fs.rmSync(node.path('.bun/bin/bun'))
  const findings = (await diagnose(node.host)).filter((check) => !check.ok)
  expect(findings.every((check) => check.advice)).toBe(true)
  expect(findings[0]?.advice).toContain(
    `set installPath to ${node.path(CACHE, '13.15.3')} and version to 13.15.3`,
  )
})

test('writes nothing', async () => {
  const node = soundNode()
  const listing = () => fs.readdirSync(node.path(), { recursive: true, encoding: 'utf8' }).sort()
  const before = listing()
  await diagnose(node.host)
  expect(listing()).toEqual(before)
})

test('the machine is what the kernel says, and a bun that runs outranks its header', async () => {
  const node = soundNode()
  const bun = node.path('.bun/bin/bun')
  fs.copyFileSync(process.execPath, bun)
  const host = { ...node.host, machine: 'riscv64' }
  expect(await bunMismatch(bun, host)).toBeNull()
  fs.writeFileSync(bun, elf(0x28))
  expect(await bunMismatch(bun, { ...host, machine: 'aarch64' })).toBe(
    `${bun} was built for arm, this machine is aarch64`,
  )
  expect(await bunMismatch(bun, { ...host, machine: 'armv7l' })).toMatch(/does not run: /)
})

test('a bun that cannot be read does not run, which is no unexpected fault', async () => {
  const node = soundNode()
  const folder = node.path('.bun')
  expect(await bunMismatch(folder, node.host)).toMatch(/does not run: /)
})

test('reads the machine of a binary in either byte order', () => {
  expect([elf(0x3e), elf(0xb7), elf(0x28), elf(0xb7, true), elf(0xf3)].map(machineOf)).toEqual([
    'x86-64',
    'aarch64',
    'arm',
    'aarch64',
    'machine 0xf3',
  ])
  expect([Buffer.from('#!/bin/sh'), Buffer.alloc(0), elf(0x3e).subarray(0, 19)].map(machineOf)).toEqual([
    null,
    null,
    null,
  ])
})

test('the plugin is the one that is listed, also in the form of older files, else the newest in the cache', () => {
  const node = soundNode()
  expect(findPlugin(node.host)).toEqual({
    folder: node.path(CACHE, '13.15.3'),
    from: 'installed_plugins.json',
  })
  node.write(
    '.claude/plugins/installed_plugins.json',
    `{"plugins":{"claude-mem@thedotmack":{"installPath":"~/${CACHE}/13.15.3"}}}`,
  )
  expect(findPlugin(node.host)?.from).toBe('installed_plugins.json')
  listPlugin(node, '/gone')
  expect(findPlugin(node.host)).toEqual({ folder: node.path(CACHE, '13.15.3'), from: 'cache' })
})

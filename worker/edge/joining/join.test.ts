import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseConfigFile } from '../config/config-file.ts'
import { loadSettings } from '../config/settings.ts'
import { JOIN_VALUES, joinText } from '../testing/join-values.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { runProgram } from '../testing/run-program.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
const FILE = '.claude-mem-minio/config.env'
const FOLDER = '.claude-mem-minio'

const joinIn = (node: NodeHome, input: string | Buffer, args: string[] = []) =>
  runProgram(process.execPath, [MAIN, 'join', ...args], {
    cwd: node.path(),
    env: { HOME: node.path(), PATH: '/usr/bin:/bin' },
    input,
  })
const configOf = (node: NodeHome) => fs.readFileSync(node.path(FILE), 'utf8')
const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)

test('writes what the node then reads, for this account alone, and prints no key', async () => {
  const node = makeNodeHome()
  const { code, stdout, stderr } = await joinIn(node, joinText({ MEMBRIDGE_NODE_ID: `ann's "$HOME" board` }))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(loadSettings(node.host).values).toMatchObject({
    ...JOIN_VALUES,
    MEMBRIDGE_NODE_ID: `ann's "$HOME" board`,
    CLAUDE_MEM_DB: node.path('.claude-mem/claude-mem.db'),
  })
  expect([modeOf(node.path(FOLDER)), modeOf(node.path(FILE))]).toEqual(['700', '600'])
  expect(fs.readdirSync(node.path(FOLDER))).toEqual(['config.env'])
  expect(stdout).toContain(`write MINIO_SECRET_KEY into ${node.path(FILE)}`)
  expect(stdout).not.toMatch(/gbk_|a{43}/)
})

test('keeps the file of before and all of it that the text does not name', async () => {
  const node = makeNodeHome()
  const before = `# mine\nMINIO_ENDPOINT='https://store.example:9000'\nexport MINIO_SECRET_KEY="s3 cret"\nMINIO_ACCESS_KEY=ak\nFORCE_PUSH=1\n\nset -a\nMEMBRIDGE_NODE_ID=old\n`
  node.write(FILE, before, 0o644)
  const { code, stdout } = await joinIn(node, joinText(), ['--project', 'mem', '--json'])
  expect(code).toBe(0)
  const { backup, missing } = JSON.parse(stdout)
  expect(fs.readFileSync(backup, 'utf8')).toBe(before)
  expect(modeOf(backup)).toBe('600')
  expect(missing).toEqual([])
  const text = configOf(node)
  expect(text).toMatch(/\n\nCLAUDE_MEM_DB=.*\n# mine\nFORCE_PUSH=1\n\nset -a\n$/)
  expect(parseConfigFile(text, '/h').values).toMatchObject({
    MINIO_ACCESS_KEY: 'ak',
    MINIO_SECRET_KEY: 's3 cret',
    MEMBRIDGE_NODE_ID: 'rpi4b',
    CLAUDE_PROJECT_ID: 'mem',
  })
  expect(text.match(/MEMBRIDGE_NODE_ID/g)).toHaveLength(1)
})

test('keys of one store are not carried over to another', async () => {
  const node = makeNodeHome()
  node.write(FILE, 'MINIO_ENDPOINT=https://other.example\nMINIO_ACCESS_KEY=ak\nMINIO_SECRET_KEY=sk\n')
  await joinIn(node, joinText())
  expect(configOf(node)).toContain('\nMINIO_ACCESS_KEY=\nMINIO_SECRET_KEY=\n')
})

test('the same text again changes nothing and keeps no further copy', async () => {
  const node = makeNodeHome()
  await joinIn(node, joinText())
  const written = configOf(node)
  fs.chmodSync(node.path(FILE), 0o644)
  const { stdout } = await joinIn(node, joinText())
  expect(stdout).toContain(`unchanged: ${node.path(FILE)}`)
  expect(configOf(node)).toBe(written)
  expect(modeOf(node.path(FILE))).toBe('600')
  expect(fs.readdirSync(node.path(FOLDER))).toEqual(['config.env'])
})

test('two at once: each keeps what it found, and one of them is what stands there', async () => {
  const node = makeNodeHome()
  node.write(FILE, '# before\n')
  const ids = ['a1', 'b2', 'c3']
  const ended = await Promise.all(ids.map((id) => joinIn(node, joinText({ MEMBRIDGE_NODE_ID: id }))))
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
  const texts = fs
    .readdirSync(node.path(FOLDER))
    .map((name) => fs.readFileSync(node.path(FOLDER, name), 'utf8'))
  for (const id of ids) expect(texts.filter((text) => text.includes(`NODE_ID=${id}\n`))).toHaveLength(1)
  expect(texts.filter((text) => text === '# before\n')).toHaveLength(1)
  expect(texts).toHaveLength(4)
})

test('a link to the file stays a link', async () => {
  const node = makeNodeHome()
  node.write('elsewhere/real.env', '# mine\n')
  fs.mkdirSync(node.path(FOLDER))
  fs.symlinkSync(node.path('elsewhere/real.env'), node.path(FILE))
  expect((await joinIn(node, joinText())).code).toBe(0)
  expect(fs.lstatSync(node.path(FILE)).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(node.path('elsewhere/real.env'), 'utf8')).toMatch(/NODE_ID=rpi4b[\s\S]*# mine/)
})

test('line ends of Windows and a byte order mark are taken as they come', async () => {
  const node = makeNodeHome()
  const text = `\uFEFF${joinText().replaceAll('\n', '\r\n')}`
  expect((await joinIn(node, text)).code).toBe(0)
  expect(loadSettings(node.host).values).toMatchObject(JOIN_VALUES)
})

test.each([
  ['a piece of a key', `${joinText()}canary9e2b=\n`, /^ERROR: line 12 of the text assigns nothing/],
  ['far too much', 'x'.repeat(70_000), /^ERROR: the text is longer than 65536 bytes/],
])('%s ends with 1 and one sentence, and the file stays', async (_what, text, line) => {
  const node = makeNodeHome()
  node.write(FILE, '# before\n')
  const { code, stdout, stderr } = await joinIn(node, text)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr).not.toMatch(/canary9e2b|\n +at /)
  expect(configOf(node)).toBe('# before\n')
  expect(fs.readdirSync(node.path(FOLDER))).toEqual(['config.env'])
})

test('a folder in the place of the file is one line', async () => {
  const node = makeNodeHome()
  fs.mkdirSync(node.path(FILE), { recursive: true })
  const { code, stderr } = await joinIn(node, joinText())
  expect(code).toBe(1)
  expect(stderr).toMatch(/^ERROR: .*config\.env cannot be read \(EISDIR\)[^\n]*\n$/)
})

test('settings of before that are wrong are named, and the person hears that the node was written', async () => {
  const node = makeNodeHome()
  node.write(FILE, 'LOCK_TTL_SECONDS=soon\n')
  const { code, stderr } = await joinIn(node, joinText())
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^ERROR: LOCK_TTL_SECONDS must be[^\n]*\nERROR: the node's values were written all the same/,
  )
  expect(configOf(node)).toContain('NODE_ID=rpi4b')
})

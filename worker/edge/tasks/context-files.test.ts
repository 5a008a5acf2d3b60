/** Which files of a project a task may read: notes, whatever they are about, and nothing that programs keep keys in. */
import fs from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeHome, openNodeHome } from '../testing/home-folder.ts'
import { loadContext } from './context-files.ts'

const PRIVATE = [
  ...['.env', 'app/prod.env', 'config.env.20260131-100000', 'app/.env.local', '.envrc'],
  ...['.claude-mem-minio/config.env', '.claude-mem-minio/hook.log', '.claude-mem/settings.json'],
  ...['.claude/.credentials.json', '.claude/settings.json', '.claude.json', '.mcp.json'],
  ...['.membridge/agent_projects.json', '.bloom/secrets.json', 'app/secrets.yaml', 'keys.json'],
  ...['.git/config', '.git-credentials', '.pgpass', '.my.cnf', '.netrc', '_netrc', '.npmrc', '.pypirc'],
  ...['.docker/config.json', '.kube/config', '.ssh/known_hosts', '.aws/config', '.azure/token.json'],
  ...['.gnupg/gpg.conf', '.config/gh/hosts.yml', '.local/share/keyrings/x.txt', '.mc/config.json'],
  ...['.bash_history', '.vault-token', '.htpasswd', 'credentials.json', 'gcp/service-account-1.json'],
  ...[
    'id_ed25519',
    'server.pem',
    'server.KEY',
    'node.ovpn',
    'infra/terraform.tfstate',
    'client_secret_1.json',
  ],
]
const READABLE = [
  ...['notes/environment.md', 'notes/prod.env.md', 'notes/secrets.md', 'notes/secrets-of-soil.md', 'keys.md'],
  ...['notes/my-credentials.md', 'notes/docker.md', 'notes/aws/config.md', 'notes/claude.md', 'CLAUDE.md'],
  ...['notes/ssh-keys.txt', 'notes/key-ideas.md', 'config/garden.yml', 'src/env.ts', 'tokens.json'],
  ...['notes/netrc.md', 'secrets/plan.md', 'environment.json', 'keyboard.json'],
]

let home: NodeHome
beforeAll(() => {
  home = openNodeHome()
  for (const name of [...PRIVATE, ...READABLE]) home.write(`garden/${name}`, 'CANARY')
})
afterAll(() => fs.rmSync(home.path(), { recursive: true, force: true }))

test.each(PRIVATE)('%s is private', async (hint) => {
  const { files, report } = await loadContext(home.path('garden'), [hint], 0)
  expect({ files, report }).toEqual({ files: [], report: [{ hint, status: 'skipped', reason: 'private' }] })
})

test.each(READABLE)('%s is read', async (hint) => {
  const { report } = await loadContext(home.path('garden'), [hint], 0)
  expect(report).toMatchObject([{ hint, status: 'loaded' }])
})

test('no pattern and no link leads to what is private', async () => {
  fs.symlinkSync(home.path('garden/.pgpass'), home.path('garden/linked.md'))
  const { files } = await loadContext(home.path('garden'), ['**/*', '**/.*', '**/*.env', 'linked.md'], 0)
  const read = files.map(({ name }) => name)
  expect(read).toEqual(expect.arrayContaining(['keys.md']))
  expect(read.filter((name) => !READABLE.includes(name))).toEqual([])
})

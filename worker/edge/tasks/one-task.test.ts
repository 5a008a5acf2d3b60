/** One task on a node, from its prompt to its report: what the program gets, what is made of its end, and what no prompt or answer can bring about. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NodeHome, openNodeHome } from '../testing/home-folder.ts'
import { CANARY, isAlive, openTaskRoom, pidIn, type TaskRoom, WRITER } from '../testing/task-room.ts'

let room: TaskRoom
beforeAll(async () => {
  room = await openTaskRoom()
})
afterAll(() => room?.close())
beforeEach(() => room.clearLimits())

describe('one task', () => {
  let home: NodeHome
  beforeAll(() => {
    home = openNodeHome()
    home.write('garden/notes/a.md', 'ALPHA')
    home.write('garden/notes/b.md', 'BETA')
    home.write('garden/.env', 'SECRET=1')
    home.write('garden/.git/config', 'x')
    home.write('garden/image.bin', 'a\0b')
    home.write('outside.md', 'OUTSIDE')
    fs.symlinkSync(home.path('outside.md'), home.path('garden/link.md'))
    const project = { project_id: 'garden', canonical_id: '0123456789abcdef', created_at: 1, last_seen: 1 }
    const whole = {
      ...project,
      project_id: 'whole-home',
      canonical_id: 'fedcba9876543210',
      path: home.path(),
    }
    const projects = {
      [project.canonical_id]: { ...project, path: home.path('garden') },
      [whole.canonical_id]: whole,
    }
    home.write('.membridge/agent_projects.json', JSON.stringify(projects))
    room.start(home, [], { MEMBRIDGE_NODE_ID: 'node-of-all' })
  })
  afterAll(async () => {
    await room.stopNodes()
    fs.rmSync(home.path(), { recursive: true, force: true })
  })

  test('is answered: the bare answer, its tokens, a heartbeat', async () => {
    const done = await room.answered('envelope All is well.')
    expect(done).toMatchObject({
      ...{ status: 'completed', attempts: 1 },
      result: { output: 'All is well.', metrics: { tokens_used: 7, provider: 'claude-cli' } },
    })
    expect(done.history.map(({ name }) => name)).toEqual([
      'task.created',
      'task.leased',
      'task.started',
      'task.completed',
    ])
  })

  test('gets the prompt on its input, the arguments of the program, and no key of the environment', async () => {
    const shell = 'prompt'
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell would replace
    const prompt = '$(id) `id` ; rm -rf / | & > < \' " \\\n${HOME}\n'
    const read = await room.answered(shell, { prompt: `${prompt}${shell}` })
    expect(read.result?.output).toBe(`${prompt}${shell}`)
    expect((await room.answered('arguments')).result?.output?.split('\n').slice(0, 3)).toEqual([
      '-p',
      '--output-format',
      'json',
    ])
    const environment = (await room.answered('environment')).result?.output ?? ''
    expect(environment).not.toContain(CANARY)
    expect(environment).not.toMatch(/MINIO|ANTHROPIC|RUNTIME|MEMBRIDGE/)
    expect(environment).toContain('PATH=')
  })

  test('gets the definition of its own agent as instructions, in a file that nobody else can read and that goes with the task', async () => {
    const context_hints = ['@agent/writer']
    const done = await room.answered('definition', { context_hints })
    const [listed = '', ...text] = done.result?.output?.split('\n') ?? []
    expect(text.join('\n')).toBe(WRITER)
    expect(listed).toMatch(/^-rw------- /)
    const file = listed.split(' ').at(-1) as string
    expect(path.isAbsolute(file) && !fs.existsSync(path.dirname(file))).toBe(true)
    expect((await room.answered('prompt', { context_hints })).result?.output).toBe('Do this:\nprompt')
    const tooMuch = { context_hints, policy: { budget: 11 } }
    expect(await room.answered('prompt', tooMuch)).toMatchObject({
      status: 'failed',
      error_code: 'budget_exceeded',
    })
  })

  test('in a project may use what reads and nothing that the project itself sets up', async () => {
    expect((await room.answered('arguments')).result?.output?.split('\n').slice(3)).toEqual([
      ...['--tools', 'Read,Grep,Glob', '--allowedTools', 'Read,Grep,Glob'],
      ...['--setting-sources', 'user', '--strict-mcp-config', '--no-session-persistence', ''],
    ])
  })

  test.each<[string, object, object]>([
    ['error Overloaded', {}, { error_code: 'provider_error', last_error: 'Overloaded' }],
    ['exit', {}, { error_code: 'provider_error', last_error: 'it broke: HTTP 500' }],
    ['no json', { desired_format: 'json' }, { error_code: 'parse_error' }],
    ['much', {}, { error_code: 'output_too_large', retry_at: null }],
    ['envelope x', { policy: { budget: 6 } }, { error_code: 'budget_exceeded', retry_at: null }],
  ])('that ends with %s fails by the matrix', async (line, more, expected) => {
    expect(await room.answered(line, more)).toMatchObject({
      status: 'failed',
      artifact_id: null,
      ...expected,
    })
  })

  test('whose output has no place in a text is kept without that', async () => {
    expect((await room.answered('odd')).result?.output).toBe('ab\u001b[31mc')
  })

  test('over its time is killed with all that it started', async () => {
    const file = home.path('child.pid')
    const done = await room.answered(`slow ${file}`, { policy: { timeout_sec: 1 } })
    expect(done).toMatchObject({ status: 'failed', error_code: 'timeout' })
    expect(isAlive(await pidIn(file))).toBe(false)
  })

  test('reads the files that it names below the project, and lists what it may not', async () => {
    const context_hints = [
      'notes/*.md',
      '.env',
      '.git/config',
      '/etc/passwd',
      '../outside.md',
      'link.md',
      'image.bin',
      'gone.md',
      '@memory/recent',
    ]
    const done = await room.answered('prompt', { context_hints })
    expect(done.result?.output).toContain('ALPHA')
    expect(done.result?.output).toContain('BETA')
    expect(done.result?.output).not.toMatch(/OUTSIDE|SECRET|root:/)
    const report = done.attempt_list[0]?.context_report.map(({ hint, status }) => `${hint} ${status}`)
    expect(report?.sort()).toEqual([
      ...[
        '../outside.md skipped',
        '.env skipped',
        '.git/config skipped',
        '/etc/passwd skipped',
        '@memory/recent skipped',
      ],
      ...['gone.md skipped', 'image.bin skipped', 'link.md skipped', 'notes/*.md loaded'],
    ])
  })

  test('of a project that is the whole home gets an empty folder and none of its files', async () => {
    const more = { context_id: 'whole-home', context_hints: ['garden/notes/a.md'] }
    expect((await room.answered('prompt', more)).result?.output).not.toContain('ALPHA')
    expect((await room.answered('where', more)).result?.output).not.toContain(home.path())
    expect((await room.answered('where')).result?.output).toBe(`${home.path('garden')}\n`)
  })
})

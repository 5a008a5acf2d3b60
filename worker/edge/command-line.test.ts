import { expect, test } from 'vitest'
import { printFault, runCommandLine } from './command-line.ts'
import { EdgeFault } from './fault.ts'
import { makeNodeHome } from './testing/node-home.ts'
import { runEdge } from './testing/run-edge.ts'

const run = (args: string[], env: Record<string, string> = {}) => runCommandLine(args, makeNodeHome(env).host)

test.each(['print-project', 'print_project'])(
  '%s prints name and id in the form that scripts match',
  async (name) => {
    expect(await run([name, '--project', 'garden-seedling'])).toEqual({
      exitCode: 0,
      stdout: 'project_name: garden-seedling\ncanonical_project_id: aeeafec3a5b5710f\n',
      stderr: '',
    })
  },
)

test('a project without a name is one line and exit code 1, also as JSON', async () => {
  expect(await run(['print-project'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'ERROR: CLAUDE_PROJECT_ID not set\n',
  })
  const { stdout } = await run(['print-project', '--json'])
  expect(JSON.parse(stdout)).toEqual({ error: 'CLAUDE_PROJECT_ID not set', exit_code: 1 })
})

test('a message whose first words scripts match begins its line', () => {
  const fault = new EdgeFault('LOCAL AHEAD: 2 rows exist only here', { label: '' })
  expect(printFault(fault, false).stderr).toBe('LOCAL AHEAD: 2 rows exist only here\n')
  expect(printFault(new EdgeFault('no remote copy yet'), false).stderr).toBe('ERROR: no remote copy yet\n')
})

test('every wrong setting has a line of its own', async () => {
  const { exitCode, stderr } = await run(['print-project'], { FORCE_PUSH: 'x', LOCK_TTL_SECONDS: 'y' })
  expect(exitCode).toBe(1)
  expect(stderr).toBe(
    'ERROR: LOCK_TTL_SECONDS must be a whole number of seconds\nERROR: FORCE_PUSH must be 0 or 1\n',
  )
})

test.each([
  [[], 'ERROR: no command given\nusage: membridge'],
  [['dance'], 'ERROR: no command dance\nusage: membridge'],
  [['doctor', '--accept-local-loss'], 'ERROR: doctor does not take --accept-local-loss\n'],
  [['doctor', 'now'], 'ERROR: now is too much\n'],
  [['doctor', '--verbose'], "ERROR: Unknown option '--verbose'\n"],
  [['doctor', '--config'], "ERROR: Option '--config <value>' argument missing\n"],
])('%j is refused with the usage', async (args, line) => {
  const { exitCode, stdout, stderr } = await run(args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain(line)
  expect(stderr).toContain('print-project, print_project')
})

test('help lists what there is and ends with 0', async () => {
  const { exitCode, stdout } = await run(['--help'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('doctor, cm-doctor')
  for (const line of [
    'push, push_sqlite, cm-push',
    'pull, pull_sqlite, cm-pull [--no-restart-worker] [--accept-local-loss] ',
    'leadership, leadership_info',
  ])
    expect(stdout).toContain(`\n  ${line}`)
})

test('diagnose ends with the code of its first finding, and its JSON says the same', async () => {
  const { exitCode, stdout } = await run(['diagnose', '--json'], { PATH: '' })
  expect(exitCode).toBe(10)
  expect(JSON.parse(stdout)).toMatchObject({
    code: 10,
    checks: [{ code: 10, ok: false }, { code: 11 }, {}, {}],
  })
})

test('what a name carries does not steer the terminal', async () => {
  const { stdout } = await runCommandLine(['doctor'], { ...makeNodeHome().host, name: 'evil\u001b[2J\u0007' })
  expect(stdout).toContain('hostname:             evil?[2J?\n')
})

test('runs as a process of its own and ends by itself', async () => {
  const node = makeNodeHome()
  node.write('my.env', 'export CLAUDE_PROJECT_ID="mem"\n')
  expect(await runEdge(node, ['print-project', '--config', 'my.env'])).toEqual({
    code: 0,
    stdout: 'project_name: mem\ncanonical_project_id: 6fe2e0f6071ac2bb\n',
    stderr: '',
  })
  expect((await runEdge(node, ['diagnose'])).code).toBe(10)
})

import { expect, test } from 'vitest'
import { freePort } from '#server/launch/ports.mjs'
import { callAgent, runAgentProcess } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { runEdge } from '../testing/run-edge.ts'

test('registers a project and its folder with the agent of this machine, without a key', async () => {
  const node = makeNodeHome()
  const port = String(await freePort())
  const agent = await runAgentProcess(node, { MEMBRIDGE_AGENT_PORT: port })
  const own = { MEMBRIDGE_AGENT_PORT: port, CLAUDE_PROJECT_ID: 'garden-seedling' }
  const { code, stdout, stderr } = await runEdge(node, ['register', '--path', 'garden'], own)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe('registered: garden-seedling (aeeafec3a5b5710f)\nprojects of this node: 1\n')
  const again = await runEdge(node, ['register', '--project=mem', '--json'], own)
  expect(JSON.parse(again.stdout)).toEqual({
    ...{ ok: true, project_id: 'mem', canonical_id: '6fe2e0f6071ac2bb', projects_count: 2 },
  })
  expect((await callAgent(agent.url, 'GET /projects')).json).toMatchObject([
    { project_id: 'garden-seedling', path: node.path('garden') },
    { project_id: 'mem' },
  ])
  const refused = await runEdge(node, ['register', `--project=${'a'.repeat(128)} `], own)
  expect(refused.code).toBe(1)
})

test('says how to start an agent that does not answer', async () => {
  const node = makeNodeHome()
  const port = String(await freePort())
  const { code, stderr } = await runEdge(node, ['register', '--project=mem'], { MEMBRIDGE_AGENT_PORT: port })
  expect(code).toBe(1)
  expect(stderr).toBe(
    `ERROR: the agent does not answer at http://127.0.0.1:${port}/register_project: start it with membridge agent\n`,
  )
})

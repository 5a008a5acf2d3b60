/** Who may call what: every route of the control plane has a row here, written by hand. */
import { expect, test } from 'vitest'
import { controlPlaneRoutes } from './control-plane.ts'

const ROWS: Record<string, 'open' | 'admin' | 'callback' | 'admin-or-callback' | 'admin-or-node'> = {
  'GET /health': 'open',
  'GET /ui': 'open',
  'GET /static/{name}': 'open',
  'GET /jobs': 'admin',
  'GET /jobs/{id}': 'admin',
  'PATCH /jobs/{id}/status': 'admin-or-callback',
  'POST /jobs/{id}/requeue': 'admin',
  'POST /jobs/{id}/result': 'callback',
  'GET /projects': 'admin',
  'POST /projects': 'admin',
  'DELETE /projects/{name}': 'admin',
  'GET /projects/{cid}/nodes': 'admin',
  'GET /projects/{cid}/leadership': 'admin',
  'POST /projects/{cid}/leadership/select': 'admin',
  'POST /projects/{cid}/grants': 'admin',
  'GET /projects/{cid}/grants': 'admin-or-node',
  'GET /agents': 'admin',
  'POST /agents': 'admin',
  'DELETE /agents/{name}': 'admin',
  'POST /agent/heartbeat': 'admin-or-node',
  'POST /sync/push': 'admin',
  'POST /sync/pull': 'admin',
}

test('every route asks for the key of its row', () => {
  const declared = controlPlaneRoutes('http://localhost').map(({ method, path, policy }) => [
    `${method.toUpperCase()} ${path}`,
    'key' in policy ? policy.key : 'open' in policy ? 'open' : policy.action,
  ])
  expect(Object.fromEntries(declared)).toEqual(ROWS)
  expect(declared).toHaveLength(Object.keys(ROWS).length)
})

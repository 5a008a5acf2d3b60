/** Nodes for component tests; what is not named is that of one that is online with a key of its own. */

import { createdKey, keyPage, keyView } from '#contracts/key.contract.ts'
import { nodeSync as consoleSync } from '#contracts/membridge-console.contract.ts'
import {
  addedNode,
  type FleetNode,
  fleetNode,
  type NodeDetail,
  nodeDetail,
  nodePage,
  nodeRef,
  nodeSummary,
} from '#contracts/node.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { SyncAction } from '#domain/membridge/sync.machine.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

const MINUTE_MS = 60_000
export const before = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString()
export const CONFIG = 'MEMBRIDGE_NODE_ID=shed-pi\nMEMBRIDGE_NODE_KEY=gbk_aaaaaaaaaaaaaaaa_the-secret\n'

const A_KEY = {
  ...{ key_id: '5f0c2a1e8d4b4c9a', name: 'attic-pi', created_at: before(1_000) },
  ...{ expires_at: new Date(Date.now() + 90 * 1_440 * MINUTE_MS).toISOString(), last_used_at: before(0) },
}

export const aNode = (node_id: string, more: Partial<FleetNode> = {}): FleetNode =>
  fleetNode.parse({
    ...{ node_id, state: 'online', last_seen: before(0), first_seen: before(5_000) },
    ...{ agent_version: '1.4.0', ip_addrs: ['10.0.0.2'], admin_key: false },
    projects: [
      {
        ...{
          canonical_id: 'aeeafec3a5b5710f',
          name: 'garden-seedling',
          obs_count: 1_204,
          db_sha: 'ab'.repeat(32),
        },
        ...{
          last_seen: before(0),
          online: true,
          role: 'primary',
          leadership_enabled: true,
          pushed_at: before(30),
        },
      },
    ],
    agent: { url: 'https://attic-pi:8001', registered_at: before(5_000) },
    keys: [A_KEY],
    ...more,
  } satisfies FleetNode)

type SyncInput = { action: SyncAction; project: string; agent: string }
type Refuse = ConstructorParameters<typeof Refused> | null

/** Nodes behind the pages; what is added or changed there shows in the next answer. */
export function fleet(nodes: FleetNode[], syncs: NodeDetail['syncs'] = []) {
  const asked: [string, unknown][] = []
  const listed: unknown[] = []
  const state: { refuse: Refuse; reach: 'machine' | 'clear' | 'network'; store: 'folder' | 's3' } = {
    ...{ refuse: null, reach: 'network', store: 's3' },
  }
  const find = (id: string) => {
    const node = nodes.find((one) => one.node_id === id)
    if (!node) throw new Refused('NOT_FOUND', 'There is no such node.')
    return node
  }
  const answered = (what: string, input: unknown) => {
    asked.push([what, input])
    if (state.refuse) throw new Refused(...state.refuse)
  }
  const count = (wanted: FleetNode['state']) => nodes.filter((node) => node.state === wanted).length
  const nodesRoom = router({
    list: query(nodePage, (input: { state?: string; q?: string }) => {
      listed.push(input)
      const items = nodes.filter(
        (n) => (!input.state || n.state === input.state) && n.node_id.includes(input.q ?? ''),
      )
      return { items, next_cursor: null }
    }),
    summary: query(nodeSummary, () => ({
      ...{ online: count('online'), offline: count('offline'), waiting: count('waiting') },
      admin_key: nodes.filter((n) => n.admin_key).length,
      projects: [{ canonical_id: 'aeeafec3a5b5710f', name: 'garden-seedling' }],
    })),
    get: query(nodeDetail, ({ node_id }: { node_id: string }) => ({ ...find(node_id), syncs })),
    add: mutation(addedNode, (input: { node_id: string }) => {
      answered('add', input)
      const { node_id } = input
      const more = {
        state: 'waiting' as const,
        last_seen: null,
        first_seen: null,
        projects: [],
        agent: null,
      } satisfies Partial<FleetNode>
      const known = nodes.find((n) => n.node_id === node_id)
      if (known) Object.assign(known, { keys: [A_KEY, ...known.keys], admin_key: false })
      else nodes.push(aNode(node_id, more))
      nodes.sort((a, b) => (a.node_id < b.node_id ? -1 : 1))
      const server = { url: 'http://plane.example:8000', reach: state.reach }
      return {
        node_id,
        key_id: 'aaaaaaaaaaaaaaaa',
        config: CONFIG,
        store: { kind: state.store, reach: state.reach },
        server,
      }
    }),
    register: mutation(nodeRef, (input: { node_id: string; url: string }) => {
      answered('register', input)
      find(input.node_id).agent = { url: input.url, registered_at: before(0) }
      return { node_id: input.node_id }
    }),
    unregister: mutation(nodeRef, (input: { node_id: string }) => {
      answered('unregister', input)
      find(input.node_id).agent = null
      return input
    }),
  })
  const keys = router({
    list: query(keyPage, () => ({ items: [], next_cursor: null })),
    rotate: mutation(createdKey, (input: unknown) => {
      answered('rotate', input)
      return { key: aKeyView(), secret: 'gbk_the-successor' }
    }),
    revoke: mutation(keyView, (input: unknown) => {
      answered('revoke', input)
      return aKeyView()
    }),
  })
  const membridge = router({
    sync: mutation(consoleSync, (input: SyncInput) => {
      answered('sync', input)
      const { action, project, agent } = input
      const sync = { action, status: 'pending' as const, project, created_at: before(0), finished_at: null }
      const known = { sync_id: 'bbbbbbbbbbbbbbbb', detail: null, requested_by: 'operator:olena' }
      syncs.unshift({ ...sync, ...known })
      return {
        ...{ ...sync, id: known.sync_id, kind: 'sync' as const, agent, canonical_id: 'aeeafec3a5b5710f' },
        ...{ detail: null, stdout: null, stderr: null, returncode: null, dryrun: null, request_id: null },
      }
    }),
  })
  return { procedures: { nodes: nodesRoom, keys, membridge }, nodes, syncs, asked, listed, state }
}

const aKeyView = () => ({
  ...{ ...A_KEY, kind: 'node' as const, node_id: 'attic-pi', scopes: [], status: 'active' as const },
  ...{ created_by: 'owner', revoked_at: null },
})

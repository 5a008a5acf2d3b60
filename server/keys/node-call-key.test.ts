import { expect, test } from 'vitest'
import { nodeCallKey } from './node-call-key.ts'

const AGENT_KEY = `agent-${'k'.repeat(43)}`

/** Made with Python's `hmac`: both sides of a call, and other implementations, must come to the same. */
test.each([
  [AGENT_KEY, 'rpi4b', 'M8r9Z3Zm85DxlAbSBobgQs8fRVAtYXNknocPDSsCHoY'],
  [AGENT_KEY, 'Садок 1', 'tDSwIo3QpXjj0-kEAlxuN7KAoMib6oMBu8EQ-JArU1g'],
  ['x'.repeat(32), 'rpi4b', 'ifhvOnq50dtOxVeMcnFNe_6tLJc_HfRR_aNP8YY4bTs'],
])(
  'the key for calls to a node is fixed by the main key and the node id: %s, %s',
  (agentKey, nodeId, key) => {
    expect(nodeCallKey(agentKey, nodeId)).toBe(key)
    expect(key).not.toContain(agentKey)
  },
)

import {
  addedNode,
  addNodeRequest,
  nodeDetail,
  nodeListRequest,
  nodePage,
  nodeRef,
  nodeSummary,
  registerNodeRequest,
} from '#contracts/node.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { addNode } from './add-node.ts'
import { getNode } from './get-node.query.ts'
import { listAllNodes, summarizeNodes } from './list-all-nodes.query.ts'
import { registerNode, unregisterNode } from './register-node.ts'

/**
 * The nodes in the console: operators see them. The owner adds one, and says at which address one is called, with a password of the last five
 * minutes: whoever is called there is shown a key.
 */
export const nodeOperations = operations('nodes', {
  list: read('node.read', {
    summary: 'List the nodes of all projects, by ID',
    rest: 'GET /api/v1/nodes',
    input: nodeListRequest,
    output: nodePage,
    run: ({ services }, input) => listAllNodes(services, input),
  }),
  summary: read('node.read', {
    summary: 'Count nodes by state',
    rest: 'GET /api/v1/nodes/summary',
    output: nodeSummary,
    run: ({ services }) => summarizeNodes(services),
  }),
  get: read('node.read', {
    summary: 'Get a node with its latest syncs',
    rest: 'GET /api/v1/nodes/view',
    input: nodeRef,
    output: nodeDetail,
    run: ({ services }, input) => getNode(services, input),
  }),
  add: write('node.manage', {
    summary: 'Add a node: creates its key; the text that joins it is shown once',
    rest: 'POST /api/v1/nodes',
    status: 201,
    stepUp: true,
    input: addNodeRequest,
    output: addedNode,
    run: ({ services, caller }, input) => addNode(services, input, caller),
  }),
  register: write('node.manage', {
    summary: 'Register a node’s agent, with the address where it’s called',
    rest: 'POST /api/v1/nodes/register',
    status: 201,
    stepUp: true,
    input: registerNodeRequest,
    output: nodeRef,
    run: ({ services, caller }, input) => registerNode(services, input, caller),
  }),
  unregister: write('node.manage', {
    summary: 'Remove the registration of a node’s agent; the node itself stays',
    rest: 'POST /api/v1/nodes/unregister',
    stepUp: true,
    input: nodeRef,
    output: nodeRef,
    run: ({ services, caller }, input) => unregisterNode(services, input, caller),
  }),
})

export { NodePage } from './components/node-page.tsx'
export { NodesPage } from './components/nodes-page.tsx'
export { NODE_STYLES } from './status.ts'

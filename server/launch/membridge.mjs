/** `npm run membridge -- <command>`: the command line of a node, see worker/edge/main.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('../../worker/edge/main.ts')

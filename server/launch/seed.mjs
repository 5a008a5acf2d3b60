/** `npm run seed -- <scenario> [--count N]`: see launch/fill.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('fill.mjs')

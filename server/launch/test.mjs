/** `npm test [-- check …]` and `npm run check`: see launch/checks.mjs for what is checked. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('checks.mjs')

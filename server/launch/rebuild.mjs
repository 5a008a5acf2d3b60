/** `npm run rebuild [-- --accept-lost-events]`: see launch/rebuild-home.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('rebuild-home.mjs')

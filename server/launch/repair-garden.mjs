/** `npm run repair-garden [-- --discard]`: see launch/with-ledger.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('with-ledger.mjs', ['server/composition/repair/main.ts'])
